// Chapters in a file. While it is recorded, each mark is a free box between two fragments, which players skip and
// recovery reads. A finished file has them in Nero's chpl box, the form that players have in common.
import KineMedia

// A mark: free, with a magic, the start in ticks of the movie, and the title.
extension Chapter {
    /// The bytes of a mark: 24 and a title.
    static let markSizes = 25...24 + longestTitle
    /// Its second half is not "moov", which stands there in the free box around an unfinished index.
    private static let magic = Array("kinemark".utf8)

    /// The start in ticks of the movie.
    var ticks: UInt64 { PendingSamples.ticks(start) }

    init(ticks: UInt64, title: String) { self.init(start: RecordingLayout.duration(ticks: ticks), title: title) }

    var mark: [UInt8] {
        var writer = BoxWriter()
        writer.box("free") {
            $0.append(Self.magic)
            $0.integer(ticks)
            $0.append(Array(title.utf8))
        }
        return writer.bytes
    }

    /// Reads a mark, which is one whole box.
    init(mark bytes: ArraySlice<UInt8>) throws(MalformedBox) {
        var content = try BoxReader(bytes).box("free")
        guard content.rest().starts(with: Self.magic) else { throw MalformedBox() }
        try content.skip(Self.magic.count)
        let ticks = try content.integer(UInt64.self)
        self.init(ticks: ticks, title: try content.title(content.remaining))
    }
}

// chpl in the moov's udta (ISO/IEC 14496-12, 8.10.1). Nero published no specification: this is version 1 as FFmpeg
// writes it, four reserved bytes, a count of 8 bits, and of each chapter its start in 100 ns and its title.
extension Chapter {
    private static let firstTitle = "Start"
    /// In 100 ns: later starts are damage, and would overflow.
    private static let latestStart: UInt64 = 90_000_000_000_000_000

    /// The udta of a movie that ends at `end`; empty without chapters before that.
    static func userData(_ marks: [Chapter], before end: MediaTime) -> [UInt8] {
        var chapters = marks.filter { $0.start < end }
        guard let first = chapters.first else { return [] }
        if first.start > .zero { chapters.insert(Chapter(start: .zero, title: firstTitle), at: 0) }
        var writer = BoxWriter()
        writer.box("udta") {
            $0.fullBox("chpl", version: 1) {
                $0.zeros(4)
                $0.integer(UInt8(clamping: chapters.count))
                for chapter in chapters {
                    $0.integer(UInt64(max(0, chapter.start.nanoseconds)) / 100)
                    $0.integer(UInt8(clamping: chapter.title.utf8.count))
                    $0.append(Array(chapter.title.utf8))
                }
            }
        }
        return writer.bytes
    }

    /// The most bytes of `userData`.
    static func userDataBound(_ marks: [Chapter]) -> Int {
        marks.reduce(64) { $0 + 9 + $1.title.utf8.count }
    }

    /// Reads the chapters of a moov. Without a chpl there are none.
    static func all(in movie: BoxReader) throws(MalformedBox) -> [Chapter] {
        guard var list = try movie.first("udta")?.first("chpl") else { return [] }
        guard try list.versionAndFlags().version == 1 else { throw MalformedBox() }
        try list.skip(4)
        let count = try list.integer(UInt8.self)
        var chapters: [Chapter] = []
        for _ in 0..<count {
            let start = try list.integer(UInt64.self)
            guard start <= latestStart else { throw MalformedBox() }
            let length = Int(try list.integer(UInt8.self))
            chapters.append(
                Chapter(start: MediaTime(nanoseconds: Int64(start) * 100), title: try list.title(length)))
        }
        guard list.remaining == 0, chapters.first?.start == .zero,
            zip(chapters, chapters.dropFirst()).allSatisfy({ $0.start <= $1.start })
        else { throw MalformedBox() }
        return chapters
    }
}

extension BoxReader {
    /// A title of `length` bytes that a chapter can have.
    fileprivate mutating func title(_ length: Int) throws(MalformedBox) -> String {
        let bytes = rest().prefix(length)
        try skip(length)
        guard let title = String(validating: bytes, as: UTF8.self), Chapter.problem(ofTitle: title) == nil else {
            throw MalformedBox()
        }
        return title
    }
}
