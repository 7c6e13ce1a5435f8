// Walks over a recording's fragments, however the file ends and whatever happened in between, and builds the tables
// of the index. Reads only what fragments say of their samples, not the samples.

struct FragmentScanner {
    private let file: any StorageFile
    private let movie: MovieDescription
    /// One for each track of the movie.
    private(set) var tables: [SampleTable]
    /// Where what was recorded ends: the end of the file, or where an index begins that was never completed.
    private(set) var end: Int64
    /// Bytes between fragments that are no fragment.
    private(set) var skippedBytes: Int64 = 0

    /// How far before the end the samples themselves are looked at. A power cut can leave holes in what was not yet
    /// synchronized, a second or two; what is older is whole.
    private static let doubtfulEnd: Int64 = 32 << 20
    /// A moof larger than this is damage: the writer's hold a few seconds at most.
    private static let largestMovieFragment: Int64 = 64 << 20

    init(file: any StorageFile, movie: MovieDescription, end: Int64) {
        self.file = file
        self.movie = movie
        self.end = end
        tables = movie.tracks.map { _ in SampleTable() }
    }

    /// Takes in every fragment from `start` on.
    mutating func scan(from start: Int64) throws(StorageError) {
        var position = start
        while position < end {
            if let length = try takeFragment(at: position) {
                position += length
            } else if try file.read(at: position, count: 8) == SerializedFragment.padding, position + 8 <= end {
                position += 8
            } else if try Self.isUnfinishedIndex(file, at: position) {
                end = position
            } else {
                let next = try nextFragment(after: position) ?? end
                skippedBytes += next - position
                position = next
            }
        }
    }

    /// Adds the samples of the fragment at `position` to the tables, if there is a good one. Returns its length in bytes,
    /// what is missing of it included.
    private mutating func takeFragment(at position: Int64) throws(StorageError) -> Int64? {
        guard let fragment = try fragment(at: position) else { return nil }
        let (intact, lost) = try intact(fragment, at: position)
        guard take(intact, at: position) else { return nil }
        skippedBytes += lost
        return Int64(fragment.movieFragmentSize + 8 + fragment.payloadSize)
    }

    /// Whether the bytes from `offset` to the end of the file are an index, or the beginning of one, that was written
    /// and never made valid: a free box that reaches at least to the end, with a moov in it.
    ///
    /// Always to the end of the file, also where what was recorded is known to end before it: the few bytes in front of an
    /// index are not the beginning of another.
    static func isUnfinishedIndex(_ file: any StorageFile, at offset: Int64) throws(StorageError) -> Bool {
        let bytes = try file.read(at: offset, count: 16)
        var expected = bytes
        let types = [4: "free", 12: "moov"] as [Int: FourCharacterCode]
        for (start, type) in types {
            for index in 0..<4 where start + index < bytes.count {
                expected[start + index] = UInt8(truncatingIfNeeded: type.rawValue >> UInt32(24 - 8 * index))
            }
        }
        guard bytes == expected else { return false }
        var reader = BoxReader(bytes)
        guard let size = try? reader.integer(UInt32.self) else { return true }  // only a few bytes of it are there
        return offset + Int64(size) >= (try file.size())
    }

    /// The fragment at `position`, if there is a good one. One that the end of the file cuts counts.
    private func fragment(at position: Int64) throws(StorageError) -> ParsedFragment? {
        var bytes = try file.read(at: position, count: Int(min(4096, end - position)))
        var header = BoxReader(bytes)
        guard let size = try? Int(header.integer(UInt32.self)), let type = try? header.code(), type == "moof",
            let first = try? header.integer(UInt32.self), first == 16, let inner = try? header.code(), inner == "mfhd",
            size <= Self.largestMovieFragment, position + Int64(size) + 8 <= end
        else { return nil }
        if bytes.count < size + 8 { bytes = try file.read(at: position, count: size + 8) }
        guard bytes.count >= size + 8, size >= 8,
            let fragment = try? ParsedFragment(reading: BoxReader(bytes[8..<size]), movie: movie)
        else { return nil }
        var data = BoxReader(bytes[size..<size + 8])
        guard let dataSize = try? Int(data.integer(UInt32.self)), let dataType = try? data.code(), dataType == "mdat",
            dataSize == fragment.payloadSize + 8
        else { return nil }
        return fragment
    }

    /// The fragment without the samples that are cut off by the end of the file, or were never written; and how many bytes
    /// of those there are.
    private func intact(
        _ fragment: ParsedFragment, at position: Int64
    ) throws(StorageError) -> (ParsedFragment, lost: Int64) {
        let dataStart = position + Int64(fragment.movieFragmentSize) + 8
        var available = Int(min(Int64(fragment.payloadSize), end - dataStart))
        if end - dataStart <= Self.doubtfulEnd {
            let payload = try file.read(at: dataStart, count: available)
            available = fragment.intactPrefix(of: payload, movie: movie)
        }
        guard available < fragment.payloadSize else { return (fragment, 0) }
        var result = fragment
        result.cut(to: available)
        return (result, min(Int64(fragment.payloadSize), end - dataStart) - Int64(available))
    }

    /// Looks for the next good fragment behind a damaged place.
    private func nextFragment(after position: Int64) throws(StorageError) -> Int64? {
        let window = 256 << 10
        let type = Array("moof".utf8)
        var start = position + 1
        while start + 8 < end {
            let bytes = try file.read(at: start, count: Int(min(Int64(window), end - start)))
            var index = 4
            while index + 4 <= bytes.count {
                if bytes[index] == type[0], bytes[index + 1] == type[1], bytes[index + 2] == type[2],
                    bytes[index + 3] == type[3], try fragment(at: start + Int64(index) - 4) != nil
                {
                    return start + Int64(index) - 4
                }
                index += 1
            }
            guard bytes.count == window else { return nil }
            start += Int64(window - 7)
        }
        return nil
    }

    /// Adds a fragment's samples to the tables. Refuses a fragment that begins before the samples already there.
    private mutating func take(_ fragment: ParsedFragment, at position: Int64) -> Bool {
        for run in fragment.runs {
            let table = tables[run.track]
            let from = table.count == 0 ? 0 : table.lastStart + 1
            guard run.start >= from, run.start - from < UInt64(UInt32.max) else { return false }
        }
        for run in fragment.runs {
            let track = run.track
            // What a lost fragment leaves open is filled by the sample before it, or by the first one: everything else
            // keeps its time, and picture and sound stay together. Pictures on a still screen need this too.
            var gap: UInt32 = 0
            if tables[track].count > 0 {
                tables[track].lastDuration = UInt32(run.start - tables[track].lastStart)
            } else {
                gap = UInt32(run.start)
            }
            for (index, size) in run.sizes.enumerated() {
                let duration = run.durations?[index] ?? movie.tracks[track].sampleDuration
                let (sum, overflow) = duration.addingReportingOverflow(gap)
                tables[track].append(
                    size: size, duration: overflow ? .max : sum, isSync: run.isSync?[index] ?? true)
                gap = 0
            }
            tables[track].appendChunk(offset: position + Int64(run.dataOffset), length: UInt32(run.sizes.count))
        }
        return true
    }
}
