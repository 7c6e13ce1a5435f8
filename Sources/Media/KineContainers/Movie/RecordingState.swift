// The state of a Kinecast file, read from its first bytes.

enum RecordingState: Equatable {
    /// Unfinished: still being recorded, or after a crash. `knownEnd`: the recording's end, if finishing had begun.
    case recording(knownEnd: Int64?)
    /// Finished; the index should be at this offset.
    case finished(index: Int64)
    /// Finished, and the index was moved to the front.
    case indexFirst
    /// Cut off before the first fragment.
    case empty
    /// Not written by Kinecast.
    case foreign

    init(of file: any StorageFile) throws(StorageError) {
        let start = try file.read(at: 0, count: Int(RecordingLayout.movieOffset))
        let known = start.prefix(Int(RecordingLayout.switchOffset))
        var reader = BoxReader(start.dropFirst(known.count))
        guard RecordingLayout.fileTypes.contains(where: { $0.starts(with: known) }) else {
            self = .foreign
            return
        }
        guard let size = try? reader.integer(UInt32.self), let type = try? reader.code(), reader.remaining == 8 else {
            self = .empty
            return
        }
        let content = Array(reader.rest())
        let number = content.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // Clamped to an impossible offset.
        let index = RecordingLayout.switchOffset + Int64(clamping: min(number, 1 << 62))
        self =
            switch (type, size) {
            case ("free", 16): .recording(knownEnd: content == RecordingLayout.mark ? nil : index - 8)
            case ("mdat", 1): .finished(index: index)
            case ("moov", _): .indexFirst
            default: .foreign
            }
    }
}

extension StorageFile {
    /// The content of the box at `offset` without its header, if its type matches and it is complete and small enough.
    func content(
        of type: FourCharacterCode, at offset: Int64, atMost limit: Int
    ) throws(StorageError) -> [UInt8]? {
        guard let place = try contentRange(of: type, at: offset, atMost: limit) else { return nil }
        return try read(at: place.lowerBound, count: place.count)
    }

    /// The range of that content, without reading it.
    func contentRange(
        of type: FourCharacterCode, at offset: Int64, atMost limit: Int
    ) throws(StorageError) -> Range<Int64>? {
        var header = BoxReader(try read(at: offset, count: 8))
        guard let boxSize = try? Int(header.integer(UInt32.self)), let found = try? header.code(), found == type,
            8...limit ~= boxSize, offset + Int64(boxSize) <= (try size())
        else { return nil }
        return offset + 8..<offset + Int64(boxSize)
    }
}
