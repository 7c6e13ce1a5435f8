// Damaged and made-up files whose counts are larger than the bytes that are there: most of them are holes.
import CoreTesting
import KineMedia
import Testing

@testable import KineContainers

@Suite struct IndexBoundTests {
    /// One fragment, and so one chunk of each track.
    private static let take = SyntheticTake(seed: 11, seconds: 0.3, audio: [SyntheticTake.audio(.audioApp)])
    /// Bytes; a multiple of every table's entry.
    private static let hole = 48 << 20

    /// A finished file with a hole at the end of a box, which the count of that box's entries includes.
    private static func grown(_ type: String, countAt: Int?, entry: Int) throws -> SparseFile {
        let file = MemoryFile()
        try take.write(to: file)
        var bytes = file.bytes
        let all = try OracleBox.parse(bytes, 0..<bytes.count)
        var path = try [#require(all.first { $0.type == "moov" })]
        for type in type == "mvhd" ? [type] : ["trak", "mdia", "minf", "stbl", type] {
            path.append(try path[path.count - 1].child(type))
        }
        func add(_ more: Int, at place: Int) throws {
            let sum = UInt32(try bytes.number(at: place, 4) + more)
            withUnsafeBytes(of: sum.bigEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
        }
        for box in path { try add(hole, at: box.offset) }
        let table = path[path.count - 1]
        if let countAt { try add(hole / entry, at: table.content.lowerBound + countAt) }
        if type == "stsz" {
            try add(hole / entry, at: path[path.count - 2].child("stsc").content.lowerBound + 12)
        }
        let end = table.offset + table.size
        return try SparseFile(Array(bytes[..<end]), hole: Int64(hole), Array(bytes[end...]))
    }

    @Test(
        arguments: [
            ("stsz", 8, 4), ("stts", 4, 8), ("stss", 4, 4), ("stsc", 4, 12), ("stco", 4, 4), ("stsd", nil, 1),
            ("mvhd", nil, 1),
        ] as [(String, Int?, Int)])
    func `an index with a hole is refused before more than a piece of it is in memory`(
        type: String, countAt: Int?, entry: Int
    ) throws {
        for read in [
            { try _ = RecordingIndex(reading: $0) }, { _ = try MP4FastStart.plan(for: $0) },
        ] as [(SparseFile) throws -> Void] {
            let file = try Self.grown(type, countAt: countAt, entry: entry)
            #expect(throws: MP4FastStart.Error.notARecording(path: file.path)) { try read(file) }
            #expect(file.largestRead <= 1 << 20 && file.bytesRead <= 1 << 20, "\(file.bytesRead)")
        }
        // The fragments are still there.
        let file = try Self.grown(type, countAt: countAt, entry: entry)
        let recovered = try MP4Recovery.recover(file)
        #expect(recovered.frames == Self.take.samples[0].count && !recovered.wasAlreadyFinished)
        #expect(file.largestRead <= 8 << 20)
    }

    @Test func `samples without bytes are neither written nor recovered`() throws {
        var take = Self.take
        let empty = EncodedSample(
            type: .video, presentationTime: .zero, duration: .zero, isKeyframe: false, data: [])
        take.steps.insert(.sample(empty), at: 1)
        let file = MemoryFile()
        try take.write(to: file, finishing: false)
        let count = 100_000
        let track = MovieDescription(creationTime: 0, video: SyntheticTake.video, audio: take.audio).tracks[1]
        var writer = BoxWriter()
        writer.movieFragment(sequenceNumber: 999) {
            let size = MovieFragment.emptySize + MovieFragment.runSize(of: track, sampleCount: count)
            $0.trackRun(of: track, start: 1 << 30, sampleCount: count, dataOffset: size + 8) {
                for _ in 0..<count { $0.runSample(of: track, duration: 0, size: 0, isSync: true) }
            }
        }
        writer.box("mdat") { _ in }
        let crafted = MemoryFile(file.bytes + writer.bytes)
        let recovered = try MP4Recovery.recover(crafted)
        #expect(recovered.frames == take.samples[0].count)
        #expect(recovered.audioAccessUnits == take.samples[1].count)
        #expect(try RecordingIndex(reading: crafted).frameCount == recovered.frames)
    }

    @Test func `a frame with more bytes than its pixels need, or a picture that no take has, is refused`() throws {
        for (size, count) in [(640, 3 << 20), (16386, 100)] {
            let file = MemoryFile()
            let format = VideoFormat(
                parameterSets: SyntheticTake.video.parameterSets, size: PixelSize(width: size, height: 360))
            let writer = try MP4Writer(file: file, video: format, audio: [], creationTime: 0)
            writer.append(
                EncodedSample(
                    type: .video, presentationTime: .zero, duration: .zero, isKeyframe: true,
                    data: [UInt8](repeating: 0x65, count: count)))
            try writer.flush(through: .seconds(1))
            _ = try writer.finish(at: .seconds(1))
            #expect(throws: MP4FastStart.Error.notARecording(path: file.path)) { try RecordingIndex(reading: file) }
        }
    }
}
