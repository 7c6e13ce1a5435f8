// The query of a request. Pure.

/// The parameters of a target's query (RFC 3986, section 3.4): `NAME=VALUE`, with `&` between them.
///
/// Strict, so that a cache in front of the server keeps one answer for one meaning: each name once, names and values not
/// empty, of unreserved characters alone (section 2.3), and without escapes.
public struct RequestQuery: Equatable, Sendable {
    /// The most bytes of a query.
    package static let byteLimit = 256
    package static let parameterLimit = 8

    /// The values by their names.
    public let parameters: [String: String]

    /// The query of a target that has none.
    public init() { parameters = [:] }

    /// Nil for text that is no such query. Empty text has no parameters.
    /// - Parameter text: what follows the question mark.
    package init?(_ text: Substring) {
        guard text.utf8.count <= Self.byteLimit else { return nil }
        let pairs: [Substring] = text.isEmpty ? [] : text.split(separator: "&", omittingEmptySubsequences: false)
        guard pairs.count <= Self.parameterLimit else { return nil }
        var parameters: [String: String] = [:]
        for pair in pairs {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy(Self.isUnreserved),
                parameters.updateValue(String(parts[1]), forKey: String(parts[0])) == nil
            else { return nil }
        }
        self.parameters = parameters
    }

    private static func isUnreserved(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (byte: UInt8) in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-._~".utf8.contains(byte)
            }
    }
}
