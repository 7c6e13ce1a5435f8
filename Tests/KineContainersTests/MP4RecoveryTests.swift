// Every state that a dying writer can leave behind, and its recovery.
import CoreTesting
import KineMedia
import Testing

@testable import KineContainers

@Suite struct MP4RecoveryTests {
    private static let take = SyntheticTake(
        seed: 11, seconds: 8, audio: [SyntheticTake.audio(.audioApp)], hasInput: true, still: 0.15)

    /// The whole frames and access units of audio in a file, which recovery must at least save.
    private func saved(_ bytes: [UInt8]) -> (frames: Int, audio: Int) {
        var end = 0  // of the boxes before the first one that is cut
        while end + 16 <= bytes.count {
            guard let short = try? bytes.number(at: end, 4),
                let size = short == 1 ? try? bytes.number(at: end + 8, 8) : short
            else { break }
            guard size >= 8, size <= bytes.count - end else { break }
            end += size
        }
        guard let movie = try? OracleMovie(Array(bytes[..<end])), (try? movie.payloads(bytes)) != nil else {
            return (0, 0)
        }
        return (movie.tracks[0].samples.count, movie.tracks.count > 1 ? movie.tracks[1].samples.count : 0)
    }

    /// Recovers, and checks that every sample of the result is the one that was appended there.
    private func recover(
        _ file: MemoryFile, of take: SyntheticTake, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RecoveredFile {
        let recovered = try MP4Recovery.recover(file)
        let movie = try OracleMovie(file.bytes)
        #expect(movie.types == ["ftyp", "mdat", "moov"], sourceLocation: sourceLocation)
        #expect(recovered.bytes == Int64(file.bytes.count), sourceLocation: sourceLocation)
        #expect(recovered.duration.ticks(timescale: 90000) == Int64(movie.duration), sourceLocation: sourceLocation)
        let payloads = try movie.payloads(file.bytes)
        #expect(recovered.frames == payloads[0].count, sourceLocation: sourceLocation)
        let audio = movie.tracks.filter { $0.handler == "soun" }.map(\.samples.count)
        #expect(recovered.audioAccessUnits == audio.reduce(0, +), sourceLocation: sourceLocation)
        for (samples, track) in zip(payloads, movie.tracks) {
            let all = take.payloads[track.id - 1]
            #expect(samples.elementsEqual(all.prefix(samples.count)), sourceLocation: sourceLocation)
        }
        if let input = movie.tracks.last, input.handler == "meta", let inputs = take.inputs {
            let starts = inputs.prefix(input.samples.count).map { Int($0.time.ticks(timescale: 90000)) }
            #expect(input.samples.map(\.start) == starts, sourceLocation: sourceLocation)
            #expect(input.samples.last?.end == movie.tracks[0].samples.last?.end, sourceLocation: sourceLocation)
            #expect(input.edits.isEmpty, sourceLocation: sourceLocation)
        }
        // Once more: nothing to do, nothing done.
        let before = file.bytes
        let again = try MP4Recovery.recover(file)
        #expect(again.wasAlreadyFinished && again.duration == recovered.duration, sourceLocation: sourceLocation)
        #expect(file.bytes == before, sourceLocation: sourceLocation)
        return recovered
    }

    @Test func `every prefix of the writer's operations is recovered whole`() throws {
        let whole = MemoryFile()
        try Self.take.write(to: whole)
        var largest = 0
        for count in 0...whole.operations.count {
            let file = MemoryFile.after(whole.operations[..<count])
            let expected = saved(file.bytes)
            guard expected.frames > 0 else {
                let before = file.bytes
                #expect(throws: MP4Recovery.Error.self) { try MP4Recovery.recover(file) }
                #expect(file.bytes == before)
                continue
            }
            let recovered = try recover(file, of: Self.take)
            #expect(recovered.frames == expected.frames)
            #expect(recovered.audioAccessUnits == expected.audio)
            #expect(recovered.skippedBytes == 0)
            #expect(recovered.frames >= largest)
            largest = recovered.frames
        }
        #expect(largest == Self.take.samples[0].count)
    }

    @Test func `a write cut anywhere costs only what is cut`() throws {
        let whole = MemoryFile()
        try Self.take.write(to: whole)
        var random = SeededGenerator(seed: 3)
        for count in 1...whole.operations.count {
            guard case .write(let data, _) = whole.operations[count - 1], data.count > 16 else { continue }
            for _ in 0..<20 {
                let arrived = Int.random(in: 0..<data.count, using: &random)
                let file = MemoryFile.after(whole.operations[..<count], arrived: arrived)
                let expected = saved(file.bytes)
                guard expected.frames > 0 else { continue }
                let recovered = try recover(file, of: Self.take)
                #expect(recovered.frames >= expected.frames)
                #expect(recovered.audioAccessUnits >= expected.audio)
            }
        }
    }

    @Test(.tags(.slow)) func `whole samples of a cut fragment are kept`() throws {
        let whole = MemoryFile()
        try Self.take.write(to: whole, finishing: false)
        let last = try #require(
            try OracleBox.parse(whole.bytes, 0..<whole.bytes.count).last { $0.type == "mdat" })
        let movie = try OracleMovie(whole.bytes)
        for cut in last.content {
            let file = MemoryFile(Array(whole.bytes[..<cut]))
            let recovered = try recover(file, of: Self.take)
            #expect(recovered.frames == movie.tracks[0].samples.count { $0.offset + $0.size <= cut })
            #expect(recovered.audioAccessUnits == movie.tracks[1].samples.count { $0.offset + $0.size <= cut })
        }
    }

    @Test func `every prefix of the recovery's own operations is recovered the same`() throws {
        let whole = MemoryFile()
        try Self.take.write(to: whole, finishing: false)
        // With the last fragment cut, so that an index could be mistaken for its end; and with the writer's own
        // finishing cut.
        var starts = [Array(whole.bytes.dropLast(700)), Array(whole.bytes.dropLast(3))]
        let finished = MemoryFile()
        try Self.take.write(to: finished)
        for back in 3...6 { starts.append(MemoryFile.after(finished.operations.dropLast(back)).bytes) }
        // And a finished file of which the end was cut off.
        starts.append(Array(finished.bytes.dropLast(1000)))
        for start in starts {
            let once = MemoryFile(start)
            let expected = try recover(once, of: Self.take)
            let operations = once.operations
            for count in 0...operations.count {
                let cuts: [Int]
                if case .write(let data, _)? = operations[..<count].last, data.count > 16 {
                    cuts = [0, 3, 8, 9, 16, 100, data.count / 2, data.count - 1]
                } else {
                    cuts = [Int.max]
                }
                for cut in cuts {
                    let file = MemoryFile.after(
                        [.write(start, at: 0)] + operations[..<count], arrived: count == 0 ? nil : cut)
                    let recovered = try MP4Recovery.recover(file)
                    #expect(recovered.frames == expected.frames)
                    #expect(recovered.audioAccessUnits == expected.audioAccessUnits)
                    #expect(file.bytes == once.bytes)
                }
            }
        }
    }

    /// The index is complete and only the switch is missing, so the free box's content is the recording's end.
    @Test(arguments: 1...24) func `bytes in front of an unused index are not taken for one`(count: Int) throws {
        let finished = MemoryFile()
        try Self.take.write(to: finished)
        let whole = MemoryFile.after(finished.operations.dropLast(2)).bytes
        let sizeOffset = Int(RecordingLayout.sizeOffset)
        let end = try whole.number(at: sizeOffset, 8) - 8 + Int(RecordingLayout.switchOffset)
        // Longer than the file, and small enough: both could be the size of a box.
        for byte: UInt8 in [0x00, 0x7f] {
            let damage = [byte] + [UInt8](repeating: 0x66, count: count - 1)
            var bytes = whole[..<end] + damage + whole[end...]
            let size = withUnsafeBytes(
                of: UInt64(end + count + 8 - Int(RecordingLayout.switchOffset)).bigEndian, Array.init)
            bytes.replaceSubrange(sizeOffset..<sizeOffset + 8, with: size)
            let file = MemoryFile(Array(bytes))
            let recovered = try recover(file, of: Self.take)
            #expect(recovered.frames == Self.take.samples[0].count)
            #expect(recovered.skippedBytes == Int64(count))
            #expect(file.bytes[end..<end + count].elementsEqual(damage))
        }
    }

    @Test func `what is lost of a fragment that is refused counts once`() throws {
        let whole = MemoryFile()
        try Self.take.write(to: whole, finishing: false)
        // The first fragment once more at the end, its last byte missing: it begins before what is there, so that none of
        // it is taken.
        let boxes = try OracleBox.parse(whole.bytes, 0..<whole.bytes.count)
        let first = try #require(boxes.firstIndex { $0.type == "moof" })
        let repeated = whole.bytes[boxes[first].offset..<boxes[first + 1].content.upperBound - 1]
        let recovered = try recover(MemoryFile(whole.bytes + repeated), of: Self.take)
        #expect(recovered.frames == Self.take.samples[0].count)
        #expect(recovered.skippedBytes == Int64(repeated.count))
    }

    @Test(arguments: [false, true]) func `a recovery that fails leaves the file as it was`(lasting: Bool) throws {
        let whole = MemoryFile()
        try Self.take.write(to: whole, finishing: false)
        let start = Array(whole.bytes.dropLast(400))
        let once = MemoryFile(start)
        _ = try MP4Recovery.recover(once)
        let reference = saved(start)
        for index in once.operations.indices {
            let file = MemoryFile(start)
            file.fault = MemoryFile.Fault(at: index, error: .full(path: "m"), lasting: lasting, arrived: 100)
            #expect(throws: MP4Recovery.Error.storage(.full(path: "m"))) { try MP4Recovery.recover(file) }
            // The last two operations are the switch and its synchronizing: after them the file is finished, or is still
            // a recording with an index behind it.
            if !lasting, index < once.operations.count - 2 { #expect(file.bytes == start) }
            file.fault = nil
            if let recovered = try? MP4Recovery.recover(file) { #expect(recovered.frames >= reference.frames) }
            #expect(file.bytes == once.bytes)
        }
    }

    @Test func `a recording cut at any byte is recovered or refused`() throws {
        let take = SyntheticTake(seed: 4, seconds: 2, audio: [SyntheticTake.audio(.audioApp)])
        let whole = MemoryFile()
        try take.write(to: whole, finishing: false)
        var random = SeededGenerator(seed: 9)
        var cuts = Array(0..<1400)
        cuts += (0..<600).map { _ in Int.random(in: 0..<whole.bytes.count, using: &random) }
        var best = 0
        for cut in cuts + [whole.bytes.count] {
            let file = MemoryFile(Array(whole.bytes[..<cut]))
            do {
                best = max(best, try recover(file, of: take).frames)
            } catch let error as MP4Recovery.Error {
                #expect(file.bytes == Array(whole.bytes[..<cut]))
                #expect(error == .nothingRecorded(path: "memory.mp4"))
            }
        }
        #expect(best == take.samples[0].count)
    }

    @Test func `a damaged fragment costs itself and what follows keeps its time`() throws {
        let whole = MemoryFile()
        try Self.take.write(to: whole, finishing: false)
        let fragments = try OracleBox.parse(whole.bytes, 0..<whole.bytes.count).filter { $0.type == "moof" }
        for (number, fragment) in fragments.enumerated() {
            var bytes = whole.bytes
            for index in fragment.offset..<fragment.offset + 40 { bytes[index] = 0 }
            let file = MemoryFile(bytes)
            let recovered = try MP4Recovery.recover(file)
            #expect(recovered.skippedBytes > 0)
            let movie = try OracleMovie(file.bytes)
            let original = try OracleMovie(whole.bytes)
            #expect(movie.types == ["ftyp", "mdat", "moov"])
            if number > 0 {  // the first fragment's loss is filled by the first sample after it
                for (track, other) in zip(movie.tracks, original.tracks) {
                    let starts = Set(other.samples.map { [$0.offset, $0.start] })
                    #expect(track.samples.allSatisfy { starts.contains([$0.offset, $0.start]) })
                }
                let counts = [movie, original].map { $0.tracks.reduce(0) { $0 + $1.samples.count } }
                #expect(counts[0] < counts[1])
            }
        }
    }

    @Test func `what a power cut kept from the disk is not taken for samples`() throws {
        let whole = MemoryFile()
        try Self.take.write(to: whole, finishing: false)
        let last = try #require(try OracleBox.parse(whole.bytes, 0..<whole.bytes.count).last { $0.type == "mdat" })
        let movie = try OracleMovie(whole.bytes)
        for hole in stride(from: last.content.lowerBound, to: last.content.upperBound, by: 7) {
            let file = MemoryFile(whole.bytes[..<hole] + [UInt8](repeating: 0, count: whole.bytes.count - hole))
            let recovered = try MP4Recovery.recover(file)
            // A sample of which only the end is missing cannot be told from a whole one.
            let begun = movie.tracks.map { $0.samples.count { $0.offset + 5 < hole } }
            #expect(recovered.frames <= begun[0] && recovered.frames >= begun[0] - 1)
            #expect(recovered.audioAccessUnits <= begun[1] + 1)
            _ = try OracleMovie(file.bytes)
        }
    }

    /// Files made to be read again and again: fragments that begin inside others and are all wrong at their common end,
    /// fragments that are good and too early, and empty boxes.
    enum Crafted: CaseIterable { case nested, refused, padding }

    @Test(.tags(.slow), arguments: Crafted.allCases)
    func `whatever the bytes, a file is read a few times at most`(_ kind: Crafted)
        throws
    {
        let whole = MemoryFile()
        try Self.take.write(to: whole, finishing: false)
        var writer = BoxWriter()
        writer.append(whole.bytes)
        let size = 4 << 20
        switch kind {
        case .nested:
            let start = writer.bytes.count
            for position in stride(from: start, to: start + size - 128, by: 128) {
                writer.integer(UInt32(start + size - position))  // all end where the mdat is
                writer.code("moof")
                writer.integer(UInt32(16))
                writer.code("mfhd")
                writer.zeros(8)
                writer.integer(UInt32(start + size - position - 24))
                writer.code("traf")
                writer.integer(UInt32(16))
                writer.code("tfhd")
                writer.integer(UInt32(0x2_0000))
                writer.integer(UInt32(1))
                writer.integer(UInt32(20))
                writer.code("tfdt")
                writer.integer(UInt32(1) << 24)
                writer.integer(UInt64(1) << 40)
                writer.integer(UInt32(start + size - position - 68))
                writer.code("trun")
                writer.integer(UInt32(0x701))
                writer.integer(UInt32((start + size - position - 88) / 12))
                writer.integer(UInt32(start + size - position + 8))
                writer.zeros(128 - 88)
            }
            writer.zeros(start + size - writer.bytes.count)
            writer.integer(UInt32(100))
            writer.code("mdat")
        case .refused:
            let boxes = try OracleBox.parse(whole.bytes, 0..<whole.bytes.count)
            let first = try #require(boxes.firstIndex { $0.type == "moof" })
            let fragment = Array(whole.bytes[boxes[first].offset..<boxes[first + 1].content.upperBound])
            while writer.bytes.count < size { writer.append(fragment) }
        case .padding:
            while writer.bytes.count < size { writer.append(RecordedFragment.padding) }
        }
        let file = MemoryFile(writer.bytes)
        let recovered = try MP4Recovery.recover(file)
        #expect(recovered.frames == Self.take.samples[0].count)
        #expect(file.bytesRead < 6 * writer.bytes.count + 65536)
    }

    /// Sizes that a damaged file claims to have.
    enum FalseSize: CaseIterable { case file, index, sampleCount, chunk, sample, chunkLength }

    @Test(arguments: FalseSize.allCases, [Int64(1) << 30, 1 << 40])
    func `a false size costs neither memory nor time, and no sample`(_ what: FalseSize, size: Int64) throws {
        let whole = MemoryFile()
        try Self.take.write(to: whole, finishing: what != .file)
        var bytes = whole.bytes
        if what != .file {
            let movie = try #require(OracleBox.parse(bytes, 0..<bytes.count).last)
            let track = try #require(movie.children.first { $0.type == "trak" })
            let table = try track.child("mdia", "minf", "stbl")
            // The box, and the offset of a number in it.
            let (box, offset): (OracleBox, Int) =
                switch what {
                case .file, .index: (movie, 0)
                case .sampleCount: (try table.child("stsz"), 16)
                case .sample: (try table.child("stsz"), 20)
                case .chunk: (try table.child("stco"), 16)
                case .chunkLength: (try table.child("stsc"), 20)
                }
            let new: [UInt8] = what == .index ? [0x3f, 0, 0, 0] : [0xff, 0xff, 0xff, 0xff]
            bytes.replaceSubrange(box.offset + offset..<box.offset + offset + 4, with: new)
        }
        let file = SparseFile(bytes, size: size)
        let recovered = try MP4Recovery.recover(file)
        #expect(!recovered.wasAlreadyFinished && recovered.frames == Self.take.samples[0].count)
        #expect(recovered.audioAccessUnits == Self.take.samples[1].count)
        #expect(file.largestRead <= 32 << 20 && file.bytesRead < 64 << 20)
        if what != .file {
            let damaged = SparseFile(bytes, size: size)
            #expect(throws: RecordingIndex.Error.notARecording(path: "sparse.mp4")) {
                try RecordingIndex(reading: damaged)
            }
            #expect(throws: MP4FastStart.Error.notARecording(path: "sparse.mp4")) {
                try MP4FastStart.plan(for: damaged)
            }
            #expect(damaged.bytesRead < 1 << 20)
        }
    }

    @Test func `an index at the front is believed as far as its samples are there`() throws {
        let whole = MemoryFile()
        try Self.take.write(to: whole)
        let plan = try #require(try MP4FastStart.plan(for: whole))
        let bytes = plan.head + whole.bytes[Int(plan.rest.lowerBound)..<Int(plan.rest.upperBound)]
        let video = try OracleMovie(bytes).tracks[0]
        let all = try MP4Recovery.recover(MemoryFile(bytes))
        #expect(all.wasAlreadyFinished && all.frames == video.samples.count && all.missesEndOf == nil)
        for count in [1, 20, video.samples.count] {
            let last = video.samples[count - 1]
            let cut = try MP4Recovery.recover(MemoryFile(Array(bytes[..<(last.offset + last.size)])))
            #expect(cut.wasAlreadyFinished && cut.frames == count)
            #expect(cut.missesEndOf == all.duration)
            if count < video.samples.count { #expect(cut.duration.ticks(timescale: 90000) == Int64(last.end)) }
        }
        #expect(throws: MP4Recovery.Error.notARecording(path: "memory.mp4")) {
            try MP4Recovery.recover(MemoryFile(plan.head))
        }
    }

    @Test func `foreign files are refused and left alone`() throws {
        let other: [[UInt8]] = [
            [1, 2, 3], Array("RIFF....WAVE".utf8) + [UInt8](repeating: 0, count: 100),
            [0, 0, 0, 32] + Array("ftypmp42".utf8) + [UInt8](repeating: 0, count: 200),
            RecordingLayout.fileType(.h264) + [UInt8](repeating: 0, count: 200),
        ]
        for bytes in other {
            let file = MemoryFile(bytes)
            #expect(throws: MP4Recovery.Error.notARecording(path: "memory.mp4")) { try MP4Recovery.recover(file) }
            #expect(file.operations == [])
        }
    }

    @Test(.tags(.slow), arguments: 1...200) func `damage anywhere gives an error or a file that can be read`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let whole = MemoryFile()
        let finishing = Bool.random(using: &random)
        try Self.take.write(to: whole, finishing: finishing)
        var bytes = Array(whole.bytes.prefix(Int.random(in: 0...whole.bytes.count, using: &random)))
        for _ in 0..<Int.random(in: 0...8, using: &random) where !bytes.isEmpty {
            let position = Int.random(in: 0..<bytes.count, using: &random)
            let length = min(bytes.count - position, [1, 1, 4, 512].randomElement(using: &random) ?? 1)
            for index in position..<position + length { bytes[index] = UInt8.random(in: 0...255, using: &random) }
        }
        let file = MemoryFile(bytes)
        do {
            let recovered = try MP4Recovery.recover(file)
            guard !recovered.wasAlreadyFinished else { return #expect(file.bytes == bytes) }
            let movie = try OracleMovie(file.bytes)
            _ = try movie.payloads(file.bytes)
            #expect(movie.tracks[0].samples.count == recovered.frames)
        } catch is MP4Recovery.Error {
            #expect(file.bytes == bytes)
        }
    }
}
