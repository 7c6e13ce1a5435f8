// AMF0, both ways, and what is refused of it.
import KineRTMP
import Testing

@Suite struct AMF0Tests {
    static let everyType: [AMF0Value] = [
        .number(-1.5), .boolean(true), .boolean(false), .string(""), .string("live ✓"), .null,
        .string(String(repeating: "x", count: 70_000)),
        .object([.init("a", .number(1)), .init("", .string("empty name")), .init("o", .object([]))]),
        .ecmaArray([.init("width", .number(1280))]), .strictArray([.string("hvc1"), .null, .strictArray([])]),
    ]

    @Test func `every type comes back as it was sent`() throws {
        #expect(try AMF0Decoder.decode(AMF0Encoder.encode(Self.everyType)) == Self.everyType)
    }

    @Test func `bytes are those of the specification`() {
        #expect(AMF0Encoder.encode([.number(1)]) == [0, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0])
        #expect(AMF0Encoder.encode([.string("ab")]) == [2, 0, 2, 0x61, 0x62])
        #expect(AMF0Encoder.encode([.object([.init("a", .boolean(true))])]) == [3, 0, 1, 0x61, 1, 1, 0, 0, 9])
        #expect(AMF0Encoder.encode([.ecmaArray([.init("a", .null)])]) == [8, 0, 0, 0, 1, 0, 1, 0x61, 5, 0, 0, 9])
    }

    @Test func `types that commands have no use for are read as the nearest one`() throws {
        let one: [UInt8] = [0, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0]
        #expect(try AMF0Decoder.decode([6]) == [.null])
        #expect(try AMF0Decoder.decode([0x0D]) == [.null])
        #expect(try AMF0Decoder.decode([0x0F, 0, 0, 0, 1, 0x61]) == [.string("a")])
        #expect(try AMF0Decoder.decode([0x0B] + one.dropFirst() + [0, 0]) == [.number(1)])
        let typed: [UInt8] = [0x10, 0, 1, 0x50, 0, 1, 0x78] + one + [0, 0, 9]
        #expect(try AMF0Decoder.decode(typed) == [.object([.init("x", .number(1))])])
        for bytes in [[0x0F, 0, 0, 0, 1, 0x61], [0x0B] + one.dropFirst() + [0, 0], typed] as [[UInt8]] {
            for length in 1..<bytes.count {
                #expect(throws: AMF0Decoder.Error.truncated) { try AMF0Decoder.decode(bytes.prefix(length)) }
            }
        }
    }

    @Test func `a reference is the value that it points at`() throws {
        // An array of an object and a reference to that object, which is the second complex value.
        let bytes: [UInt8] = [0x0A, 0, 0, 0, 2, 3, 0, 1, 0x61, 5, 0, 0, 9, 7, 0, 1]
        let object = AMF0Value.object([.init("a", .null)])
        #expect(try AMF0Decoder.decode(bytes) == [.strictArray([object, object])])
    }

    @Test func `a reference to an unfinished value is refused`() {
        #expect(throws: AMF0Decoder.Error.badReference(0)) {
            try AMF0Decoder.decode([0x0A, 0, 0, 0, 1, 7, 0, 0])
        }
    }

    @Test func `references cannot make a small message huge`() {
        // Each array holds the one before twice: 2^20 values out of a few hundred bytes.
        var bytes: [UInt8] = [0x0A, 0, 0, 0, 0]
        for index in 0..<20 {
            let index = UInt8(index)
            bytes += [0x0A, 0, 0, 0, 2, 7, 0, index, 7, 0, index]
        }
        #expect(throws: AMF0Decoder.Error.tooManyValues) { try AMF0Decoder.decode(bytes) }
    }

    @Test func `references cannot make a message deep`() {
        var bytes: [UInt8] = [0x0A, 0, 0, 0, 0]
        for index in 0..<40 { bytes += [0x0A, 0, 0, 0, 1, 7, 0, UInt8(index)] }
        #expect(throws: AMF0Decoder.Error.tooDeep) { try AMF0Decoder.decode(bytes) }
    }

    @Test func `nesting is limited`() {
        let nested = [UInt8](repeating: 0, count: 100).flatMap { _ -> [UInt8] in [0x0A, 0, 0, 0, 1] }
        #expect(throws: AMF0Decoder.Error.tooDeep) { try AMF0Decoder.decode(nested) }
    }

    @Test func `a value that is cut anywhere is refused`() throws {
        for value in Self.everyType {
            let bytes = AMF0Encoder.encode([value])
            for length in stride(from: 1, to: min(bytes.count, 200), by: 1) {
                #expect(throws: AMF0Decoder.Error.truncated) { try AMF0Decoder.decode(bytes.prefix(length)) }
            }
        }
    }

    @Test func `a wrong length reserves no memory`() {
        #expect(throws: AMF0Decoder.Error.tooManyValues) { try AMF0Decoder.decode([0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 5]) }
        #expect(throws: AMF0Decoder.Error.truncated) { try AMF0Decoder.decode([0x0C, 0xFF, 0xFF, 0xFF, 0xFF, 5]) }
    }
}
