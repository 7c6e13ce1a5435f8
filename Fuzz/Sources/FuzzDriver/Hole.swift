// A hole in an input: a file in which a damaged count finds zeros that no disk holds.

/// Bytes of a file with zeros between them.
public struct Hole {
    public let before: [UInt8]
    public let after: [UInt8]
    /// The bytes of the hole.
    public let length: Int64

    /// The last bytes of an input with a hole, behind its place, four bytes, and the power of two that is its length.
    private static let mark = Array("hole".utf8)
    /// Recovery may read a hole a few times, where a file system does not know of it.
    private static let longest: UInt8 = 26

    /// Nil for an input without a hole.
    public init?(in input: [UInt8]) {
        let start = input.count - 5 - Self.mark.count
        guard start >= 0, input.suffix(Self.mark.count) == Self.mark[...] else { return nil }
        let place = input[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        before = Array(input[..<min(place, start)])
        after = Array(input[min(place, start)..<start])
        length = 1 << Int64(input[start + 4] % (Self.longest + 1))
    }
}
