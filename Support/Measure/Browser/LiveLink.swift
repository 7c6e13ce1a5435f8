// The link to a live page, taken apart.

/// `http://HOST:PORT/#TOKEN`.
public struct LiveLink: Sendable {
    /// What is in front of the #.
    public let base: String
    public let token: String

    /// Nil where there is no token.
    public init?(_ link: some StringProtocol) {
        let parts = link.split(separator: "#", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix("http"), !parts[1].isEmpty else { return nil }
        base = String(parts[0])
        token = String(parts[1])
    }

    /// The page played in one way: `webcodecs` or `mse`.
    public func playing(_ way: String) -> String { "\(base)?play=\(way)#\(token)" }
}
