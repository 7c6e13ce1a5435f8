// The pattern that a setting's text has to match. A shell pattern instead of a regular expression: for any pattern,
// matching takes at most the text's length times the pattern's.

/// `*` stands for any text, `?` for one character, `[a-z_]` for one of those, `[!a-z]` for one of all others.
public struct SetupPattern: Sendable, Equatable {
    private enum Part: Sendable, Equatable {
        case anything
        case one(CharacterSet)
    }

    private struct CharacterSet: Sendable, Equatable {
        var ranges: [ClosedRange<Unicode.Scalar>]
        var isInverted = false

        func contains(_ scalar: Unicode.Scalar) -> Bool { ranges.contains { $0.contains(scalar) } != isInverted }

        static let all = CharacterSet(ranges: [], isInverted: true)
    }

    /// The most characters of a pattern.
    static let limit = 200

    /// The pattern as written.
    public let text: String
    private let parts: [Part]

    /// Nil if a bracket is not closed, is empty or has a descending range, or if the pattern is too long.
    public init?(_ text: String) {
        guard !text.isEmpty, text.unicodeScalars.count <= Self.limit else { return nil }
        var parts: [Part] = []
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*": if parts.last != .anything { parts.append(.anything) }
            case "?": parts.append(.one(.all))
            case "[":
                guard let set = Self.readSet(&rest) else { return nil }
                parts.append(.one(set))
            default: parts.append(.one(CharacterSet(ranges: [scalar...scalar])))
            }
        }
        self.text = text
        self.parts = parts
    }

    /// Reads up to and including the closing bracket.
    private static func readSet(_ rest: inout Substring.UnicodeScalarView) -> CharacterSet? {
        var set = CharacterSet(ranges: [])
        if rest.first == "!" {
            rest.removeFirst()
            set.isInverted = true
        }
        while let first = rest.popFirst() {
            // A bracket in the first place stands for itself.
            if first == "]", !set.ranges.isEmpty { return set }
            var last = first
            if rest.first == "-", let end = rest.dropFirst().first, end != "]" {
                rest.removeFirst(2)
                last = end
            }
            guard first <= last else { return nil }
            set.ranges.append(first...last)
        }
        return nil
    }

    /// Whether the whole text matches. Only the last `*` is retried: at most the product of both lengths.
    public func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var (place, part) = (0, 0)
        var retry: (place: Int, part: Int)?
        while place < scalars.count {
            if part < parts.count, case .one(let set) = parts[part], set.contains(scalars[place]) {
                (place, part) = (place + 1, part + 1)
            } else if part < parts.count, parts[part] == .anything {
                part += 1
                retry = (place, part)
            } else if let last = retry {
                (place, part) = (last.place + 1, last.part)
                retry = (place, part)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { $0 == .anything }
    }
}
