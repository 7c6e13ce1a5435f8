// The state, the duration, the size and the chapters of a recording, for lists: read from a few hundred bytes and the
// chapters, however long it is. RecordingIndex reads and checks the samples.
import KineMedia

extension RecordingSummary {
    /// Reads the file at `path` without a lock, so a writer may have it open.
    public init(reading path: String) throws(StorageError) { try self.init(of: DiskFile.openUnlocked(path)) }

    /// As above, for any file.
    public init(of file: any StorageFile) throws(StorageError) {
        switch try RecordingState(of: file) {
        case .foreign: self = .foreign
        case .empty: self = .empty
        case .indexFirst:
            let finished = try Self.finished(file, at: RecordingLayout.switchOffset)
            self = finished ?? .foreign
        case .finished(let index):
            // Without an index, the fragments remain.
            if let finished = try Self.finished(file, at: index) { self = finished } else { fallthrough }
        case .recording: self = try Self.unfinished(file)
        }
    }

    private static func unfinished(_ file: any StorageFile) throws(StorageError) -> RecordingSummary {
        let place = try file.contentRange(of: "moov", at: RecordingLayout.movieOffset, atMost: 1 << 20)
        guard let place, try file.size() > place.upperBound else { return .empty }
        return .unfinished
    }

    /// Nil: there is no index of the writer's form.
    private static func finished(_ file: any StorageFile, at offset: Int64) throws(StorageError) -> RecordingSummary? {
        do {
            guard let place = try file.contentRange(of: "moov", at: offset, atMost: .max) else { return nil }
            return .finished(try Finished(IndexBox(file: file, content: place)))
        } catch let error as StorageError {
            throw error
        } catch {
            return nil
        }
    }
}

extension RecordingSummary.Finished {
    /// The most bytes of the box with the chapters.
    private static let largestUserData = 64 + (Chapter.mostMarks + 1) * (9 + Chapter.longestTitle)

    fileprivate init(_ movie: IndexBox) throws {
        let boxes = try movie.boxes()
        guard var header = try boxes["mvhd"]?.first?.head(32), boxes["mvex"] == nil else { throw MalformedBox() }
        let wide = try header.versionAndFlags().version == 1
        try header.skip(wide ? 16 : 8)
        guard try header.integer(UInt32.self) == MovieDescription.timescale else { throw MalformedBox() }
        let duration = RecordingLayout.duration(ticks: min(try header.integer(wide: wide), 1 << 50))
        var (hasAudio, hasInput) = (false, false)
        var size: PixelSize?
        for track in boxes["trak"] ?? [] {
            var handler = try track.box("mdia").box("hdlr").head(12)
            try handler.skip(8)
            let kind = try handler.code()
            hasAudio = hasAudio || kind == "soun"
            hasInput = hasInput || kind == "meta"
            if kind == "vide", size == nil { size = try track.box("tkhd").head(96).trackHeader().size }
        }
        guard let size, duration > .zero else { throw MalformedBox() }
        var chapters: [Chapter] = []
        if let place = boxes["udta"]?.first?.content, place.count <= Self.largestUserData {
            let box = BoxReader(try movie.file.read(at: place.lowerBound - 8, count: place.count + 8))
            chapters = (try? Chapter.all(in: box)) ?? []
        }
        self.init(duration: duration, size: size, hasAudio: hasAudio, hasInput: hasInput, chapters: chapters)
    }
}
