// Writes the file of an excerpt.

extension MovieExcerpt {
    public struct Written: Equatable, Sendable {
        public var path: String
        public var bytes: Int64
    }

    /// Throws if `write` could not use that name. Returns the path of the file that `write` makes.
    @discardableResult
    public func checkTarget(
        _ path: String, source: DiskFile, ifTaken conflict: NameConflict
    ) throws(StorageError) -> String {
        if conflict != .number, try source.isFile(at: path) { throw .isSource(path: path) }
        return try DiskFile.checkTarget(path, ifTaken: conflict)
    }

    /// Writes the excerpt to `path`. The file gets its name when it is complete; the recording is never replaced. If
    /// this throws, or the process dies, nothing has changed and no file is left.
    /// - Parameters:
    ///   - source: the recording.
    ///   - new: what is written in the place of its samples.
    ///   - progress: gets the written part of the file, from 0 to 1.
    public func write(
        from source: DiskFile, _ new: NewSamples, to path: String, ifTaken conflict: NameConflict,
        progress: (Double) -> Void = { _ in }
    ) throws(StorageError) -> Written {
        let layout = ExcerptLayout(self, new)
        let target = try checkTarget(path, source: source, ifTaken: conflict)
        let file = try DiskFile.createReplacement(for: target, isPrivate: try source.isPrivate())
        do throws(StorageError) {
            try write(layout, from: source, to: file, progress)
            // A new file need not be durable: the recording still exists.
            try file.publish(ifTaken: conflict, isDurable: conflict == .replace)
        } catch {
            file.discardTemporary()
            throw error
        }
        return Written(path: file.path, bytes: layout.size)
    }

    private func write(
        _ layout: ExcerptLayout, from source: DiskFile, to file: DiskFile,
        _ progress: (Double) -> Void
    ) throws(StorageError) {
        var position = Int64(0)
        try layout.head.forEachPiece { (piece) throws(StorageError) in
            try file.write(piece, at: position)
            position += Int64(piece.count)
        }
        for piece in layout.pieces {
            switch piece {
            case .copied(let bytes, let place):
                try file.copy(from: source, range: bytes, to: place) {
                    progress(Double(place + $0) / Double(layout.size))
                }
            case .new(let bytes, let place):
                try file.write(bytes, at: place)
                progress(Double(place) / Double(layout.size))
            }
        }
    }
}
