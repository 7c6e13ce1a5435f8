// Reads the sample tables of a finished track (ISO/IEC 14496-12, 8.6 and 8.7).
import KineMedia

extension IndexedTrack {
    /// Reads a trak. Every sample lies inside the file, after the previous one.
    init(reading track: BoxReader, fileSize: Int64) throws(MalformedBox) {
        let table = try track.box("mdia", "minf", "stbl")
        let sizes = try table.sampleSizes()
        guard !sizes.isEmpty, let largest = sizes.max() else { throw MalformedBox() }
        let (starts, end, longest) = try table.sampleTimes(count: sizes.count)
        description = try TrackDescription(reading: track, sampleDuration: longest)
        guard end < 1 << 50 else { throw MalformedBox() }  // 396 years
        // All samples of audio have the same duration.
        guard description.hasOwnDurations || end == UInt64(longest) * UInt64(sizes.count) else { throw MalformedBox() }
        isSync = try table.syncSamples(count: sizes.count)
        guard isSync[0], Int(largest) <= description.largestSample else { throw MalformedBox() }
        if case .video(_, let size) = description.kind {
            let longest = VideoCodec.frameSides.upperBound
            guard size.width <= longest, size.height <= longest else { throw MalformedBox() }
        }
        (offsets, entryRuns) = try table.samplePlaces(
            sizes: sizes, fileSize: fileSize, entryCount: description.sampleEntries.count)
        (self.sizes, self.starts, self.end) = (sizes, starts, end)
        let wholeTicks = MovieBox.movieDuration(of: description, mediaDuration: end)
        shownTicks = min(wholeTicks, try track.editDuration() ?? wholeTicks)
    }
}

extension BoxReader {
    /// Reads stsz of a stbl.
    fileprivate func sampleSizes() throws(MalformedBox) -> [UInt32] {
        var box = try box("stsz")
        try box.skip(4)
        guard try box.integer(UInt32.self) == 0 else { throw MalformedBox() }
        return try box.numbers(try box.count(ofBytes: 4))
    }

    /// Reads stts of a stbl: the ticks at which samples start, the tick of the end, and the longest duration.
    fileprivate func sampleTimes(
        count: Int
    ) throws(MalformedBox) -> (starts: [UInt64], end: UInt64, longest: UInt32) {
        var box = try box("stts")
        try box.skip(4)
        let runs = try box.count(ofBytes: 8)
        var starts: [UInt64] = []
        starts.reserveCapacity(count)
        var (end, longest) = (UInt64(0), UInt32(0))
        for _ in 0..<runs {
            let (length, duration) = (Int(try box.integer(UInt32.self)), try box.integer(UInt32.self))
            guard length <= count - starts.count, duration > 0 else { throw MalformedBox() }
            for _ in 0..<length {
                starts.append(end)
                end += UInt64(duration)
            }
            longest = max(longest, duration)
        }
        guard starts.count == count else { throw MalformedBox() }
        return (starts, end, longest)
    }

    /// Reads stss of a stbl. Without one, every sample is a sync sample.
    fileprivate func syncSamples(count: Int) throws(MalformedBox) -> [Bool] {
        guard var box = try first("stss") else { return Array(repeating: true, count: count) }
        var isSync = Array(repeating: false, count: count)
        try box.skip(4)
        for number in try box.numbers(try box.count(ofBytes: 4)) {
            guard 1...count ~= Int(number) else { throw MalformedBox() }
            isSync[Int(number) - 1] = true
        }
        return isSync
    }

    /// The place of each sample, and where its sample entry changes, from stsc, stsz and stco or co64 of a stbl.
    fileprivate func samplePlaces(
        sizes: [UInt32], fileSize: Int64, entryCount: Int
    ) throws(MalformedBox) -> (offsets: [Int64], entries: [IndexedTrack.EntryRun]) {
        let isWide = try first("stco") == nil
        var chunks = try box(isWide ? "co64" : "stco")
        try chunks.skip(4)
        let chunkCount = try chunks.count(ofBytes: isWide ? 8 : 4)
        var lengths = try box("stsc")
        try lengths.skip(4)
        var runs = try lengths.count(ofBytes: 12)
        var offsets: [Int64] = []
        offsets.reserveCapacity(sizes.count)
        var entries: [IndexedTrack.EntryRun] = []
        var (position, length, entry, next) = (Int64(0), 0, 0, 0)
        for chunk in 1..<chunkCount + 1 {
            if runs > 0, next == 0 { next = Int(try lengths.integer(UInt32.self)) }
            if runs > 0, next == chunk {
                length = Int(try lengths.integer(UInt32.self))
                entry = Int(try lengths.integer(UInt32.self)) - 1
                (runs, next) = (runs - 1, 0)
            }
            if entries.last?.entry != entry {
                guard 0..<entryCount ~= entry, entries.count < IndexedTrack.mostEntryRuns else { throw MalformedBox() }
                entries.append(IndexedTrack.EntryRun(first: offsets.count, entry: entry))
            }
            let offset = Int64(clamping: try chunks.integer(wide: isWide))
            guard offset >= position, length >= 1, length <= sizes.count - offsets.count else { throw MalformedBox() }
            position = offset
            for _ in 0..<length {
                let size = Int64(sizes[offsets.count])
                guard size > 0, position <= fileSize - size else { throw MalformedBox() }
                offsets.append(position)
                position += size
            }
        }
        guard offsets.count == sizes.count, runs == 0 else { throw MalformedBox() }
        return (offsets, entries)
    }

    /// The duration of a trak's edit in ticks of the movie (8.6.6); nil without an edit.
    fileprivate func editDuration() throws(MalformedBox) -> UInt64? {
        guard let edits = try first("edts") else { return nil }
        var list = try edits.box("elst")
        let wide = try list.versionAndFlags().version == 1
        guard try list.integer(UInt32.self) == 1 else { throw MalformedBox() }
        return try list.integer(wide: wide)
    }

    /// Reads a number of entries, which must fill the rest of this table. `size`: bytes of an entry.
    private mutating func count(ofBytes size: Int) throws(MalformedBox) -> Int {
        let count = Int(try integer(UInt32.self))
        guard remaining == count * size else { throw MalformedBox() }
        return count
    }

    private mutating func numbers(_ count: Int) throws(MalformedBox) -> [UInt32] {
        var numbers: [UInt32] = []
        numbers.reserveCapacity(count)
        for _ in 0..<count { numbers.append(try integer()) }
        return numbers
    }
}
