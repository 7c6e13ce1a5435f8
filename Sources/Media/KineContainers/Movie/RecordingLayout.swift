// The layout of a Kinecast file, unfinished and finished. The writer and the recovery both use it.
//
//     while recording   ftyp | free(16) | moov(mvex) | (moof mdat | free(mark))*
//     finishing         …                              (moof mdat | free(mark))* | free( moov )
//     finished          ftyp | mdat(                                           … ) moov
//
// The index is appended inside a free box, which players skip, so the file stays a valid recording until the last step.
// That step turns the 16 bytes of the first free box into the header of an mdat that ends at the index: the recording's
// own headers become part of the mdat, and one index is left.

import KineMedia

enum RecordingLayout {
    /// ftyp (ISO/IEC 14496-12, 4.3): iso6 for fragments whose offsets count from their moof, mp42 for AAC in a plain
    /// file, and the video codec's brand. Its size is the same for each codec.
    static func fileType(_ codec: VideoCodec) -> [UInt8] {
        let codecBrand: FourCharacterCode =
            switch codec {
            case .h264: "avc1"
            case .hevc: "iso4"  // HEVC has no brand of its own; iso4 is implied by iso6
            case .av1: "av01"
            }
        var writer = BoxWriter()
        writer.fileType("isom", compatible: ["isom", "iso6", codecBrand, "mp42"])
        return writer.bytes
    }

    /// Every ftyp at the start of recordings.
    static let fileTypes = VideoCodec.allCases.map(fileType)

    /// The offset of the box that becomes mdat.
    static let switchOffset = Int64(fileTypes[0].count)
    /// The offset of the mdat's 64-bit size; in a recording, of the free box's content.
    static let sizeOffset = switchOffset + 8
    /// The offset of the first moov in a recording.
    static let movieOffset = switchOffset + 16
    /// The content of the free box in a recording: eight bytes, as large as a 64-bit box size.
    static let mark: [UInt8] = Array("kinecast".utf8)

    /// The free box that becomes mdat, with eight bytes of content.
    static func freeBox(_ content: [UInt8]) -> [UInt8] {
        ByteChain(box: "free", ByteChain(content)).parts.flatMap { $0 }
    }

    /// The start of every recording, up to the first fragment.
    static func header(_ movie: MovieDescription) -> [UInt8] {
        fileType(movie.videoCodec) + freeBox(mark) + MovieBox.initial(movie)
    }

    /// Turns a recording whose fragments end before `end` into an ordinary file, without the bytes after `end`. Returns
    /// the file's size in bytes.
    ///
    /// If this throws, the file is a recording as before, without the index. Only a failure of the last step leaves the
    /// index: the file may be finished already, and then needs it.
    /// - Parameter shownTicks: as for `MovieBox.final`.
    static func finish(
        _ file: any StorageFile, end: Int64, movie: MovieDescription, tables: [SampleTable], chapters: [Chapter] = [],
        shownTicks: [UInt64]? = nil
    ) throws(StorageError) -> Int64 {
        // 64-bit offsets are written if the finished file may not fit into 32 bits with the index at its start: a later
        // move then never changes the index's size.
        let bound = end + indexSizeBound(movie, tables, chapters)
        let index = MovieBox.final(
            movie, tables: tables, chapters: chapters, wideOffsets: bound > Int64(UInt32.max), shownTicks: shownTicks)
        let before = try file.read(at: sizeOffset, count: 8)
        let size: Int64
        do {
            size = try append(ByteChain(box: "free", index), to: file, end: end)
        } catch {
            if (try? file.truncate(to: end)) != nil { try? file.write(before, at: sizeOffset) }
            throw error
        }
        try switchToFinished(file)
        return size
    }

    /// Ends the input with the video, so that it needs no edit and does not lengthen the movie.
    static func endInput(of movie: MovieDescription, _ tables: inout [SampleTable]) {
        guard let input = movie.input else { return }
        // Input may have come after the last frame was extended in the file.
        tables[0].endLastSample(at: max(tables[0].duration, tables[input].lastStart + 1))
        tables[input].endLastSample(at: tables[0].duration)
    }

    /// Appends the index at `end` and makes it durable. Returns the file's size.
    private static func append(
        _ index: ByteChain, to file: any StorageFile, end: Int64
    ) throws(StorageError) -> Int64 {
        // Writes the size of the future mdat first, as the free box's content. It tells a recovery where the recording
        // ends; otherwise the recovery would read this index as part of a cut fragment.
        var size = BoxWriter()
        size.integer(UInt64(end + 8 - switchOffset))
        try file.write(size.bytes, at: sizeOffset)
        if try file.size() > end { try file.truncate(to: end) }
        var position = end
        try index.forEachPiece { (piece) throws(StorageError) in
            try file.write(piece, at: position)
            position += Int64(piece.count)
        }
        try file.truncate(to: position)  // frees the reserved space
        try file.synchronize()  // before the switch: a power cut must not lose the index that it needs
        return position
    }

    /// Makes an mdat of the first free box by eight aligned bytes, which neither a signal nor a power cut can split.
    private static func switchToFinished(_ file: any StorageFile) throws(StorageError) {
        var header = BoxWriter()
        header.integer(UInt32(1))  // a 64-bit size follows the type (ISO/IEC 14496-12, 4.2)
        header.code("mdat")
        try file.write(header.bytes, at: switchOffset)
        try file.synchronize()
    }

    /// The most bytes that `finish` appends.
    static func indexSizeBound(
        _ movie: MovieDescription, _ tables: [SampleTable], _ chapters: [Chapter]
    ) -> Int64 {
        zip(movie.tracks, tables).reduce(Int64(1024 + Chapter.userDataBound(chapters))) {
            $0 + Int64($1.0.sampleEntryBytes + $1.1.byteCountBound) + 2048
        }
    }

    /// The playing time of a finished file.
    static func duration(_ movie: MovieDescription, _ tables: [SampleTable]) -> MediaTime {
        let ticks = zip(movie.tracks, tables).map { MovieBox.movieDuration(of: $0, mediaDuration: $1.duration) }
        return duration(ticks: ticks.max() ?? 0)
    }

    static func duration(ticks: UInt64) -> MediaTime {
        // MediaTime counts nanoseconds and ends after 292 years; a damaged file may claim more.
        let longest = UInt64(MovieDescription.timescale) * 9_000_000_000
        return MediaTime(ticks: Int64(min(ticks, longest)), timescale: Int32(MovieDescription.timescale))
    }
}
