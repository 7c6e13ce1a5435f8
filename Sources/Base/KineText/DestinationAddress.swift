// The address of a destination, and the part of it that may be shown.

/// A URL as for `--to`. Only the scheme and the host are checked; the rest is for the service.
public struct DestinationAddress: Equatable, Sendable {
    /// The whole address, including secrets.
    public let text: String
    /// In lowercase.
    public let scheme: String
    /// Host, port and path without its last component. User name, password, last component (RTMP's stream key) and
    /// query are omitted, since they may be secrets.
    public let publicPart: String

    /// Whether `publicPart` omits something, most likely a stream key.
    public var holdsSecret: Bool { text.utf8.count != scheme.utf8.count + 3 + publicPart.utf8.count }

    /// The text of an address in two parts: a server with its application, and the stream key.
    public static func text(server: String, key: String) -> String {
        (server.hasSuffix("/") ? server : server + "/") + key
    }

    /// Nil if the text has no scheme and host (RFC 3986, section 3), or has blanks or unprintable characters.
    public init?(_ text: String) {
        // By code points: in a String, a slash with a combining accent is another character, and a key after that slash
        // would count as part of the host.
        let points = text.unicodeScalars
        guard text.isPrintable, !points.contains(where: \.properties.isWhitespace),
            let colon = points.firstIndex(of: ":"), points[colon...].starts(with: "://".unicodeScalars)
        else { return nil }
        let scheme = points[..<colon]
        guard scheme.first?.properties.isAlphabetic == true, scheme.allSatisfy(Self.mayBeInScheme) else { return nil }
        let rest = points[colon...].dropFirst(3).prefix { $0 != "?" }
        let authority = rest.prefix { $0 != "/" }
        // The last @ counts: a password may contain another unescaped @ or #.
        let afterLogin = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let host = afterLogin.prefix { $0 != "#" }
        guard !host.isEmpty, Self.hasNumericPort(host) else { return nil }
        self.text = text
        self.scheme = String(scheme).lowercased()
        let path = rest.dropFirst(authority.count).prefix { $0 != "#" }.split(separator: "/").dropLast()
        publicPart = ([host] + path).map { String($0) }.joined(separator: "/")
    }

    private static func mayBeInScheme(_ point: Unicode.Scalar) -> Bool {
        point.isASCII && (point.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains(point))
    }

    /// Whether the port, if there is one, is a number. If not, the text is a user name and the beginning of a password
    /// with an unescaped slash or question mark.
    private static func hasNumericPort(_ host: Substring.UnicodeScalarView) -> Bool {
        guard host.last != "]", let colon = host.lastIndex(of: ":") else { return true }
        return host[host.index(after: colon)...].allSatisfy { ("0"..."9").contains($0) }
    }
}
