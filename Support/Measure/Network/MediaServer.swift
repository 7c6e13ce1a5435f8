// nginx: with its rtmp module, which takes a stream and writes it down, or as a measurement wants it.
import Glibc
import KinePlatform
import SystemPackage

/// A server on a free port of this machine. It is ended with this object.
public final class MediaServer {
    public let process: ChildProcess
    public let port: Int
    private let folder: TemporaryDirectory

    /// - Parameter diesWithThread: It ends with the thread that makes it, however that ends. Not where that is one of Swift's pool.
    public convenience init(diesWithThread: Bool = true) throws {
        try self.init(module: "ngx_rtmp_module", diesWithThread: diesWithThread) { folder, port in
            """
            events {}
            rtmp {
                access_log off;
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
        }
    }

    /// Another server, with a configuration of its own for that port.
    public init(
        module: String? = nil, diesWithThread: Bool = true, _ configuration: (TemporaryDirectory, Int) -> String
    ) throws {
        folder = try TemporaryDirectory()
        port = try Loopback.freePort()
        let configuration = """
            \(module.map { "load_module /usr/lib/nginx/modules/\($0).so;" } ?? "")
            daemon off;
            master_process off;
            pid \(folder.file("nginx.pid"));
            error_log \(folder.file("error.log")) info;
            \(configuration(folder, port))
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

/// A key and a certificate for it, in the files key.pem and cert.pem, made by openssl.
public final class SelfSignedCertificate: Sendable {
    private let folder: TemporaryDirectory?
    private let directory: String

    /// - Parameters:
    ///   - name: the common name.
    ///   - alternativeName: for whom it is, as openssl's subjectAltName: "DNS:localhost", "IP:127.0.0.1".
    ///   - directory: where the files are to be, and stay; nil: in a folder that goes with the last reference.
    public init(name: String, alternativeName: String, in directory: String? = nil) throws {
        folder = directory == nil ? try TemporaryDirectory() : nil
        self.directory = directory ?? folder?.path ?? "."
        _ = try Tool.output(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=\(name)", "-addext", "subjectAltName=\(alternativeName)", "-keyout", key, "-out", path,
            ])
    }

    /// The certificate's file.
    public var path: String { "\(directory)/cert.pem" }
    /// The private key's file.
    public var key: String { "\(directory)/key.pem" }
}
