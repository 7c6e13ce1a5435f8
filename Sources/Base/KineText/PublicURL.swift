// The address of a server as others reach it, perhaps by a proxy.

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
            let host = HostName.parse(typed), !host.isEmpty
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
