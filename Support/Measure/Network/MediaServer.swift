// nginx with its rtmp module, which takes a stream and writes it down.
import Glibc
import KinePlatform
import SystemPackage

/// An RTMP server on a free port of this machine. It is ended with this object.
public final class MediaServer {
    public let process: ChildProcess
    public let port: Int
    private let folder: TemporaryDirectory

    /// - Parameter diesWithThread: It ends with the thread that makes it, however that ends. Not where that is one of Swift's pool.
    public init(diesWithThread: Bool = true) throws {
        folder = try TemporaryDirectory()
        port = try Loopback.freePort()
        let configuration = """
            load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
            daemon off;
            master_process off;
            pid \(folder.file("nginx.pid"));
            error_log \(folder.file("error.log")) info;
            events {}
            rtmp {
                server {
                    listen 127.0.0.1:\(port);
                    chunk_size 4096;
                    application live {
                        live on;
                        record all;
                        record_path \(folder.path);
                        record_unique off;
                        meta copy;
                    }
                }
            }
            """
        try folder.write(configuration.utf8, to: "nginx.conf")
        var options = ChildProcess.Options()
        options.descriptors = [nil, .standardError, .standardError]
        if diesWithThread { options.parentDeathSignal = SIGKILL }
        process = try ChildProcess(
            executable: try Tool.path(of: "nginx"),
            arguments: ["-p", folder.path, "-c", folder.file("nginx.conf"), "-e", folder.file("error.log")],
            environment: ProcessEnvironment.current, options: options)
        try waitUntilItListens()
    }

    deinit { stop() }

    /// Where to publish a stream.
    public func address(_ stream: String) -> String { "rtmp://127.0.0.1:\(port)/live/\(stream)" }

    /// The file that a stream is written to, once its first sample is there.
    public func file(_ stream: String) -> String { folder.file("\(stream).flv") }

    /// The samples that have arrived of a stream that is over.
    public func recorded(_ stream: String) throws -> [FLVTag] { try FLVFile.read(file(stream)).filter(\.isSample) }

    /// What it has written down of its connections so far.
    public var log: String { ProcFiles.read(folder.file("error.log")) }

    /// Ends it, and its connections.
    public func stop() { _ = process.end(deadline: Self.deadline(in: 5)) }

    private static func deadline(in seconds: Double) -> Int64 { MonotonicClock.now() + Int64(seconds * 1e9) }

    private func waitUntilItListens() throws {
        let end = Self.deadline(in: 300)
        while !Loopback.connects(to: port) {
            guard MonotonicClock.now() < end, process.poll() == nil else {
                throw Tool.Error.failed(
                    name: "nginx", ending: process.end(signal: SIGKILL, deadline: MonotonicClock.now()),
                    complaint: log)
            }
            _ = WakeSignal.poll([process.exitDescriptor], until: Self.deadline(in: 0.02))
        }
    }
}
