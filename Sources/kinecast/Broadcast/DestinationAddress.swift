// The address of a destination, and what of it a person may see.

/// A URL as `--to` takes it. Only its scheme and host are looked at; the rest is the service's.
struct DestinationAddress: Equatable {
    /// All of it, secrets included.
    let text: String
    /// In small letters.
    let scheme: String
    /// Host, port and all of the path but its last part: the user's name and password, the stream's key (RTMP's last path
    /// component) and a query may be secrets, and are left out.
    let publicPart: String

    /// Nil where the text has no scheme and host (RFC 3986, section 3).
    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        let scheme = text[..<colon].lowercased()
        guard scheme.first?.isLetter == true,
            scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return nil }
        let rest = text[colon...].dropFirst(3).prefix { $0 != "?" }
        let authority = rest.prefix { $0 != "/" }
        // The last @: a password may hold one that should have been escaped, or what begins a fragment.
        let afterLogin = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let host = afterLogin.prefix { $0 != "#" }
        guard !host.isEmpty, text.allSatisfy({ !$0.isWhitespace }), Self.hasNumericPort(host) else { return nil }
        self.text = text
        self.scheme = scheme
        let path = rest.dropFirst(authority.count).prefix { $0 != "#" }.split(separator: "/").dropLast()
        publicPart = ([host] + path).joined(separator: "/")
    }

    /// Else it is a user and a password that the login's end was not found of: they hold a slash or a question mark, which is
    /// written %2F or %3F there.
    private static func hasNumericPort(_ host: Substring) -> Bool {
        guard !host.hasSuffix("]"), let colon = host.lastIndex(of: ":") else { return true }
        return host[host.index(after: colon)...].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
