// The host that a request names.

/// Reads a Host header (RFC 9110, section 7.2).
package enum HostName {
    /// The host in `host:port`, in lowercase, without brackets and without a final dot.
    package static func parse(_ host: String) -> String? {
        let lower = host.lowercased()
        if lower.hasPrefix("[") {
            guard let end = lower.firstIndex(of: "]") else { return nil }
            let rest = lower[lower.index(after: end)...]
            guard rest.isEmpty || isPort(rest) else { return nil }
            return String(lower[lower.index(after: lower.startIndex)..<end])
        }
        let name = lower.prefix { $0 != ":" }
        let rest = lower[name.endIndex...]
        guard !name.isEmpty, rest.isEmpty || isPort(rest) else { return nil }
        return String(name.last == "." ? name.dropLast() : name)
    }

    /// Host and port for a message; nil if unsafe, since the client chooses their characters.
    package static func presentable(_ host: String) -> String? {
        let isHarmless =
            host.utf8.count <= 80
            && host.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || ".-:[]".utf8.contains($0)
            }
        return isHarmless && parse(host)?.isEmpty == false ? host.lowercased() : nil
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.first == ":" && text.count > 1 && text.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// Whether this is an IPv4 address in four decimal parts, or has the colons of an IPv6 address.
    package static func isAddress(_ name: String) -> Bool {
        if name.contains(":") { return name.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." || $0 == "%" } }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.allSatisfy(\.isNumber) }
    }
}
