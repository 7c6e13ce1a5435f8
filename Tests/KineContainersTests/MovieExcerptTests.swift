// Excerpts of finished recordings, judged by the second reading of the format.
import CoreTesting
import KineMeasure
import KineMedia
import Testing

@testable import KineContainers

@Suite struct MovieExcerptTests {
    private static let audio = [SyntheticTake.audio(.audioApp), SyntheticTake.audio(.audioMic, rate: 44100)]

    private struct Source {
        let bytes: [UInt8]
        let movie: OracleMovie
        let payloads: [[[UInt8]]]
        let index: RecordingIndex

        init(_ file: MemoryFile) throws {
            bytes = file.bytes
            movie = try OracleMovie(bytes)
            payloads = try movie.payloads(bytes)
            index = try RecordingIndex(reading: file)
        }

        init(_ take: SyntheticTake) throws {
            let file = MemoryFile()
            try take.write(to: file)
            try self.init(file)
        }

        /// A time of the video, in ticks.
        func time(_ ticks: Int) -> MediaTime { MediaTime(ticks: Int64(ticks), timescale: 90000) }
        var end: Int { movie.tracks[0].samples.last?.end ?? 0 }
    }

    /// What stands for the frames that are encoded again.
    private static func encoded(_ excerpt: MovieExcerpt) -> [[UInt8]] {
        excerpt.encodedFrames.map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 5 + $0 % 7) }
    }

    /// What stands for all samples that are written anew.
    private static func new(_ excerpt: MovieExcerpt) -> MovieExcerpt.NewSamples {
        let input = excerpt.inputSamples.isEmpty ? [] : ["first", "the last"].prefix(excerpt.inputSamples.count)
        return MovieExcerpt.NewSamples(frames: encoded(excerpt), input: input.map { Array($0.utf8) })
    }

    static func file(of excerpt: MovieExcerpt, _ source: [UInt8]) -> (bytes: [UInt8], layout: ExcerptLayout) {
        let layout = ExcerptLayout(excerpt, new(excerpt))
        var bytes = layout.headBytes + [UInt8](repeating: 0, count: Int(layout.size) - layout.headBytes.count)
        for piece in layout.pieces {
            let (content, place): ([UInt8], Int64) =
                switch piece {
                case .copied(let range, let place):
                    (Array(source[Int(range.lowerBound)..<Int(range.upperBound)]), place)
                case .new(let bytes, let place): (bytes, place)
                }
            bytes.replaceSubrange(Int(place)..<Int(place) + content.count, with: content)
        }
        return (bytes, layout)
    }

    @Test(arguments: 1...8) func `every table of an excerpt says what it has`(seed: UInt64) throws {
        let source = try Source(
            SyntheticTake(
                seed: seed, seconds: 20, audio: Array(Self.audio.prefix(Int(seed % 3))),
                hasInput: seed.isMultiple(of: 2)))
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let from = Int.random(in: 0..<source.end, using: &random)
            let to = Int.random(in: from + 1...source.end, using: &random)
            let excerpt = try MovieExcerpt(of: source.index, from: source.time(from), to: source.time(to))
            let (bytes, layout) = Self.file(of: excerpt, source.bytes)
            let movie = try OracleMovie(bytes)
            #expect(movie.types == ["ftyp", "moov", "mdat"])
            try checkVideo(movie.tracks[0], movie.payloads(bytes)[0], excerpt, source, from: from, to: to)
            for track in movie.tracks.dropFirst() {
                let original = try #require(source.movie.tracks.first { $0.name == track.name })
                let payloads = try movie.payloads(bytes)[track.id - 1]
                if track.id == movie.tracks.count, excerpt.inputSamples.count > 0 {
                    checkInput(track, payloads, original, source.payloads[original.id - 1], from: from, to: to)
                    continue
                }
                try checkAudio(track, payloads, original, source.payloads[original.id - 1], from: from, to: to)
            }
            try checkPieces(layout, excerpt, source)
            // It is a recording like any other, of which there can be excerpts.
            let again = try RecordingIndex(reading: MemoryFile(bytes))
            #expect(again.frameCount == excerpt.frames.count)
            let whole = try MovieExcerpt(of: again, from: .zero, to: again.duration)
            guard whole.inputSamples.isEmpty else { continue }
            #expect(try OracleMovie(Self.file(of: whole, bytes).bytes).tracks == movie.tracks.moved(to: whole, bytes))
        }
    }

    private func checkVideo(
        _ track: OracleTrack, _ payloads: [[UInt8]], _ excerpt: MovieExcerpt, _ source: Source, from: Int, to: Int
    ) throws {
        let original = source.movie.tracks[0].samples
        let first = try #require(original.lastIndex { $0.start <= from })
        let last = try #require(original.lastIndex { $0.start < to })
        #expect(track.samples.map(\.start) == (first...last).map { max(original[$0].start, from) - from })
        #expect(track.samples.last?.end == to - from && track.trackDuration == to - from && track.edits == [])
        let copied = original[first...last].firstIndex(where: \.isSync) ?? last + 1
        #expect(payloads == Self.encoded(excerpt) + source.payloads[0][first...last].dropFirst(copied - first))
        #expect(
            track.samples.map(\.isSync) == (first...last).map { $0 == first || $0 >= copied && original[$0].isSync })
    }

    private func checkInput(
        _ track: OracleTrack, _ payloads: [[UInt8]], _ original: OracleTrack, _ before: [[UInt8]], from: Int, to: Int
    ) {
        let samples = original.samples.indices.filter {
            original.samples[$0].start < to && original.samples[$0].end > from
        }
        #expect(track.samples.map(\.start) == samples.map { max(original.samples[$0].start, from) - from })
        #expect(track.samples.last?.end == to - from && track.trackDuration == to - from && track.edits == [])
        var expected = samples.map { before[$0] }
        expected[0] = Array("first".utf8)
        if expected.count > 1 { expected[expected.count - 1] = Array("the last".utf8) }
        #expect(payloads == expected)
    }

    private func checkAudio(
        _ track: OracleTrack, _ payloads: [[UInt8]], _ original: OracleTrack, _ before: [[UInt8]], from: Int, to: Int
    ) throws {
        let edit = try #require(track.edits.first)
        let first = try #require(before.indices.first { before[$0...].starts(with: payloads) })
        // The sample that is heard first is the one that is heard at that time in the recording, to half a sample.
        let heard = first * 1024 + edit[1] - 1024
        #expect(abs(heard * 90000 - from * track.timescale) <= 45000)
        #expect(edit[1] >= 1024, "the decoder gets one access unit more")
        #expect(edit[0] == track.trackDuration && edit[0] <= to - from)
        let media = (track.samples.count * 1024 - edit[1]) * 90000
        #expect(media >= (edit[0] - 2) * track.timescale, "the edit is no longer than the media")
        let available = original.trackDuration - from
        #expect(edit[0] >= min(to - from, available) - 2)
        #expect(media < (edit[0] + 2) * track.timescale + 1024 * 90000, "no more access units than are heard")
        #expect(track.hasRollGroup)
    }

    /// Nothing that was cut away is in the file, and what is long lies as in the recording's blocks.
    private func checkPieces(_ layout: ExcerptLayout, _ excerpt: MovieExcerpt, _ source: Source) throws {
        var kept: Set<Int> = []
        for (track, cut) in zip(source.movie.tracks, excerpt.cuts) {
            let input = excerpt.inputSamples
            for sample in cut?.samples ?? 0..<0 {
                if track.id == 1, excerpt.encodedFrames.contains(sample) { continue }
                if !input.isEmpty, track.id == source.movie.tracks.count, [input.first, input.last].contains(sample) {
                    continue
                }
                kept.insert(track.samples[sample].offset)
            }
        }
        for case .copied(let range, let place) in layout.pieces {
            for track in source.movie.tracks {
                for sample in track.samples where range.contains(Int64(sample.offset)) {
                    #expect(kept.contains(sample.offset), "a sample that was cut away is in the file")
                }
            }
            if range.count >= 1 << 20 { #expect((place - range.lowerBound) % 4096 == 0) }
        }
    }

    @Test func `an excerpt of the whole is as long as the recording, and its last frame lasts until then`() throws {
        let source = try Source(SyntheticTake(seed: 2, seconds: 3, audio: Self.audio))
        let excerpt = try MovieExcerpt(of: source.index, from: .zero, to: source.index.duration)
        let (bytes, _) = Self.file(of: excerpt, source.bytes)
        #expect(excerpt.duration == source.index.duration)
        #expect(try RecordingIndex(reading: MemoryFile(bytes)).duration == source.index.duration)
        let end = try #require(try OracleMovie(bytes).tracks[0].samples.last?.end)
        #expect(source.time(end) == source.index.duration)
    }

    @Test func `a long run is copied in one piece that lies as in the recording's blocks`() throws {
        let take = SyntheticTake(seed: 3, seconds: 400, audio: Self.audio)
        let source = try Source(take)
        let excerpt = try MovieExcerpt(of: source.index, from: .milliseconds(1234), to: .seconds(399))
        let layout = ExcerptLayout(excerpt, Self.new(excerpt))
        let long = layout.pieces.compactMap { piece -> Int64? in
            guard case .copied(let range, let place) = piece, range.count >= 1 << 20 else { return nil }
            return (place - range.lowerBound) % 4096
        }
        #expect(long == [0])
        #expect(layout.pieces.count < 200, "runs are as long as possible")
        try checkPieces(layout, excerpt, source)
    }

    @Test func `times that make no excerpt are refused`() throws {
        let index = try Source(SyntheticTake(seed: 1, seconds: 3)).index
        for (from, to) in [(1000, 1000), (2000, 1000)] as [(Int64, Int64)] {
            #expect(throws: MovieExcerpt.Error.empty) {
                try MovieExcerpt(of: index, from: .milliseconds(from), to: .milliseconds(to))
            }
        }
        #expect(throws: MovieExcerpt.Error.beyondEnd(.seconds(3))) {
            try MovieExcerpt(of: index, from: .seconds(3), to: .seconds(4))
        }
    }

    @Test func `a recording that is not finished, or cut, or foreign, has no index`() throws {
        let take = SyntheticTake(seed: 5, seconds: 3)
        let unfinished = MemoryFile()
        try take.write(to: unfinished, finishing: false)
        #expect(throws: RecordingIndex.Error.notFinished(path: unfinished.path)) {
            try RecordingIndex(reading: unfinished)
        }
        let finished = MemoryFile()
        try take.write(to: finished)
        #expect(throws: RecordingIndex.Error.self) {
            try RecordingIndex(reading: MemoryFile(Array(finished.bytes.dropLast(9))))
        }
        #expect(throws: RecordingIndex.Error.notARecording(path: unfinished.path)) {
            try RecordingIndex(reading: MemoryFile(Array(repeating: 7, count: 5000)))
        }
    }

    @Test func `an excerpt is written beside its target, which is kept where anything fails`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("a.mp4")
        try SyntheticTake(seed: 6, seconds: 10, audio: Self.audio).write(to: try DiskFile.create(path))
        let file = try DiskFile.openToRead(path)
        let excerpt = try MovieExcerpt(
            of: RecordingIndex(reading: file), from: .milliseconds(2500), to: .milliseconds(7700))
        let new = Self.new(excerpt)
        let target = folder.file("b.mp4")
        let written = try excerpt.write(from: file, new, to: target, ifTaken: .refuse)
        #expect(try contents(of: target) == Self.file(of: excerpt, contents(of: path)).bytes)
        #expect(written == .init(path: target, bytes: Int64(try contents(of: target).count)))
        #expect(throws: StorageError.alreadyExists(path: target)) {
            try excerpt.write(from: file, new, to: target, ifTaken: .refuse)
        }
        // The recording is never replaced, whatever leads to it.
        try #require(try run("ln", ["-s", path, folder.file("link.mp4")]).status == .exited(status: 0))
        for own in [path, folder.file("link.mp4")] {
            #expect(throws: StorageError.isSource(path: own)) {
                try excerpt.write(from: file, new, to: own, ifTaken: .replace)
            }
        }
        #expect(throws: StorageError.self) {
            try excerpt.write(from: file, new, to: "/proc/b.mp4", ifTaken: .refuse)
        }
        let names = try run("ls", ["-A", folder.path]).output.split(separator: "\n")
        #expect(names == ["a.mp4", "b.mp4", "link.mp4"])
        // While it is read, no writer gets it; and nobody reads what is being written.
        #expect(throws: StorageError.inUse(path: path)) { try DiskFile.open(path) }
        let writer = try DiskFile.create(folder.file("c.mp4"))
        #expect(throws: StorageError.inUse(path: folder.file("c.mp4"))) {
            try DiskFile.openToRead(folder.file("c.mp4"))
        }
        withExtendedLifetime((file, writer)) {}
    }
}

extension [OracleTrack] {
    /// The tracks as they are in an excerpt that has all of them.
    fileprivate func moved(to excerpt: MovieExcerpt, _ bytes: [UInt8]) throws -> [OracleTrack] {
        let layout = ExcerptLayout(excerpt, MovieExcerpt.NewSamples(frames: []))
        guard case .copied(let range, let place)? = layout.pieces.first, layout.pieces.count == 1 else {
            throw OracleError("a whole file is one piece")
        }
        var tracks = self
        for track in tracks.indices {
            for sample in tracks[track].samples.indices {
                tracks[track].samples[sample].offset += Int(place - range.lowerBound)
            }
        }
        return tracks
    }
}
