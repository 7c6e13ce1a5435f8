// Authentication with user and password. Adobe's and Limelight's servers request it in the description of a refused
// `connect`. Each answer follows the application's name in a new connection; three connections are needed in all.

/// The state of the authentication, kept from one connection to the next.
public struct PublisherAuthentication: Sendable, Hashable {
    public enum Demand: Sendable, Equatable {
        /// Reconnect with the new `suffix`.
        case again
        /// The server requests user and password, but there are none.
        case credentialsMissing
        /// User or password is wrong.
        case refused
        /// The refusal is unrelated to authentication.
        case none
    }

    private let user: String?
    private let password: String?
    private let application: String
    /// This side's part of the digest, eight hexadecimal digits, so that no answer can be reused.
    private let challenge: String
    /// The answer, appended to the application's name and to the server's address.
    public private(set) var suffix = ""
    private var attempts = 0

    public init(_ url: RTMPURL, challenge: UInt32) {
        user = url.user
        password = url.password
        application = url.application
        let digits = String(challenge, radix: 16)
        self.challenge = String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Reads the description of a refused `connect`, and computes the next answer.
    public mutating func refused(_ description: String) -> Demand {
        guard let kind = Kind.allCases.first(where: { description.contains("authmod=\($0.rawValue)") }) else {
            return .none
        }
        guard let user, let password else { return .credentialsMissing }
        for reason in ["authfailed", "nosuchuser"] where description.contains("reason=\(reason)") { return .refused }
        attempts += 1
        // The first refusal names the kind, the second brings the challenge; the third means that the answer was wrong.
        guard attempts <= 2 else { return .refused }
        let parameters = Self.parameters(description)
        guard description.contains("reason=needauth") else {
            guard attempts == 1 else { return .refused }
            suffix = "?authmod=\(kind.rawValue)&user=\(user)"
            return .again
        }
        answer(kind, user, password, parameters)
        return .again
    }

    private mutating func answer(_ kind: Kind, _ user: String, _ password: String, _ parameters: [String: String]) {
        switch kind {
        case .adobe:
            let salted = MD5.base64(user + (parameters["salt"] ?? "") + password)
            let given = parameters["opaque"] ?? parameters["challenge"] ?? ""
            suffix =
                "?authmod=adobe&user=\(user)&challenge=\(challenge)"
                + "&response=\(MD5.base64(salted + given + challenge))"
            if let opaque = parameters["opaque"] { suffix += "&opaque=\(opaque)" }
        case .limelight:
            let nonce = parameters["nonce"] ?? ""
            // Digest authentication (RFC 2617, section 3.2.2) with RTMP's names.
            let credentials = MD5.hexadecimal("\(user):live:\(password)")
            let instance = application.contains("/") ? "" : "/_definst_"
            let request = MD5.hexadecimal("publish:/\(application)\(instance)")
            let response = MD5.hexadecimal("\(credentials):\(nonce):00000001:\(challenge):auth:\(request)")
            suffix = "?authmod=llnw&user=\(user)&nonce=\(nonce)&cnonce=\(challenge)&nc=00000001&response=\(response)"
        }
    }

    private enum Kind: String, CaseIterable {
        case adobe
        case limelight = "llnw"
    }

    /// The pairs after the question mark. Values may contain "=": they are base 64.
    private static func parameters(_ description: String) -> [String: String] {
        guard let start = description.firstIndex(of: "?") else { return [:] }
        var result: [String: String] = [:]
        let words = description[start...].dropFirst().prefix { $0 != " " }
        for pair in words.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
        }
        return result
    }
}

extension PublisherAuthentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description without user, password and values derived from them.
    public var description: String { "PublisherAuthentication(…)" }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
