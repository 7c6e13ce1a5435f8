// The four-letter names of ISO/IEC 14496-12: box types, brands, handlers.

/// Four ASCII letters as one big-endian integer.
struct FourCharacterCode: Hashable, Sendable, ExpressibleByStringLiteral {
    var rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(stringLiteral value: StaticString) {
        rawValue = value.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }
}
