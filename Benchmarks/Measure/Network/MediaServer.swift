// nginx with its rtmp module, which takes a stream and writes it down.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

/// An RTMP server on a free port of this machine. It is ended with this object.
public final class MediaServer {
    public let process: ChildProcess
    public let port: Int
    private var isStopped = false
    private let folder: PrivateFolder

    public init() throws {
        folder = try PrivateFolder()
        // Its worker may be another user.
        chmod(folder.path, 0o755)
        port = try MediaServer.freePort()
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
        let file = try FileDescriptor.open(
            FilePath(folder.file("nginx.conf")), .writeOnly, options: [.create], permissions: [.ownerReadWrite])
        try file.closeAfter { _ = try file.writeAll(configuration.utf8) }
        var options = ChildProcess.Options()
        options.descriptors = [nil, .standardError, .standardError]
        options.parentDeathSignal = SIGKILL
        process = try ChildProcess(
            executable: try Tool.path(of: "nginx"),
            arguments: ["-p", folder.path, "-c", folder.file("nginx.conf"), "-e", folder.file("error.log")],
            environment: Tool.inheritedEnvironment(), options: options)
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
    public func stop() {
        // Its number may be another process's by then.
        guard !isStopped else { return }
        isStopped = true
        _ = process.end(deadline: Self.deadline(in: 5))
    }

    private static func deadline(in seconds: Double) -> Int64 { MonotonicClock.now() + Int64(seconds * 1e9) }

    private func waitUntilItListens() throws {
        let end = Self.deadline(in: 10)
        while !MediaServer.connects(to: port) {
            guard MonotonicClock.now() < end, process.poll() == nil else {
                throw Tool.Error.failed(
                    name: "nginx", ending: process.end(signal: SIGKILL, deadline: MonotonicClock.now()),
                    complaint: log)
            }
            FrameRhythm.sleep(until: Self.deadline(in: 0.02))
        }
    }

    /// A port of this machine that nobody uses.
    public static func freePort() throws -> Int {
        try withLoopbackSocket(port: 0) { descriptor, address, length in
            guard bind(descriptor, address, length.pointee) == 0, getsockname(descriptor, address, length) == 0 else {
                throw Tool.Error.system(doing: "Looking for a free port", Errno(rawValue: errno))
            }
            return Int(
                UInt16(
                    bigEndian: UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port))
        }
    }

    private static func connects(to port: Int) -> Bool {
        (try? withLoopbackSocket(port: port) { connect($0, $1, $2.pointee) == 0 }) ?? false
    }

    private static func withLoopbackSocket<Result>(
        port: Int, _ body: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) throws -> Result
    ) throws -> Result {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return try withUnsafeMutablePointer(to: &address) { address in
            try address.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body(descriptor, $0, &length) }
        }
    }
}
