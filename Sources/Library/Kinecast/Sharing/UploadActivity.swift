// Uploads a recording with an HTTP PUT through the program curl: it supports proxies, certificates and all HTTP
// versions, and an app that never uploads loads nothing for it.
import FoundationEssentials
import KinePlatform

/// Uploads the recording to an address with HTTP PUT, as object stores and WebDAV servers accept it.
///
/// Only over HTTPS, or to this machine. The address and the headers may hold secrets: no other process can read them,
/// and no error contains them.
public struct UploadActivity: ShareActivity {
    public let type = ShareActivityType.upload
    public let title = "Upload"
    private let address: URL
    private let headers: [String: String]
    /// A file of certificates to trust instead of the system's.
    var certificates: String?

    /// - Parameters:
    ///   - address: the URL of the new file; http only on this machine.
    ///   - headers: for the request, in addition to HTTP's own: `["Authorization": "Bearer …"]`.
    public init(to address: URL, headers: [String: String] = [:]) {
        self.address = address
        self.headers = headers
    }

    public func perform(
        with recording: SharedRecording, progress: @escaping @Sendable (ShareProgress) -> Void
    ) async throws -> URL? {
        let host = try checkedHost()
        let upload = CurlUpload(
            host: host, file: recording.url.path, byteCount: recording.byteCount,
            options: try options(file: recording.url.path))
        let cancellation = Cancellation()
        try Task.checkCancellation()
        let isComplete = try await BlockingCall.run("kine-upload") { () throws(RecordingError) in
            try upload.run(cancellation, progress: progress)
        } onCancel: {
            cancellation.cancel()
        }
        guard isComplete else { throw CancellationError() }
        return address
    }

    /// The address's host. Throws if the recording would cross a network unencrypted.
    private func checkedHost() throws(RecordingError) -> String {
        guard let host = address.host, !host.isEmpty else {
            throw RecordingError(.failedToShare, "The address to upload to has no host; correct it.")
        }
        switch address.scheme?.lowercased() {
        case "https": return host
        case "http" where Self.isLoopback(host): return host
        case "http":
            throw RecordingError(.failedToShare, "\(host) would get the recording unencrypted; use an https address.")
        default:
            throw RecordingError(.failedToShare, "The address of \(host) is not one of HTTP; use an https address.")
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return ["localhost", "::1", "[::1]"].contains(host.lowercased())
            || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// curl's configuration (curl(1), -K).
    private func options(file: String) throws(RecordingError) -> [(name: String, value: String?)] {
        var options: [(name: String, value: String?)] = [
            ("url", address.absoluteString), ("upload-file", file), ("globoff", nil), ("proto", "=http,https"),
            ("progress-bar", nil), ("show-error", nil), ("output", "/dev/null"), ("write-out", "%{http_code}"),
            // A server that accepts nothing for a minute is gone.
            ("connect-timeout", "30"), ("speed-limit", "1"), ("speed-time", "60"),
        ]
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") }),
                value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
            else {
                throw RecordingError(.failedToShare, "A header of the upload has characters that HTTP forbids.")
            }
            // curl leaves out a header without a value, unless a semicolon ends it.
            options.append(("header", value.isEmpty ? "\(name);" : "\(name): \(value)"))
        }
        if let certificates { options.append(("cacert", certificates)) }
        return options
    }
}

extension ShareActivity where Self == UploadActivity {
    /// Uploads the recording with an HTTP PUT to that address.
    public static func upload(to address: URL, headers: [String: String] = [:]) -> UploadActivity {
        UploadActivity(to: address, headers: headers)
    }
}
