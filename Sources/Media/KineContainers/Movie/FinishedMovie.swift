// The index of a finished file, read in pieces: a damaged one may claim a gigabyte, most of it a hole in the file.
// RecordingIndex reads it whole, once this has bounded its counts.
import KineMedia

/// The totals of a finished file, of the samples that lie inside the file's data.
///
/// No size of a sample is zero, so each has four bytes in the file that are no hole. An entry of another table stands for
/// one sample at least, and the rest of the index is small: a whole index is bounded by bytes that are there.
struct FinishedMovie {
    private(set) var duration: MediaTime
    /// In the index, of samples that may be missing.
    let promisedDuration: MediaTime
    private(set) var frames = 0
    private(set) var audioAccessUnits = 0
    /// The samples of all tracks together.
    private(set) var samples = 0
    /// Whether all samples in the index lie there.
    private(set) var isWhole = true

    /// The most bytes of an index without its tables of samples.
    private static let largestRest = 1 << 20

    /// Reads the moov at `offset`; nil if the writer wrote none there. If the index was moved to the front (`isFirst`),
    /// the samples come after it, otherwise before it.
    init?(in file: any StorageFile, at offset: Int64, isFirst: Bool = false) throws(StorageError) {
        do {
            guard let index = try file.contentRange(of: "moov", at: offset, atMost: .max) else { return nil }
            let data =
                isFirst ? index.upperBound..<(try file.size()) : min(RecordingLayout.movieOffset, offset)..<offset
            try self.init(reading: IndexBox(file: file, content: index), data: data)
        } catch let error as StorageError {
            throw error
        } catch {
            return nil
        }
    }

    private init(reading movie: IndexBox, data: Range<Int64>) throws {
        let boxes = try movie.boxes()
        guard var header = try boxes["mvhd"]?.first?.head(32), boxes["mvex"] == nil else { throw MalformedBox() }
        let wide = try header.versionAndFlags().version == 1
        try header.skip(wide ? 16 : 8)
        guard try header.integer(UInt32.self) == MovieDescription.timescale else { throw MalformedBox() }
        promisedDuration = RecordingLayout.duration(ticks: try header.integer(wide: wide))
        duration = promisedDuration
        var rest = movie.content.count
        for track in boxes["trak"] ?? [] {
            let media = try track.box("mdia").boxes()
            guard var handler = try media["hdlr"]?.first?.head(12), let information = media["minf"]?.first else {
                throw MalformedBox()
            }
            try handler.skip(8)
            let kind = try handler.code()
            let tables = try information.box("stbl").boxes()
            let (count, all, bytes) = try Self.samples(tables, in: data)
            rest -= bytes
            if kind == "vide" { frames += count } else if kind == "soun" { audioAccessUnits += count }
            samples += count
            if kind == "vide", count < all { duration = try Self.duration(of: count, in: tables) }
            isWhole = isWhole && count == all
        }
        guard samples > 0, rest <= Self.largestRest else { throw MalformedBox() }
    }

    /// The number of consecutive samples of a track in `data`, from the first on, the number in the index, and the bytes
    /// of its tables.
    private static func samples(
        _ tables: [FourCharacterCode: [IndexBox]], in data: Range<Int64>
    ) throws -> (count: Int, all: Int, bytes: Int) {
        let isWide = tables["stco"] == nil
        var sizes = try IndexTable(tables["stsz"], skipping: 8)
        var chunks = try IndexTable(tables[isWide ? "co64" : "stco"], isWide: isWide)
        var lengths = try IndexTable(tables["stsc"], numbersInEntry: 3)
        let durations = try IndexTable(tables["stts"], numbersInEntry: 2)
        let syncSamples = try tables["stss"].map { try IndexTable($0) }
        let all = sizes.count
        guard lengths.count / 3 <= chunks.count, max(chunks.count, durations.count / 2, syncSamples?.count ?? 0) <= all
        else { throw MalformedBox() }
        let bytes = [sizes, chunks, lengths, durations, syncSamples].reduce(0) { $0 + ($1?.byteCount ?? 0) }
        var (count, position) = (0, UInt64(data.lowerBound))
        var (chunk, length, next) = (UInt64(0), UInt64(0), UInt64(0))
        while let offset = try chunks.next(), offset >= position, offset <= UInt64(data.upperBound) {
            chunk += 1
            position = offset
            if next < chunk { next = try lengths.next() ?? .max }
            guard next >= chunk else { throw MalformedBox() }
            if next == chunk, let new = try lengths.next(), try lengths.next() != nil { length = new }
            guard length > 0 else { throw MalformedBox() }
            for _ in 0..<length {
                guard let size = try sizes.next(), size > 0 else { throw MalformedBox() }
                guard size <= UInt64(data.upperBound) - position else { return (count, all, bytes) }
                position += size
                count += 1
            }
        }
        return (count, all, bytes)
    }

    /// The duration of the first `count` frames.
    private static func duration(of count: Int, in tables: [FourCharacterCode: [IndexBox]]) throws -> MediaTime {
        var runs = try IndexTable(tables["stts"], numbersInEntry: 2)
        var (ticks, left) = (UInt64(0), UInt64(count))
        while left > 0, ticks < 1 << 62, let run = try runs.next(), let each = try runs.next() {
            ticks += min(min(run, left) * each, 1 << 62)
            left -= min(run, left)
        }
        return RecordingLayout.duration(ticks: ticks)
    }
}

/// The place of a box in a file.
struct IndexBox {
    let file: any StorageFile
    let content: Range<Int64>

    /// The writer makes a dozen at most, and a trak for each of sixteen tracks.
    private static let mostBoxes = 64

    /// The boxes inside this one.
    func boxes() throws -> [FourCharacterCode: [IndexBox]] {
        var found: [FourCharacterCode: [IndexBox]] = [:]
        var (position, count) = (content.lowerBound, 0)
        while position < content.upperBound {
            var header = BoxReader(try file.read(at: position, count: 8))
            let (size, type) = (Int64(try header.integer(UInt32.self)), try header.code())
            count += 1
            guard size >= 8, size <= content.upperBound - position, count <= Self.mostBoxes else {
                throw MalformedBox()
            }
            found[type, default: []].append(IndexBox(file: file, content: position + 8..<position + size))
            position += size
        }
        return found
    }

    func box(_ type: FourCharacterCode) throws -> IndexBox {
        guard let box = try boxes()[type]?.first else { throw MalformedBox() }
        return box
    }

    /// The first `count` bytes, or all.
    func head(_ count: Int) throws(StorageError) -> BoxReader {
        BoxReader(try file.read(at: content.lowerBound, count: min(count, content.count)))
    }
}

/// The numbers in a table of the index, read in pieces of 64 KiB.
private struct IndexTable {
    private var window: FileWindow
    private var position: Int64
    private let isWide: Bool
    /// The numbers that are left.
    private(set) var count: Int
    /// The bytes of the table's box.
    let byteCount: Int

    /// - Parameter skipping: bytes before the number of entries.
    init(_ boxes: [IndexBox]?, skipping: Int = 4, numbersInEntry: Int = 1, isWide: Bool = false) throws {
        guard let box = boxes?.first else { throw MalformedBox() }
        var head = try box.head(skipping + 4)
        try head.skip(skipping)
        count = Int(try head.integer(UInt32.self)) * numbersInEntry
        guard box.content.count - skipping - 4 == count * (isWide ? 8 : 4) else { throw MalformedBox() }
        byteCount = box.content.count
        window = FileWindow(file: box.file, end: box.content.upperBound)
        (position, self.isWide) = (box.content.lowerBound + Int64(skipping) + 4, isWide)
    }

    mutating func next() throws -> UInt64? {
        guard count > 0 else { return nil }
        let size = isWide ? 8 : 4
        var reader = BoxReader(try window.read(at: position, count: size, ahead: 64 << 10))
        position += Int64(size)
        count -= 1
        return try reader.integer(wide: isWide)
    }
}
