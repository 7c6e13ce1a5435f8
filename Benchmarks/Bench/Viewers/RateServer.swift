// nginx sending a long file at the stream's rate: the least that a server of so many bytes to so many viewers costs here.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage

/// nginx on a free port of this machine, in one process. It ends with this object, and with the thread that made it.
final class RateServer {
    static let path = "/stream"
    let port: Int
    var process: Int32 { child.pid }
    private let child: ChildProcess
    private let folder: TemporaryDirectory

    /// - Parameter bytesPerSecond: to each viewer.
    init(bytesPerSecond: Int, seconds: Double) throws {
        folder = try TemporaryDirectory(in: "/dev/shm")
        port = try Loopback.freePort()
        let configuration = """
            daemon off;
            master_process off;
            worker_rlimit_nofile 4096;
            pid \(folder.file("nginx.pid"));
            error_log \(folder.file("error.log"));
            events { worker_connections 4000; }
            http {
                access_log off;
                sendfile on;
                limit_rate \(bytesPerSecond);
                server { listen 127.0.0.1:\(port) backlog=1024; root \(folder.path); }
            }
            """
        try folder.write(configuration.utf8, to: "nginx.conf")
        // Viewers read for so long, and half a minute is left for all of them to come.
        try Tool.write(
            [UInt8](repeating: 0, count: Int((seconds + 30) * Double(bytesPerSecond))), to: folder.path + Self.path)
        var options = ChildProcess.Options()
        options.descriptors = [nil, .standardError, .standardError]
        options.parentDeathSignal = SIGKILL
        child = try ChildProcess(
            executable: try Tool.path(of: "nginx"),
            arguments: ["-p", folder.path, "-c", folder.file("nginx.conf"), "-e", folder.file("error.log")],
            environment: ProcessEnvironment.current, options: options)
        let end = deadline(in: 60)
        while !Loopback.connects(to: port) {
            guard MonotonicClock.now() < end, child.poll() == nil else {
                throw LiveFeed.Failed(description: "nginx does not start: \(ProcFiles.read(folder.file("error.log")))")
            }
            FrameRhythm.sleep(until: deadline(in: 0.02))
        }
    }

    deinit { _ = child.end(deadline: deadline(in: 5)) }
}
