// Random names, as in links.

/// 128 random bits as 32 hexadecimal digits.
///
/// Nobody can guess it. It is the secret in a live page's link, and the studio's ids of sheets and jobs.
public struct RandomToken: Hashable, Sendable, CustomStringConvertible {
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
