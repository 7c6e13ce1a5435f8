// An input read as a list of steps, for the targets that drive a machine instead of reading a format.

/// Numbers and decisions out of an input.
public struct Script {
    private var rest: ArraySlice<UInt8>

    public init(_ bytes: [UInt8]) { rest = bytes[...] }

    public mutating func byte() -> UInt8? { rest.popFirst() }

    /// A number that is often small, often large, and sometimes neither.
    public mutating func number() -> UInt64? {
        guard let kind = byte() else { return nil }
        switch kind >> 6 {
        case 0: return UInt64(kind & 63)
        case 1: return UInt64(kind & 63) << 8 | UInt64(byte() ?? 0)
        case 2: return UInt64.max - UInt64(kind & 63)
        default: return (0..<8).reduce(0) { value, _ in value << 8 | UInt64(byte() ?? 0) }
        }
    }
}
