// The writer's files against the second reading of the format, and against a disk that fails.
import CoreTesting
import KineMedia
import Testing

@testable import KineContainers

@Suite struct MP4WriterTests {
    private static func frame(_ data: [UInt8] = [9]) -> EncodedSample {
        EncodedSample(type: .video, presentationTime: .zero, duration: .zero, isKeyframe: true, data: data)
    }

    private static let both = [SyntheticTake.audio(.audioApp), SyntheticTake.audio(.audioMic, rate: 44100)]

    @Test(arguments: 1...12) func `every table of a finished file says what was appended`(seed: UInt64) throws {
        let take = SyntheticTake(
            seed: seed, seconds: 20, audio: Array(Self.both.prefix(Int(seed % 3))), hasInput: seed.isMultiple(of: 2))
        let file = MemoryFile()
        let finished = try #require(try take.write(to: file))
        let movie = try take.check(file.bytes)
        #expect(movie.types == ["ftyp", "mdat", "moov"])
        #expect(movie.timescale == 90000)
        #expect(movie.duration == movie.tracks.map(\.trackDuration).max())
        #expect(finished.duration.ticks(timescale: 90000) == Int64(movie.duration))
        #expect(finished.bytes == Int64(file.bytes.count))
        #expect(finished.frames == take.samples[0].count)
        #expect(finished.failure == nil)
        for track in movie.tracks {
            let ticks = track.samples.reduce(0) { $0 + $1.duration }
            #expect(track.mediaDuration == ticks)
            let shown = ticks - (track.handler == "soun" ? 1024 : 0)
            #expect(track.trackDuration == (shown * 90000 + track.timescale - 1) / track.timescale)
            #expect(track.edits == (track.handler == "soun" ? [[track.trackDuration, 1024]] : []))
            #expect(track.hasRollGroup == (track.handler == "soun"))
        }
        let names =
            ["Screen", "Audio", "Microphone"].prefix(take.samples.count) + (take.inputs == nil ? [] : ["Input"])
        #expect(movie.tracks.map(\.name) == Array(names))
    }

    @Test(arguments: 1...12) func `the fragments say the same while recording`(seed: UInt64) throws {
        let take = SyntheticTake(
            seed: seed, seconds: 20, audio: Array(Self.both.prefix(Int(seed % 3))), hasInput: seed.isMultiple(of: 2))
        let file = MemoryFile()
        try take.write(to: file, finishing: false)
        let movie = try take.check(file.bytes)
        #expect(movie.types.prefix(3) == ["ftyp", "free", "moov"])
        #expect(movie.types.dropFirst(3).allSatisfy { ["moof", "mdat", "free"].contains($0) })
    }

    @Test func `input is enabled, and not presented`() throws {
        let file = MemoryFile()
        try SyntheticTake(seed: 3, seconds: 2, audio: [Self.both[0]], hasInput: true).write(to: file)
        let boxes = try OracleBox.parse(file.bytes, 0..<file.bytes.count)
        let track = try #require(boxes.first { $0.type == "moov" }?.children.last { $0.type == "trak" })
        let header = try track.child("tkhd")
        #expect(try header.number(file.bytes, at: 0, 4) == 1, "version and flags")
        #expect(try header.number(file.bytes, at: 32, 4) == 0, "layer and alternate group")
        #expect(try header.number(file.bytes, at: 36, 2) == 0, "volume")
        #expect(try header.number(file.bytes, at: 76, 8) == 0, "size")
        #expect(try track.child("mdia", "minf").children.contains { $0.type == "nmhd" })
        let entry = try track.child("mdia", "minf", "stbl", "stsd").content
        // The entry's header, its reserved bytes and data reference, no encoding, and the media type.
        #expect(file.bytes[entry].suffix(30).elementsEqual("\0application/x-kinecast-input\0".utf8))
    }

    @Test func `a still screen costs four bytes and the file is as long as the take`() throws {
        let file = MemoryFile()
        let writer = try MP4Writer(file)
        writer.append(Self.frame([1, 2, 3]))
        try writer.flush(through: .milliseconds(500))
        let size = file.bytes.count
        let before = file.operations.count
        for half in 2...20 {
            try writer.flush(through: .milliseconds(Int64(half) * 500))
            #expect(try OracleMovie(file.bytes).tracks[0].samples.map(\.duration) == [half * 45000])
        }
        #expect(file.bytes.count == size)
        for operation in file.operations[before...] {
            guard case .write(let bytes, _) = operation else { continue }
            #expect(bytes.count == 4)
        }
    }

    @Test func `nothing changed and no time passed writes nothing`() throws {
        let file = MemoryFile()
        let writer = try MP4Writer(file)
        writer.append(Self.frame([1]))
        try writer.flush(through: .milliseconds(500))
        try writer.synchronize()
        let before = file.operations
        try writer.flush(through: .milliseconds(500))
        try writer.synchronize()
        #expect(file.operations == before)
    }

    @Test func `a late frame shortens the one before it`() throws {
        let file = MemoryFile()
        let writer = try MP4Writer(file)
        func frame(_ time: Int64) -> EncodedSample {
            EncodedSample(
                type: .video, presentationTime: .milliseconds(time), duration: .zero, isKeyframe: true, data: [1])
        }
        writer.append(frame(7))  // the first is at zero whatever it says
        try writer.flush(through: .milliseconds(500))
        writer.append(frame(490))
        writer.append(frame(490))  // and no two share an instant
        try writer.flush(through: .milliseconds(1000))
        #expect(try OracleMovie(file.bytes).tracks[0].samples.map(\.start) == [0, 44100, 44101])
        _ = try writer.finish(at: .milliseconds(1100))
        #expect(try OracleMovie(file.bytes).tracks[0].samples.map(\.duration) == [44100, 1, 99000 - 44101])
    }

    @Test func `audio waits for the first frame`() throws {
        let file = MemoryFile()
        let writer = try MP4Writer(file: file, video: SyntheticTake.video, audio: [Self.both[0]], creationTime: 0)
        writer.append(
            EncodedSample(type: .audioApp, presentationTime: .zero, duration: .zero, isKeyframe: true, data: [9]))
        try writer.flush(through: .milliseconds(500))
        #expect(try OracleMovie(file.bytes).types == ["ftyp", "free", "moov"])
        let finished = try writer.finish(at: .milliseconds(600))
        #expect(finished.frames == 0)
        #expect(try OracleMovie(file.bytes).types == ["ftyp", "free", "moov"])
    }

    @Test func `a track without samples is not in the finished file`() throws {
        let file = MemoryFile()
        let writer = try MP4Writer(file: file, video: SyntheticTake.video, audio: Self.both, creationTime: 0)
        writer.append(Self.frame())
        _ = try writer.finish(at: .milliseconds(600))
        #expect(try OracleMovie(file.bytes).tracks.map(\.handler) == ["vide"])
    }

    @Test func `audio that another file continues is heard until the last frame's end`() throws {
        let file = MemoryFile()
        let writer = try MP4Writer(
            file: file, video: SyntheticTake.video, audio: [Self.both[0]], creationTime: 0)
        writer.append(Self.frame())
        for _ in 0..<60 {
            writer.append(
                EncodedSample(type: .audioApp, presentationTime: .zero, duration: .zero, isKeyframe: true, data: [9]))
        }
        try writer.flush(through: .seconds(1))
        let bound = writer.finishedSizeBound
        writer.continues()
        let finished = try writer.finish(at: .seconds(1))
        #expect(finished.duration == .seconds(1) && finished.bytes <= bound)
        let movie = try OracleMovie(file.bytes)
        #expect(movie.duration == 90000 && movie.tracks[1].samples.count == 60)
        #expect(movie.tracks[1].edits == [[90000, 1024]])
    }

    @Test func `a frame that stands for half a day asks for another`() throws {
        let file = MemoryFile()
        let writer = try MP4Writer(file)
        writer.append(Self.frame())
        try writer.flush(through: .seconds(12 * 3600))
        #expect(!writer.needsRepeatedFrame)
        try writer.flush(through: .seconds(12 * 3600 + 1))
        #expect(writer.needsRepeatedFrame)
        writer.append(
            EncodedSample(
                type: .video, presentationTime: .seconds(12 * 3600 + 2), duration: .zero, isKeyframe: true, data: [8]))
        try writer.flush(through: .seconds(20 * 3600))
        #expect(!writer.needsRepeatedFrame)
        _ = try writer.finish(at: .seconds(20 * 3600))
        #expect(try OracleMovie(file.bytes).duration == 20 * 3600 * 90000)  // more than 32 bits hold
    }

    @Test func `finishing needs no more than was reserved`() throws {
        for seed in 1...10 as ClosedRange<UInt64> {
            let take = SyntheticTake(seed: seed, seconds: 60, audio: Self.both)
            let file = MemoryFile()
            try take.write(to: file)
            #expect(Int64(file.bytes.count) <= file.largestReserve)
        }
    }

    @Test(
        .tags(.slow), arguments: [StorageError.full(path: "m"), .failed(operation: "write", path: "m", code: 5)],
        [false, true])
    func `after a failure at any operation the file is good as far as it goes`(error: StorageError, lasting: Bool)
        throws
    {
        let take = SyntheticTake(seed: 5, seconds: 6, audio: [Self.both[0]], still: 0.2)
        let whole = MemoryFile()
        try take.write(to: whole)
        for index in whole.operations.indices {
            for arrived in [0, 7, 300] {
                let file = MemoryFile()
                file.fault = MemoryFile.Fault(at: index, error: error, lasting: lasting, arrived: arrived)
                let result = Result { try take.write(to: file) }
                file.fault = nil
                guard file.operations.contains(.publish) else { continue }  // it never began
                if case .success(let finished?) = result {
                    guard finished.frames > 0 else { continue }
                    let movie = try OracleMovie(file.bytes)
                    _ = try movie.payloads(file.bytes)
                    #expect(movie.types == ["ftyp", "mdat", "moov"])
                    #expect(movie.tracks[0].samples.count == finished.frames)
                    if finished.frames < take.samples[0].count { #expect(finished.failure == error) }
                } else {
                    // Not even the index could be written. Recovery does it once the disk is well again.
                    guard let recovered = try? MP4Recovery.recover(file) else {
                        #expect(file.bytes.count < 2000)  // not one frame
                        continue
                    }
                    let movie = try OracleMovie(file.bytes)
                    _ = try movie.payloads(file.bytes)
                    #expect(movie.types == ["ftyp", "mdat", "moov"])
                    #expect(movie.tracks[0].samples.count == recovered.frames)
                }
            }
        }
    }

    @Test func `a file that another program shortens is reported, and gets no index that leads into nothing`() throws {
        let file = MemoryFile()
        let writer = try MP4Writer(file)
        for second: Int64 in 0..<3 {
            writer.append(
                EncodedSample(
                    type: .video, presentationTime: .milliseconds(1000 * second), duration: .zero, isKeyframe: true,
                    data: [0, 0, 0, 2, 0x65, 0x88]))
            try writer.flush(through: .milliseconds(1000 * second + 500))
        }
        let size = Int64(file.bytes.count)
        try file.truncate(to: size - 20)
        let shortened = StorageError.shortened(path: "memory.mp4")
        #expect(throws: shortened) { try writer.flush(through: .milliseconds(2900)) }
        #expect(throws: shortened) { try writer.finish(at: .milliseconds(3000)) }
        #expect(Int64(file.bytes.count) == size - 20)
        // What is whole in it can be finished.
        #expect(try MP4Recovery.recover(file).frames == 2)
    }

    @Test func `a removed file is reported and put back`() throws {
        let file = MemoryFile()
        let writer = try MP4Writer(file)
        writer.append(Self.frame())
        try writer.flush(through: .milliseconds(500))
        file.removed = true
        #expect(throws: StorageError.removed(path: "memory.mp4")) { try writer.synchronize() }
        _ = try writer.finish(at: .milliseconds(600))
        #expect(!file.removed)
        #expect(file.operations.last == .putBack)
    }
}
