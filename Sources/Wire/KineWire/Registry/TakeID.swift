// The ids of takes: short enough to type, and without letters that look alike.

/// Eight random characters of Crockford's base 32 (https://www.crockford.com/base32.html), lower case: the first two or three
/// already tell takes apart.
public struct TakeID: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    private static let length = 8

    /// A new id.
    public static func random() -> TakeID {
        TakeID(unchecked: String((0..<length).map { _ in alphabet.randomElement() ?? "0" }))
    }

    /// Nil unless `text` is a whole id in lower case.
    public init?(_ text: String) {
        guard text.count == Self.length, text.allSatisfy(Self.alphabet.contains) else { return nil }
        description = text
    }

    private init(unchecked text: String) { description = text }

    /// Whether `typed` can mean this take: the id's beginning, in either case, with `o` read as 0 and `i` and `l` as 1.
    public func hasPrefix(_ typed: String) -> Bool {
        let canonical = typed.lowercased().map { (letter: Character) -> Character in
            switch letter {
            case "o": "0"
            case "i", "l": "1"
            default: letter
            }
        }
        return !canonical.isEmpty && description.hasPrefix(String(canonical))
    }
}
