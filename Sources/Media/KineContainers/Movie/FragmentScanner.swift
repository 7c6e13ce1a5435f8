// Scans a recording's fragments, skips damage, stops at a cut-off end, and builds the tables of the index. Reads only
// the fragments' headers, except near the end of the file, where it reads the samples too.

import KineMedia

struct FragmentScanner {
    private let file: any StorageFile
    /// With the sample entries of all marks so far.
    private(set) var movie: MovieDescription
    /// The number of the frames' sample entry at the present place.
    private var entry: UInt32 = 1
    private var window: FileWindow
    /// The bytes of false fragments that may still be searched a second time. Once used up, the search continues after
    /// each false fragment: crafted bytes could nest them without end.
    private var rescanAllowance: Int64
    /// One for each track of the movie.
    private(set) var tables: [SampleTable]
    private(set) var chapters: [Chapter] = []
    /// The offset at which the recording ends: the end of the file, or the start of an incomplete index.
    private(set) var end: Int64
    /// Bytes between fragments that are not part of one.
    private(set) var skippedBytes: Int64 = 0

    /// Samples this close to the end are read and checked: a power cut can leave holes in the last second or two, which
    /// were not yet synchronized.
    private static let doubtfulEnd: Int64 = 32 << 20
    /// A larger moof is damage: the writer's contain a few seconds at most.
    private static let largestMovieFragment = 8 << 20
    /// Bytes read at once while one fragment follows the other.
    private static let step = 4096
    /// Bytes read at once in a search.
    private static let searchStep = 1 << 20

    init(file: any StorageFile, movie: MovieDescription, end: Int64) {
        self.file = file
        self.movie = movie
        self.end = end
        window = FileWindow(file: file, end: end)
        rescanAllowance = 4 * end
        tables = movie.tracks.map { _ in SampleTable() }
    }

    /// Adds every fragment from `start` on to the tables. Reads each byte a few times at most.
    mutating func scan(from start: Int64) throws(StorageError) {
        var position = start
        while position < end {
            let found = try addFragment(at: position)
            if case .fragment(let length) = found {
                position += length
            } else if position + 8 <= end,
                try window.read(at: position, count: 8, ahead: Self.step) == RecordedFragment.padding[...]
            {
                position += 8
            } else if let length = try addMark(at: position) {
                position += length
            } else if try Self.isUnfinishedIndex(file, at: position) {
                end = position
            } else {
                let next = try nextFragment(from: resumption(after: found, at: position)) ?? end
                skippedBytes += next - position
                position = next
            }
        }
    }

    private enum Finding {
        /// A valid fragment was added; its length in bytes, even if the end of the file cuts it.
        case fragment(length: Int64)
        /// No valid fragment. `claimed`: the bytes that were read for the check.
        case nothing(claimed: Int)
    }

    /// Adds the samples of the fragment at `position` to the tables, if it is valid.
    private mutating func addFragment(at position: Int64) throws(StorageError) -> Finding {
        let (candidate, claimed) = try fragment(at: position, ahead: Self.step)
        guard let fragment = candidate, follows(fragment) else { return .nothing(claimed: claimed) }
        let (intact, lost) = try intact(fragment, at: position)
        add(intact, at: position)
        skippedBytes += lost
        return .fragment(length: Int64(fragment.movieFragmentSize + 8 + fragment.payloadSize))
    }

    /// Adds the chapter of the mark at `position`, unless it repeats an earlier one or there are too many, or notes the
    /// sample entry of the mark. Returns the mark's length in bytes; nil without a whole and valid mark.
    private mutating func addMark(at position: Int64) throws(StorageError) -> Int64? {
        var header = BoxReader(try window.read(at: position, count: 4, ahead: Self.step))
        guard let size = try? Int(header.integer(UInt32.self)),
            Chapter.markSizes ~= size || SampleEntry.markSizes ~= size
        else { return nil }
        let bytes = try window.read(at: position, count: size, ahead: Self.step)
        if let found = try? SampleEntry.entry(inMark: bytes), VideoCodec(sampleEntry: found) == movie.videoCodec {
            entry = movie.tracks[0].number(of: found)
            return Int64(size)
        }
        guard let chapter = try? Chapter(mark: bytes) else { return nil }
        let earliest = chapters.last.map { $0.ticks + 1 } ?? 0
        if chapters.count < Chapter.mostMarks, chapter.ticks >= earliest { chapters.append(chapter) }
        return Int64(size)
    }

    /// Where the search continues after something that is not a fragment.
    private mutating func resumption(after finding: Finding, at position: Int64) -> Int64 {
        guard case .nothing(let claimed) = finding else { return position + 1 }
        rescanAllowance -= Int64(claimed)
        return position + (rescanAllowance < 0 ? Int64(max(1, claimed)) : 1)
    }

    /// Whether the bytes from `offset` to the end of the file are an index, or its beginning, that was not made valid:
    /// a free box that contains a moov and reaches at least to the end of the file.
    static func isUnfinishedIndex(_ file: any StorageFile, at offset: Int64) throws(StorageError) -> Bool {
        let bytes = try file.read(at: offset, count: 16)
        for (start, type) in [(4, "free"), (12, "moov")] {
            guard zip(bytes.dropFirst(start), type.utf8).allSatisfy(==) else { return false }
        }
        var reader = BoxReader(bytes)
        guard let size = try? reader.integer(UInt32.self) else { return true }  // the file ends within the box's size
        return offset + Int64(size) >= (try file.size())
    }

    /// The fragment at `position`, if it is valid; the end of the file may cut its samples. `claimed`: the bytes read.
    private mutating func fragment(
        at position: Int64, ahead: Int
    ) throws(StorageError) -> (ParsedFragment?, claimed: Int) {
        var header = BoxReader(try window.read(at: position, count: 16, ahead: ahead))
        guard let size = try? Int(header.integer(UInt32.self)), let type = try? header.code(), type == "moof",
            let first = try? header.integer(UInt32.self), first == 16, let inner = try? header.code(), inner == "mfhd",
            8...Self.largestMovieFragment ~= size, position + Int64(size) + 8 <= end
        else { return (nil, 0) }
        let bytes = try window.read(at: position, count: size + 8, ahead: ahead)
        guard bytes.count == size + 8 else { return (nil, 0) }
        // First the header after it: it is cheap to read, and shows most damage.
        var data = BoxReader(bytes.suffix(8))
        guard let dataSize = try? Int(data.integer(UInt32.self)), let dataType = try? data.code(), dataType == "mdat",
            let fragment = try? ParsedFragment(reading: BoxReader(bytes.dropLast(8).dropFirst(8)), movie: movie),
            dataSize == fragment.payloadSize + 8
        else { return (nil, size) }
        return (fragment, size)
    }

    /// The fragment without samples that the end of the file cuts off or that were never written, and the number of
    /// their bytes in the file.
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

    /// Searches the next valid fragment from `position` on, after damage. Returns where it begins, or the mark of its format.
    private mutating func nextFragment(from position: Int64) throws(StorageError) -> Int64? {
        var start = position
        search: while start + 8 < end {
            // Only the size before a fragment's type can be zeros.
            start = max(start, try file.dataOffset(from: start) - 4)
            let bytes = try window.contents(from: start, atLeast: 8, ahead: Self.searchStep)
            guard bytes.count >= 8 else { return nil }
            var index = bytes.startIndex + 4
            while let found = Self.fragmentType(in: bytes, from: index) {
                let candidate = start + Int64(found - bytes.startIndex) - 4
                // Reads ahead for the largest fragment, so that bytes are not read again for each candidate.
                let (fragment, claimed) = try fragment(at: candidate, ahead: Self.largestMovieFragment)
                if fragment != nil {
                    let before = max(position, candidate - Int64(SampleEntry.markSizes.upperBound))
                    let bytes = try file.read(at: before, count: Int(candidate - before))
                    return SampleEntry.start(ofMarkEnding: bytes[...]).map { before + Int64($0) } ?? candidate
                }
                let next = resumption(after: .nothing(claimed: claimed), at: candidate)
                if next > candidate + 1 {
                    start = next
                    continue search
                }
                index = found + 1
            }
            start += Int64(bytes.count - 7)
        }
        return nil
    }

    /// The index of the first "moof" from `index` on. Skips four bytes where none is a letter of it.
    private static func fragmentType(in bytes: ArraySlice<UInt8>, from index: Int) -> Int? {
        let first = bytes.startIndex
        return bytes.withUnsafeBufferPointer { bytes in
            var last = index - first + 3
            while last < bytes.count {
                switch bytes[last] {
                case UInt8(ascii: "f"):
                    if bytes[last - 3..<last].elementsEqual("moo".utf8) { return first + last - 3 }
                    last += 4
                case UInt8(ascii: "m"): last += 3
                case UInt8(ascii: "o"): last += 1
                default: last += 4
                }
            }
            return nil
        }
    }

    /// Whether a fragment begins after the existing samples.
    private func follows(_ fragment: ParsedFragment) -> Bool {
        fragment.runs.allSatisfy { run in
            let table = tables[run.track]
            let from = table.count == 0 ? 0 : table.lastStart + 1
            return run.start >= from && run.start - from < UInt64(UInt32.max)
        }
    }

    /// Adds a fragment's samples to the tables.
    private mutating func add(_ fragment: ParsedFragment, at position: Int64) {
        for run in fragment.runs {
            let track = run.track
            // The sample before a lost fragment lasts until this one, and the first sample lasts from zero: everything
            // keeps its time, and video and audio stay together. Frames of a still screen need this too.
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
            tables[track].appendChunk(
                offset: position + Int64(run.dataOffset), length: UInt32(run.sizes.count),
                entry: track == 0 ? entry : 1)
        }
    }
}
