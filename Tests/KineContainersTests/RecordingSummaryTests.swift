// What a list shows of a recording, and how little is read for it.
import KineMedia
import Testing

@testable import KineContainers

@Suite struct RecordingSummaryTests {
    private static func bytes(seconds: Double, audio: Bool = true, finishing: Bool = true) throws -> [UInt8] {
        let file = MemoryFile()
        try SyntheticTake(seed: 7, seconds: seconds, audio: audio ? [SyntheticTake.audio(.audioApp)] : [])
            .write(to: file, finishing: finishing)
        return file.bytes
    }

    @Test(arguments: [true, false])
    func `the duration and the size are those of the index, and a long recording costs as much as a short one`(
        audio: Bool
    ) throws {
        var costs: Set<Int> = []
        for seconds in [4.0, 200] {
            let bytes = try Self.bytes(seconds: seconds, audio: audio)
            let file = SparseFile(bytes, size: Int64(bytes.count))
            let index = try RecordingIndex(reading: SparseFile(bytes, size: Int64(bytes.count)))
            let summary = try RecordingSummary(of: file)
            #expect(summary == .finished(.init(duration: index.duration, size: index.size, hasAudio: audio)))
            costs.insert(file.bytesRead)
        }
        #expect(costs.count == 1 && costs.max() ?? .max < 2000, "\(costs)")
    }

    @Test func `a recording that is cut off is unfinished, and without a frame empty`() throws {
        let whole = try Self.bytes(seconds: 4)
        let left = try Self.bytes(seconds: 4, finishing: false)
        for (bytes, wanted) in [
            (left, RecordingSummary.unfinished), (Array(left.dropLast(left.count / 2)), .unfinished),
            (Array(whole.dropLast()), .unfinished), (Array(left.prefix(100)), .empty), ([], .empty),
        ] {
            #expect(try RecordingSummary(of: SparseFile(bytes, size: Int64(bytes.count))) == wanted)
        }
        #expect(try RecordingSummary(of: SparseFile(Array("no film, but text".utf8), size: 60)) == .foreign)
    }

    @Test func `damage in the index is no crash`() throws {
        let whole = try Self.bytes(seconds: 4)
        for offset in stride(from: 0, to: whole.count, by: 3) {
            var bytes = whole
            bytes[offset] ^= 0xff
            _ = try RecordingSummary(of: SparseFile(bytes, size: Int64(bytes.count)))
        }
    }
}
