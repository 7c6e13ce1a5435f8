// The address of a server as a person writes it: one grammar for the command line's option and the setting.

/// An address of this machine and a port: `8080`, `ADDRESS`, `:8080`, `ADDRESS:8080`, `[::1]` or `[::1]:8080`.
///
/// A port alone listens on this machine only; an address alone takes any free port.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// An address or a name in lower case, without brackets.
    public let host: String
    /// 0: any free port.
    public let port: Int

    /// The default: only this machine can connect.
    public static let standard = ListenAddress(host: "127.0.0.1", port: 0)

    private init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Nil if the text is not an address. Empty text is `standard`.
    public init?(_ text: String) {
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            // An IPv6 address has colons of its own, so it stands in brackets (RFC 3986, section 3.2.2).
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || ":.%".contains($0) }) else { return nil }
        } else if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            host = ""
            rest = ":\(text)"
        } else {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
        }
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else { return nil }
        self.host = host.isEmpty ? Self.standard.host : host.lowercased()
        if rest.isEmpty {
            port = 0
        } else {
            let digits = rest.dropFirst()
            guard rest.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits)
            else { return nil }
            self.port = Int(port)
        }
    }

    /// Whether the server listens on every address of the machine.
    public var isEverywhere: Bool { host == "0.0.0.0" || host == "::" }

    /// Whether only this machine can connect.
    public var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// Whether the host needs a name server, which may take long. `localhost` does not.
    public var isName: Bool {
        if host == "localhost" || host.contains(":") { return false }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count != 4
            || !parts.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy { $0 < 0x3A && $0 > 0x2F } }
    }

    /// In the form that `init(_:)` reads.
    public var description: String { Self.description(host: host, port: port) }

    /// - Parameter host: without brackets.
    public static func description(host: String, port: Int) -> String {
        "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
