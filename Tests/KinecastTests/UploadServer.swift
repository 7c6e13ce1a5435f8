// nginx as a server that takes files with PUT, and wants a password.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage

/// Ended with this object. `/open/` takes everything, `/closed/` what comes with the header `Authorization: Bearer secret`.
final class UploadServer: Sendable {
    let port: Int
    private let folder: TemporaryDirectory
    private let process: ChildProcess

    /// - Parameter certificate: speaks TLS.
    init(certificate: SelfSignedCertificate? = nil) throws {
        folder = try TemporaryDirectory()
        port = try Loopback.freePort()
        let secure = certificate.map { "ssl_certificate \($0.path); ssl_certificate_key \($0.key);" } ?? ""
        let configuration = """
            daemon off;
            master_process off;
            pid \(folder.file("nginx.pid"));
            error_log \(folder.file("error.log")) info;
            events {}
            http {
                access_log off;
                client_max_body_size 0;
                client_body_temp_path \(folder.file("bodies"));
                proxy_temp_path \(folder.file("proxy"));
                fastcgi_temp_path \(folder.file("fastcgi"));
                uwsgi_temp_path \(folder.file("uwsgi"));
                scgi_temp_path \(folder.file("scgi"));
                server {
                    listen 127.0.0.1:\(port)\(certificate == nil ? "" : " ssl");
                    \(secure)
                    root \(folder.path);
                    location /open/ { dav_methods PUT; create_full_put_path on; }
                    location /closed/ {
                        if ($http_authorization != "Bearer secret") { return 403; }
                        dav_methods PUT; create_full_put_path on;
                    }
                }
            }
            """
        try folder.write(configuration.utf8, to: "nginx.conf")
        var options = ChildProcess.Options()
        options.descriptors = [nil, .standardError, .standardError]
        process = try ChildProcess(
            executable: try Tool.path(of: "nginx"),
            arguments: ["-p", folder.path, "-c", folder.file("nginx.conf"), "-e", folder.file("error.log")],
            environment: ProcessEnvironment.current, options: options)
        let end = WaitLimit.deadline()
        while !Loopback.connects(to: port) {
            guard MonotonicClock.now() < end, process.poll() == nil else {
                throw Tool.Error.failed(
                    name: "nginx", ending: process.end(signal: SIGKILL, deadline: 0),
                    complaint: ProcFiles.read(folder.file("error.log")))
            }
            _ = WakeSignal.poll([process.exitDescriptor], until: MonotonicClock.now() + 20_000_000)
        }
    }

    deinit { _ = process.end(deadline: MonotonicClock.now() + 5_000_000_000) }

    /// A file that it got.
    func file(_ name: String) -> String { folder.file(name) }
}
