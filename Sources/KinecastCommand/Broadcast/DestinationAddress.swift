// The address of a destination, and what of it a person may see.
import KinePlatform

/// A URL as `--to` takes it. Only its scheme and host are looked at; the rest is the service's.
struct DestinationAddress: Equatable {
    /// All of it, secrets included.
    let text: String
    /// In small letters.
    let scheme: String
    /// Host, port and all of the path but its last part: the user's name and password, the stream's key (RTMP's last path
    /// component) and a query may be secrets, and are left out.
    let publicPart: String

    /// Something of it is left out of what a person may see: most likely a stream's key.
    var holdsSecret: Bool { text.utf8.count != scheme.utf8.count + 3 + publicPart.utf8.count }

    /// Nil where the text has no scheme and host (RFC 3986, section 3), or what no address has: blanks, and characters that
    /// cannot be shown.
    init?(_ text: String) {
        // By code points: in a String, a slash and the accent behind it are one character, and the key behind that would
        // count as part of the host.
        let points = text.unicodeScalars
        guard text.isPrintable, !points.contains(where: \.properties.isWhitespace),
            let colon = points.firstIndex(of: ":"), points[colon...].starts(with: "://".unicodeScalars)
        else { return nil }
        let scheme = points[..<colon]
        guard scheme.first?.properties.isAlphabetic == true, scheme.allSatisfy(Self.mayBeInScheme) else { return nil }
        let rest = points[colon...].dropFirst(3).prefix { $0 != "?" }
        let authority = rest.prefix { $0 != "/" }
        // The last @: a password may hold one that should have been escaped, or what begins a fragment.
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

    /// Otherwise it is the beginning of a user name and password that hold a slash or a question mark, which should have been
    /// written as %2F or %3F.
    private static func hasNumericPort(_ host: Substring.UnicodeScalarView) -> Bool {
        guard host.last != "]", let colon = host.lastIndex(of: ":") else { return true }
        return host[host.index(after: colon)...].allSatisfy { ("0"..."9").contains($0) }
    }
}
