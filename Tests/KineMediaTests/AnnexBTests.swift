// Access units behind start codes and behind lengths.
import CoreTesting
import KineMedia
import Testing

@Suite struct AnnexBTests {
    private func prefixed(_ units: [UInt8]...) -> [UInt8] {
        units.flatMap { [0, 0, UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 }
    }

    @Test func `each length becomes a start code, and the other way round`() throws {
        let unit = prefixed([9, 0xF0], [0x65, 0x88, 0, 0, 3, 1])
        let stream: [UInt8] = [0, 0, 0, 1, 9, 0xF0, 0, 0, 0, 1, 0x65, 0x88, 0, 0, 3, 1]
        #expect(try AnnexB.bytes(from: unit) == stream)
        #expect(try AnnexB.lengthPrefixed(stream) == unit)
    }

    @Test func `parameter sets go in front of a keyframe`() throws {
        let sets = H264ParameterSets(sequence: [0x67, 100], picture: [0x68, 0xEE])
        #expect(
            try AnnexB.bytes(from: prefixed([0x65, 1]), prepending: sets)
                == [0, 0, 0, 1, 0x67, 100, 0, 0, 0, 1, 0x68, 0xEE, 0, 0, 0, 1, 0x65, 1])
        for damaged: [UInt8] in [[], [0x67, 0], [0x67, 0, 0, 1, 5]] {
            #expect(throws: AnnexB.Error.parameterSet) {
                try AnnexB.bytes(
                    from: prefixed([0x65, 1]), prepending: H264ParameterSets(sequence: [0x67], picture: damaged))
            }
        }
    }

    @Test func `start codes have three or four bytes, and zeros may stand around them`() throws {
        for stream: [UInt8] in [
            [0, 0, 1, 0x65, 1, 0, 0, 1, 0x41, 2], [0, 0, 0, 0, 0, 1, 0x65, 1, 0, 0, 0, 0, 1, 0x41, 2, 0],
            [0, 0, 1, 0x65, 1, 0, 0, 0, 1, 0x41, 2, 0, 0, 0, 0],
        ] {
            #expect(try AnnexB.lengthPrefixed(stream) == prefixed([0x65, 1], [0x41, 2]))
        }
    }

    @Test func `an emulation prevention byte stays where it is`() throws {
        for byte: UInt8 in 0...3 {
            let unit = prefixed([0x65, 0, 0, 3, byte, 7])
            #expect(try AnnexB.lengthPrefixed(AnnexB.bytes(from: unit)) == unit)
        }
    }

    @Test func `bytes that are no access unit are an error that says where`() {
        let cases: [([UInt8], AnnexB.Error)] = [
            ([], .empty), ([0, 0, 0], .lengthBeyondEnd(offset: 0)), ([0, 0, 0, 0], .emptyUnit(offset: 0)),
            ([0, 0, 0, 1], .lengthBeyondEnd(offset: 0)), (prefixed([9, 1]) + [5], .lengthBeyondEnd(offset: 6)),
            ([0xFF, 0xFF, 0xFF, 0xFF, 1], .lengthBeyondEnd(offset: 0)),
            (prefixed([9, 1], []), .emptyUnit(offset: 6)), (prefixed([9, 0, 0, 1]), .startCodeInUnit(offset: 5)),
            (prefixed([9, 0, 0, 0, 5]), .startCodeInUnit(offset: 5)), (prefixed([9, 0]), .startCodeInUnit(offset: 5)),
        ]
        for (bytes, error) in cases { #expect(throws: error, "\(bytes)") { try AnnexB.bytes(from: bytes) } }
    }

    @Test func `bytes that are no stream are an error that says where`() {
        let cases: [([UInt8], AnnexB.Error)] = [
            ([], .empty), ([0, 0, 0, 0], .empty), ([5], .startCodeMissing(offset: 0)),
            ([0, 1, 9], .startCodeMissing(offset: 1)), ([0, 0, 2], .startCodeMissing(offset: 2)),
            ([0, 0, 1], .emptyUnit(offset: 3)), ([0, 0, 1, 0, 0, 1, 9], .emptyUnit(offset: 3)),
            ([0, 0, 1, 9, 1, 0, 0, 0, 5], .startCodeMissing(offset: 8)),
        ]
        for (bytes, error) in cases { #expect(throws: error, "\(bytes)") { try AnnexB.lengthPrefixed(bytes) } }
    }

    @Test func `whatever one direction makes comes back through the other`() throws {
        var generator = SeededGenerator()
        var (streams, units) = (0, 0)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ -> UInt8 in
                [0, 0, 0, 1, 2, 3, 9].randomElement(using: &generator) ?? 0
            }
            if let unit = try? AnnexB.lengthPrefixed([0, 0, 1] + bytes) {
                streams += 1
                #expect(try AnnexB.lengthPrefixed(AnnexB.bytes(from: unit)) == unit)
            }
            if let stream = try? AnnexB.bytes(from: [0, 0, 0] + bytes) {
                units += 1
                #expect(try AnnexB.lengthPrefixed(stream) == [0, 0, 0] + bytes)
            }
        }
        #expect(streams > 1000 && units > 100, "\(streams) and \(units)")
    }
}
