// A certificate for servers over TLS, trusted only where it is given.
import SystemPackage

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
