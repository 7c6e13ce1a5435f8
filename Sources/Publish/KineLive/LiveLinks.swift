// The links to a live page. The page's link has its token after a #, which browsers do not send: no request, log or
// Referer contains the token. A player's link has its own token in the path, since players accept only a plain address.

/// The links for watching a broadcast.
public struct LiveLinks: Sendable, Equatable {
    /// `http://HOST:PORT/#TOKEN`.
    public let page: String
    /// `http://HOST:PORT/TOKEN/live.mp4`; nil if none was requested.
    public let player: String?

    /// - Parameter base: ends with a slash.
    package init(base: String, token: LiveToken, playerToken: LiveToken?) {
        page = "\(base)#\(token)"
        player = playerToken.map { "\(base)\($0)/\(RequestGate.Resource.movie.rawValue)" }
    }

    /// Port and token of a page's link; nil for other text. The port is nil if the link has none.
    package static func parse(page: String) -> (port: Int?, token: LiveToken)? {
        guard let hash = page.lastIndex(of: "#"), let url = PublicURL(String(page[..<hash])),
            let token = LiveToken(page[page.index(after: hash)...])
        else { return nil }
        let port = url.authority.lastIndex(of: ":").flatMap { Int(url.authority[url.authority.index(after: $0)...]) }
        return (port.flatMap { (1...65535).contains($0) ? $0 : nil }, token)
    }

    /// The token of a page's link; nil for other text. For fuzzing.
    public static func token(inPage link: String) -> LiveToken? { parse(page: link)?.token }

    /// The token of a player's link; nil for other text.
    package static func parse(player: String) -> LiveToken? {
        let parts = player.split(separator: "/")
        guard parts.count >= 4, parts.last.map(String.init) == RequestGate.Resource.movie.rawValue else { return nil }
        return LiveToken(parts[parts.count - 2])
    }
}

/// 128 random bits as 32 hexadecimal digits.
///
/// The secret in a live link: anyone with the link can watch, but the link cannot be guessed.
public struct LiveToken: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    private static let digits = 32

    /// Makes a new token from the system's random numbers.
    public init() {
        var random = SystemRandomNumberGenerator()
        description = (0..<Self.digits).map { _ in String(UInt8.random(in: 0..<16, using: &random), radix: 16) }
            .joined()
    }

    /// Reads a token; nil for other text.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.digits,
            text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        description = String(text)
    }

    /// Compares in a time that does not depend on the position of a difference.
    public func matches(_ text: some StringProtocol) -> Bool {
        let own = Array(description.utf8)
        let other = Array(text.utf8)
        guard own.count == other.count else { return false }
        return zip(own, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// `http://` or `https://`, a host, and possibly a port and a path; without a query, a fragment or a login.
package struct PublicURL: Sendable, Equatable, CustomStringConvertible {
    package let isEncrypted: Bool
    /// The host in lowercase, without brackets.
    package let host: String
    /// Host and port as in an Origin header: in lowercase, without the scheme's default port.
    package let authority: String
    /// Begins and ends with a slash.
    package let path: String

    /// Nil if the text is not such an address.
    package init?(_ text: String) {
        let scheme = text.prefix { $0 != ":" }
        let colon = text[scheme.endIndex...]
        switch scheme.lowercased() {
        case "http" where colon.hasPrefix("://"): isEncrypted = false
        case "https" where colon.hasPrefix("://"): isEncrypted = true
        default: return nil
        }
        let rest = colon.dropFirst(3)
        let typed = rest.prefix { $0 != "/" }.lowercased()
        let path = String(rest.dropFirst(typed.count))
        // The characters of a path (RFC 3986, section 3.3), except those that begin a query, a fragment or a login.
        let isPlain = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~!$&'()*+,;=:%/".utf8.contains(byte)
        }
        guard path.utf8.allSatisfy(isPlain), !path.contains("//"), typed.utf8.count <= 255,
            typed.utf8.allSatisfy({ isPlain($0) || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }),
            let host = RequestGate.name(in: typed), !host.isEmpty
        else { return nil }
        self.host = host
        let ownPort = isEncrypted ? ":443" : ":80"
        authority = typed.hasSuffix(ownPort) ? String(typed.dropLast(ownPort.count)) : typed
        self.path = path.hasSuffix("/") ? path : path + "/"
    }

    /// The address as in an Origin header (RFC 6454, section 7).
    package var origin: String { "http\(isEncrypted ? "s" : "")://\(authority)" }

    package var description: String { origin + path }
}
