// The layout of an excerpt's file: its index, and the origin of each sample. Pure.
//
//     ftyp | moov | mdat( new samples, and runs of the recording's bytes )
//
// The recording's bytes are copied in runs as long as possible, so that the kernel can copy them. A run includes the
// headers of fragments between its samples, but never a sample that was cut away: that may be the reason for the cut.

public struct ExcerptLayout {
    public enum Piece: Equatable, Sendable {
        /// Samples that are written anew.
        case new([UInt8], at: Int64)
        /// Bytes of the recording.
        case copied(Range<Int64>, at: Int64)
    }

    /// The file's first bytes, up to the first piece or its alignment.
    private(set) var head = ByteChain()
    public private(set) var pieces: [Piece] = []
    /// The bytes of the whole file.
    public private(set) var size: Int64 = 0

    /// The most bytes between two samples that are copied with them; the header of a fragment is shorter.
    static let largestGap: Int64 = 64 << 10
    /// Runs of at least this many bytes keep their offset within a block: file systems that share blocks then need not
    /// copy them (ioctl_ficlonerange(2)).
    static let smallestAligned: Int64 = 1 << 20

    public init(_ excerpt: MovieExcerpt, _ new: MovieExcerpt.NewSamples) {
        precondition(new.frames.count == excerpt.encodedFrames.count, "an access unit for each encoded frame")
        let runs = SampleRun.all(of: excerpt, new)
        var movie = MovieDescription(creationTime: excerpt.index.creationTime, tracks: [])
        var tables: [SampleTable] = []
        var shownTicks: [UInt64] = []
        for (number, (track, cut)) in zip(excerpt.index.tracks, excerpt.cuts).enumerated() {
            guard let cut, excerpt.has(track: number, new) else { continue }
            var description = track.description
            description.id = UInt32(movie.tracks.count + 1)
            description.mediaStart = cut.mediaStart
            let own = runs.filter { $0.track == number }
            // The sample entries that are left, the first frame's first: players may know no other.
            var entries: [Int] = []
            for run in own where !entries.contains(run.entry) { entries.append(run.entry) }
            description.sampleEntries = entries.map { track.description.sampleEntries[$0] }
            if entries.count < track.description.sampleEntries.count { description.fitSize() }
            movie.tracks.append(description)
            tables.append(Self.table(of: own, entries, excerpt, new))
            shownTicks.append(cut.shownTicks)
        }
        let data = runs.reduce(Int64(0)) { $0 + $1.length + Self.largestGap }
        let chapters = excerpt.chapters
        let bound = RecordingLayout.indexSizeBound(movie, tables, chapters) + data + Self.largestGap
        let isWide = bound > Int64(UInt32.max)
        // The samples' places do not change the size of the index.
        func index() -> ByteChain {
            MovieBox.final(
                movie, tables: tables, chapters: chapters, wideOffsets: isWide, shownTicks: shownTicks)
        }
        let fileType = RecordingLayout.fileType(movie.videoCodec)
        let start = Int64(fileType.count + index().count) + 16
        let offsets = place(runs, from: start, excerpt, new)
        for (table, number) in excerpt.cuts.indices.filter({ excerpt.has(track: $0, new) }).enumerated() {
            tables[table].moveChunks(to: zip(runs, offsets).compactMap { $0.track == number ? $1 : nil })
        }
        head = ByteChain(fileType)
        head.append(index())
        var header = BoxWriter()
        header.integer(UInt32(1))  // a 64-bit size follows the type (ISO/IEC 14496-12, 4.2)
        header.code("mdat")
        header.integer(UInt64(size - start + 16))
        head.append(header.bytes)
    }

    /// The head as one array.
    public var headBytes: [UInt8] { head.parts.flatMap { $0 } }

    private static func table(
        of runs: [SampleRun], _ entries: [Int], _ excerpt: MovieExcerpt, _ new: MovieExcerpt.NewSamples
    ) -> SampleTable {
        var table = SampleTable()
        for run in runs {
            let track = excerpt.index.tracks[run.track]
            for sample in run.samples {
                let own = run.role == .new ? excerpt.newSample(sample, ofTrack: run.track, new) : nil
                let isEncoded = track.description.isVideo && own != nil
                table.append(
                    size: own.map { UInt32(clamping: $0.count) } ?? track.sizes[sample],
                    duration: track.description.hasOwnDurations
                        ? excerpt.duration(of: sample, in: track) : track.description.sampleDuration,
                    isSync: isEncoded ? sample == excerpt.frames.lowerBound : track.isSync[sample])
            }
            let entry = UInt32((entries.firstIndex(of: run.entry) ?? 0) + 1)
            table.appendChunk(offset: 0, length: UInt32(run.samples.count), entry: entry)
        }
        return table
    }

    /// Makes the pieces. The first one begins at `start` or a little later. Returns the place of each run.
    private mutating func place(
        _ runs: [SampleRun], from start: Int64, _ excerpt: MovieExcerpt, _ new: MovieExcerpt.NewSamples
    ) -> [Int64] {
        var offsets = Array(repeating: Int64(0), count: runs.count)
        var end = start
        var next = 0
        while next < runs.count {
            let run = runs[next]
            if run.role == .new {
                let bytes = run.samples.flatMap { excerpt.newSample($0, ofTrack: run.track, new) ?? [] }
                pieces.append(.new(bytes, at: end))
                offsets[next] = end
                end += run.length
                next += 1
                continue
            }
            var last = next
            while last + 1 < runs.count, runs[last + 1].continuesCopy { last += 1 }
            let bytes = run.offset..<runs[last].end
            if bytes.upperBound - bytes.lowerBound >= Self.smallestAligned {
                end += (bytes.lowerBound - end) & (DiskFile.blockSize - 1)
            }
            pieces.append(.copied(bytes, at: end))
            for index in next...last { offsets[index] = end + runs[index].offset - bytes.lowerBound }
            end += bytes.upperBound - bytes.lowerBound
            next = last + 1
        }
        size = end
        return offsets
    }
}

extension MovieExcerpt {
    /// Whether a part of the track is in the excerpt. Input is not if it is not written anew.
    fileprivate func has(track: Int, _ new: NewSamples) -> Bool {
        cuts[track] != nil && (track != index.input || !new.input.isEmpty)
    }

    /// The bytes of a sample that is written anew; nil: it is copied.
    fileprivate func newSample(_ sample: Int, ofTrack track: Int, _ new: NewSamples) -> [UInt8]? {
        if track == 0 { return encodedFrames.contains(sample) ? new.frames[sample - encodedFrames.lowerBound] : nil }
        guard track == index.input else { return nil }
        if sample == inputSamples.lowerBound { return new.input.first }
        return sample == inputSamples.upperBound - 1 ? new.input.last : nil
    }
}

/// Consecutive samples of one track in the recording that an excerpt treats alike.
struct SampleRun {
    enum Role { case dropped, new, copied }

    let role: Role
    /// The track's index in the recording.
    let track: Int
    /// The index of the samples' entry in the recording.
    let entry: Int
    var samples: Range<Int>
    /// The place in the recording.
    let offset: Int64
    var end: Int64
    /// The previous run in the file is copied too, and no removed sample lies between them.
    var continuesCopy = false

    /// The bytes of samples that are written anew.
    var newBytes: Int64 = 0

    /// In the excerpt, in bytes.
    var length: Int64 { role == .new ? newBytes : end - offset }

    /// The runs of an excerpt, in the order of the recording.
    static func all(of excerpt: MovieExcerpt, _ new: MovieExcerpt.NewSamples) -> [SampleRun] {
        var kept: [SampleRun] = []
        var (end, isCopied) = (Int64(0), false)
        let all = inOrder(excerpt.index.tracks) { track, sample in
            guard excerpt.has(track: track, new), excerpt.cuts[track]?.samples.contains(sample) == true else {
                return .dropped
            }
            return excerpt.newSample(sample, ofTrack: track, new) == nil ? .copied : .new
        }
        for var run in all {
            run.continuesCopy = run.role == .copied && isCopied && run.offset - end <= ExcerptLayout.largestGap
            (end, isCopied) = (run.end, run.role == .copied)
            if run.role == .new {
                run.newBytes = run.samples.reduce(0) {
                    $0 + Int64(excerpt.newSample($1, ofTrack: run.track, new)?.count ?? 0)
                }
            }
            if run.role != .dropped { kept.append(run) }
        }
        return kept
    }

    /// Whether no two samples share a byte.
    static func areDisjoint(_ tracks: [IndexedTrack]) -> Bool {
        let runs = inOrder(tracks) { _, _ in .copied }
        return zip(runs, runs.dropFirst()).allSatisfy { $0.end <= $1.offset }
    }

    private static func inOrder(_ tracks: [IndexedTrack], role: (Int, Int) -> Role) -> [SampleRun] {
        tracks.enumerated().flatMap { number, track in runs(of: track, number: number) { role(number, $0) } }
            .sorted { $0.offset < $1.offset }
    }

    private static func runs(of track: IndexedTrack, number: Int, role: (Int) -> Role) -> [SampleRun] {
        var runs: [SampleRun] = []
        for sample in track.sizes.indices {
            let (offset, own, entry) = (track.offsets[sample], role(sample), track.entry(of: sample))
            let end = offset + Int64(track.sizes[sample])
            if let last = runs.last, last.role == own, last.entry == entry, last.end == offset {
                runs[runs.count - 1].end = end
                runs[runs.count - 1].samples = last.samples.lowerBound..<sample + 1
            } else {
                runs.append(
                    SampleRun(
                        role: own, track: number, entry: entry, samples: sample..<sample + 1, offset: offset, end: end))
            }
        }
        return runs
    }
}
