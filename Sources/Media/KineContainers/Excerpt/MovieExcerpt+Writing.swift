// Writes the file of an excerpt.

extension MovieExcerpt {
    /// The file that was written.
    public struct Written: Equatable, Sendable {
        public var path: String
        public var bytes: Int64
    }

    /// Throws where `write` would not get a file of that name. Returns the path that `write` makes the file for.
    @discardableResult
    public func checkTarget(
        _ path: String, source: DiskFile, ifTaken conflict: NameConflict
    ) throws(StorageError) -> String {
        if conflict != .number, try source.isFile(at: path) { throw .alreadyExists(path: path) }
        return try DiskFile.checkTarget(path, ifTaken: conflict)
    }

    /// Writes the excerpt to `path`. The file gets its name when it is whole. The recording itself is never replaced. If this throws, or the process dies, nothing is changed, and nothing is left beside the target.
    /// - Parameters:
    ///   - source: the recording.
    ///   - encoded: the access units of `encodedFrames`.
    public func write(
        from source: DiskFile, encoded: [[UInt8]], to path: String, ifTaken conflict: NameConflict
    ) throws(StorageError) -> Written {
        precondition(encoded.count == encodedFrames.count, "an access unit for each encoded frame")
        let layout = ExcerptLayout(self, encodedSizes: encoded.map { UInt32(clamping: $0.count) })
        let target = try checkTarget(path, source: source, ifTaken: conflict)
        let file = try DiskFile.createReplacement(for: target, isPrivate: try source.isPrivate())
        do throws(StorageError) {
            try write(layout, from: source, encoded, to: file)
            // A new file is no more durable than any copy: the recording is still there.
            try file.publish(ifTaken: conflict, isDurable: conflict == .replace)
        } catch {
            file.discardTemporary()
            throw error
        }
        return Written(path: file.path, bytes: layout.size)
    }

    private func write(
        _ layout: ExcerptLayout, from source: DiskFile, _ encoded: [[UInt8]], to file: DiskFile
    ) throws(StorageError) {
        var position = Int64(0)
        try layout.head.forEachPiece { (piece) throws(StorageError) in
            try file.write(piece, at: position)
            position += Int64(piece.count)
        }
        for piece in layout.pieces {
            switch piece {
            case .copied(let bytes, let place): try file.copy(from: source, range: bytes, to: place)
            case .encoded(let frames, var place):
                for frame in frames {
                    let unit = encoded[frame - encodedFrames.lowerBound]
                    try file.write(unit, at: place)
                    place += Int64(unit.count)
                }
            }
        }
    }
}
