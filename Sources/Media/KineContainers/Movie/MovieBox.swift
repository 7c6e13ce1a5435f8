// Two forms of the moov box: without samples at the start of a recording (mvex announces fragments), and complete at
// its end. ISO/IEC 14496-12, 8.2 to 8.8.
import KineMedia

enum MovieBox {
    /// The moov at the start of a recording.
    static func initial(_ movie: MovieDescription) -> [UInt8] {
        let tables = SampleTable().boxes(allSync: true, wideOffsets: false)
        var content = ByteChain(header(movie, duration: 0))
        for track in movie.tracks {
            // An edit of duration 0 in a fragmented file lasts to the end (8.6.6.1).
            content.append(self.track(track, in: movie, movieDuration: 0, mediaDuration: 0, tables: tables))
        }
        var extends = BoxWriter()
        extends.box("mvex") {
            for track in movie.tracks {
                $0.fullBox("trex") {
                    $0.integer(track.id)
                    $0.integer(UInt32(1))
                    $0.integer(track.sampleDuration)
                    $0.integer(UInt32(0))
                    $0.integer(
                        track.isVideo ? TrackDescription.dependentSampleFlags : TrackDescription.syncSampleFlags)
                }
            }
        }
        content.append(extends.bytes)
        return ByteChain(box: "moov", content).parts.flatMap { $0 }
    }

    /// The moov of a finished file, without tracks that have no samples.
    /// - Parameter shownTicks: the ticks of the movie for which each track is shown; nil: its whole length.
    static func final(
        _ movie: MovieDescription, tables: [SampleTable], chapters: [Chapter], wideOffsets: Bool,
        shownTicks: [UInt64]? = nil
    ) -> ByteChain {
        let all = zip(movie.tracks, tables).map { movieDuration(of: $0.0, mediaDuration: $0.1.duration) }
        let tracks = zip(zip(movie.tracks, tables), shownTicks ?? all).filter { $0.0.1.count > 0 }
        let length = tracks.map(\.1).max() ?? 0
        var content = ByteChain(header(movie, duration: length))
        for ((track, table), duration) in tracks {
            var boxes = table.boxes(allSync: !track.isVideo, wideOffsets: wideOffsets)
            if track.mediaStart > 0 { boxes.append(rollGroup(sampleCount: table.count)) }
            content.append(
                self.track(track, in: movie, movieDuration: duration, mediaDuration: table.duration, tables: boxes))
        }
        content.append(Chapter.userData(chapters, before: RecordingLayout.duration(ticks: length)))
        return ByteChain(box: "moov", content)
    }

    /// The duration of a track in ticks of the movie, rounded up so that no sample is cut.
    static func movieDuration(of track: TrackDescription, mediaDuration: UInt64) -> UInt64 {
        let shown = mediaDuration - min(mediaDuration, UInt64(track.mediaStart))
        let (whole, rest) = shown.quotientAndRemainder(dividingBy: UInt64(track.timescale))
        let scale = UInt64(MovieDescription.timescale)
        guard whole < UInt64.max / scale / 2 else { return .max / 2 }  // a damaged file's claim
        return whole * scale + (rest * scale + UInt64(track.timescale) - 1) / UInt64(track.timescale)
    }

    private static func header(_ movie: MovieDescription, duration: UInt64) -> [UInt8] {
        var writer = BoxWriter()
        let wide = duration > UInt32.max || movie.creationTime > UInt32.max
        writer.fullBox("mvhd", version: wide ? 1 : 0) {
            $0.integer(movie.creationTime, wide: wide)
            $0.integer(movie.creationTime, wide: wide)
            $0.integer(MovieDescription.timescale)
            $0.integer(duration, wide: wide)
            $0.integer(UInt32(0x0001_0000))  // rate 1.0
            $0.integer(UInt16(0x0100))  // volume 1.0
            $0.zeros(10)
            $0.unityMatrix()
            $0.zeros(24)
            $0.integer(UInt32(movie.tracks.count + 1))  // next_track_ID
        }
        return writer.bytes
    }

    private static func track(
        _ track: TrackDescription, in movie: MovieDescription, movieDuration: UInt64, mediaDuration: UInt64,
        tables: ByteChain
    ) -> ByteChain {
        var entry = BoxWriter()
        entry.fullBox("stsd") {
            $0.integer(UInt32(track.sampleEntries.count))
            for entry in track.sampleEntries { $0.append(entry) }
        }
        var sampleTable = ByteChain(entry.bytes)
        sampleTable.append(tables)

        var information = ByteChain(mediaHeaders(track))
        information.append(ByteChain(box: "stbl", sampleTable))
        var media = ByteChain(mediaHeader(track, creationTime: movie.creationTime, duration: mediaDuration))
        media.append(ByteChain(box: "minf", information))
        // One plain edit, which begins after the priming and ends where the track was cut.
        let isCut = movieDuration < self.movieDuration(of: track, mediaDuration: mediaDuration)
        var content = ByteChain(
            trackHeader(
                track, creationTime: movie.creationTime, duration: movieDuration,
                isEdited: track.mediaStart > 0 || isCut))
        content.append(ByteChain(box: "mdia", media))
        return ByteChain(box: "trak", content)
    }

    /// tkhd (8.3.2) and, if only a part of the media is shown, edts (8.6.5).
    private static func trackHeader(
        _ track: TrackDescription, creationTime: UInt64, duration: UInt64, isEdited: Bool
    ) -> [UInt8] {
        var writer = BoxWriter()
        let wide = duration > UInt32.max || creationTime > UInt32.max
        // Enabled and in the movie. No track is an alternative to another: microphone and applications play together.
        // Input is enabled, and not to be presented.
        writer.fullBox("tkhd", version: wide ? 1 : 0, flags: track.kind == .input ? 1 : 3) {
            $0.integer(creationTime, wide: wide)
            $0.integer(creationTime, wide: wide)
            $0.integer(track.id)
            $0.zeros(4)
            $0.integer(duration, wide: wide)
            $0.zeros(8 + 2 + 2)  // reserved, layer, alternate_group
            $0.integer(UInt16(track.kind == .audio ? 0x0100 : 0))  // volume
            $0.zeros(2)
            $0.unityMatrix()
            if case .video(_, let size) = track.kind {
                $0.integer(UInt32(clamping: size.width << 16))
                $0.integer(UInt32(clamping: size.height << 16))
            } else {
                $0.zeros(8)
            }
        }
        if isEdited {
            let wide = duration > UInt32.max
            writer.box("edts") {
                $0.fullBox("elst", version: wide ? 1 : 0) {
                    $0.integer(UInt32(1))
                    $0.integer(duration, wide: wide)
                    $0.integer(UInt64(track.mediaStart), wide: wide)
                    $0.integer(UInt32(0x0001_0000))  // media_rate 1.0
                }
            }
        }
        return writer.bytes
    }

    /// mdhd (8.4.2) and hdlr (8.4.3).
    private static func mediaHeader(_ track: TrackDescription, creationTime: UInt64, duration: UInt64) -> [UInt8] {
        var writer = BoxWriter()
        let wide = duration > UInt32.max || creationTime > UInt32.max
        writer.fullBox("mdhd", version: wide ? 1 : 0) {
            $0.integer(creationTime, wide: wide)
            $0.integer(creationTime, wide: wide)
            $0.integer(track.timescale)
            $0.integer(duration, wide: wide)
            $0.integer(UInt16(0x55c4))  // language "und"
            $0.zeros(2)
        }
        writer.fullBox("hdlr") {
            $0.zeros(4)
            $0.code(track.handler)
            $0.zeros(12)
            $0.append(Array(track.name.utf8) + [0])
        }
        return writer.bytes
    }

    /// vmhd, smhd or nmhd (12.1.2, 12.2.2, 8.4.5.2) and dinf (8.7.1): the samples are in the same file.
    private static func mediaHeaders(_ track: TrackDescription) -> [UInt8] {
        var writer = BoxWriter()
        switch track.kind {
        case .video: writer.fullBox("vmhd", flags: 1) { $0.zeros(8) }
        case .audio: writer.fullBox("smhd") { $0.zeros(4) }
        case .input: writer.fullBox("nmhd") { _ in }
        }
        writer.box("dinf") {
            $0.fullBox("dref") {
                $0.integer(UInt32(1))
                $0.fullBox("url ", flags: 1) { _ in }
            }
        }
        return writer.bytes
    }

    /// sgpd and sbgp `roll` (8.9 and 10.1.1): each frame of AAC needs the previous one, or a seek begins with noise.
    private static func rollGroup(sampleCount: UInt32) -> ByteChain {
        var writer = BoxWriter()
        writer.fullBox("sgpd", version: 1) {
            $0.code("roll")
            $0.integer(UInt32(2))  // default_length
            $0.integer(UInt32(1))
            $0.integer(Int16(-1))  // roll_distance
        }
        writer.fullBox("sbgp") {
            $0.code("roll")
            $0.integer(UInt32(1))
            $0.integer(sampleCount)
            $0.integer(UInt32(1))  // group_description_index
        }
        return ByteChain(writer.bytes)
    }
}

extension TrackDescription {
    /// The handler of its media (ISO/IEC 14496-12, 8.4.3): 12.1.1, 12.2.1 and 12.3.1.
    fileprivate var handler: FourCharacterCode {
        switch kind {
        case .video: "vide"
        case .audio: "soun"
        case .input: "meta"
        }
    }
}

extension BoxWriter {
    /// ftyp (ISO/IEC 14496-12, 4.3).
    mutating func fileType(_ brand: FourCharacterCode, compatible: [FourCharacterCode]) {
        box("ftyp") {
            $0.code(brand)
            $0.integer(UInt32(0x200))  // minor_version
            for brand in compatible { $0.code(brand) }
        }
    }

    /// The identity matrix (ISO/IEC 14496-12, 6.2.2): 16.16, the last column 2.30.
    fileprivate mutating func unityMatrix() {
        for value: UInt32 in [0x0001_0000, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000] { integer(value) }
    }
}
