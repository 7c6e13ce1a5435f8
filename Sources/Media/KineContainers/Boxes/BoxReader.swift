// Reads boxes from untrusted bytes: every read is checked against the end of its box.

/// A box ends too early, or its content is impossible.
struct MalformedBox: Error {}

/// A position in a run of bytes.
struct BoxReader {
    private let bytes: ArraySlice<UInt8>
    /// The index of the next byte in the array that the reader was made from.
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    var remaining: Int { bytes.endIndex - position }

    mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(MalformedBox) -> T {
        let size = T.bitWidth / 8
        guard remaining >= size else { throw MalformedBox() }
        var value: T = 0
        for index in position..<position + size { value = value << 8 | T(truncatingIfNeeded: bytes[index]) }
        position += size
        return value
    }

    /// A field with 64 bits in a version 1 box, with 32 in a version 0 box.
    mutating func integer(wide: Bool) throws(MalformedBox) -> UInt64 {
        wide ? try integer(UInt64.self) : UInt64(try integer(UInt32.self))
    }

    mutating func code() throws(MalformedBox) -> FourCharacterCode { FourCharacterCode(rawValue: try integer()) }

    mutating func skip(_ count: Int) throws(MalformedBox) {
        guard count >= 0, remaining >= count else { throw MalformedBox() }
        position += count
    }

    mutating func versionAndFlags() throws(MalformedBox) -> (version: UInt8, flags: UInt32) {
        let word = try integer(UInt32.self)
        return (UInt8(word >> 24), word & 0xff_ffff)
    }

    /// The remaining bytes.
    func rest() -> ArraySlice<UInt8> { bytes[position...] }

    /// The next box inside this one, without its header; nil at the end.
    mutating func nextBox() throws(MalformedBox) -> (type: FourCharacterCode, content: BoxReader)? {
        if remaining == 0 { return nil }
        let start = position
        let size = Int(try integer(UInt32.self))
        let type = try code()
        guard size >= 8, bytes.endIndex - start >= size else { throw MalformedBox() }
        position = start + size
        return (type, BoxReader(bytes[start + 8..<start + size]))
    }

    func first(_ type: FourCharacterCode) throws(MalformedBox) -> BoxReader? {
        var reader = self
        while let box = try reader.nextBox() {
            if box.type == type { return box.content }
        }
        return nil
    }

    /// The box at the end of a path of types.
    func box(_ path: FourCharacterCode...) throws(MalformedBox) -> BoxReader {
        var reader = self
        for type in path {
            guard let inner = try reader.first(type) else { throw MalformedBox() }
            reader = inner
        }
        return reader
    }

    /// All boxes of that type inside this one.
    func all(_ type: FourCharacterCode) throws(MalformedBox) -> [BoxReader] {
        var reader = self
        var found: [BoxReader] = []
        while let box = try reader.nextBox() {
            if box.type == type { found.append(box.content) }
        }
        return found
    }
}
