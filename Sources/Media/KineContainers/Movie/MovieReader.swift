// Reads a moov in the writer's form. The bytes may be damaged: content that the writer does not write is refused.
import KineMedia

extension MovieDescription {
    /// The writer makes four at most; each fragment is compared with all of them.
    static let mostTracks = 16

    /// Reads the content of the moov at the start of a recording.
    init(readingInitial content: BoxReader) throws(MalformedBox) {
        var header = try content.box("mvhd")
        creationTime = try header.integer(wide: try header.versionAndFlags().version == 1)
        var sampleDurations: [UInt32: UInt32] = [:]
        for var box in try content.box("mvex").all("trex") {
            try box.skip(4)
            let id = try box.integer(UInt32.self)
            try box.skip(4)
            sampleDurations[id] = try box.integer()
        }
        tracks = []
        for track in try content.all("trak") {
            let id = try track.box("tkhd").trackHeader().id
            let description = try TrackDescription(reading: track, sampleDuration: sampleDurations[id])
            // The writer numbers its tracks in order.
            guard description.id == UInt32(tracks.count + 1) else { throw MalformedBox() }
            tracks.append(description)
        }
        guard TrackDescription.areInOrder(tracks) else { throw MalformedBox() }
    }
}

extension TrackDescription {
    /// Whether a file of ours can have these tracks: video first, and no other; input last if there is any.
    static func areInOrder(_ tracks: [TrackDescription]) -> Bool {
        1...MovieDescription.mostTracks ~= tracks.count && tracks[0].isVideo
            && tracks.dropFirst().allSatisfy { !$0.isVideo } && tracks.dropLast().allSatisfy { $0.kind != .input }
    }

    /// - Parameter sampleDuration: the ticks of every sample of audio; nil: unknown, which is valid for the others only.
    init(reading track: BoxReader, sampleDuration: UInt32?) throws(MalformedBox) {
        let (id, size) = try track.box("tkhd").trackHeader()
        let media = try track.box("mdia")
        let (type, name) = try media.handler()
        self.init(
            id: id, kind: .audio, timescale: try media.timescale(), name: name, sampleDuration: 0,
            mediaStart: try track.mediaStart(), sampleEntries: try media.sampleEntries())
        switch type {
        case "vide":
            guard timescale == UInt32(Self.videoTimescale), let codec = VideoCodec(sampleEntry: sampleEntries[0]),
                sampleEntries.allSatisfy({ VideoCodec(sampleEntry: $0) == codec })
            else { throw MalformedBox() }
            kind = .video(codec, size: size)
        case "soun":
            guard timescale >= 1000, let duration = sampleDuration, 1...65536 ~= duration else {
                throw MalformedBox()
            }
            self.sampleDuration = duration
        case "meta":
            guard timescale == UInt32(Self.videoTimescale), sampleEntries == [SampleEntry.input], mediaStart == 0 else {
                throw MalformedBox()
            }
            kind = .input
        default: throw MalformedBox()
        }
    }
}

extension BoxReader {
    /// The values of a trak's tkhd, of which this is the content (8.3.2). The size is to show, in pixels.
    func trackHeader() throws(MalformedBox) -> (id: UInt32, size: PixelSize) {
        var header = self
        let wide = try header.versionAndFlags().version == 1
        try header.skip(wide ? 16 : 8)
        let id = try header.integer(UInt32.self)
        try header.skip((wide ? 12 : 8) + 8 + 8 + 36)
        let (width, height) = (try header.integer(UInt32.self), try header.integer(UInt32.self))
        return (id, PixelSize(width: Int(width >> 16), height: Int(height >> 16)))
    }

    /// The start of a trak's edit in its media (8.6.6); 0 without an edit.
    fileprivate func mediaStart() throws(MalformedBox) -> UInt32 {
        guard let edits = try first("edts") else { return 0 }
        var list = try edits.box("elst")
        let wide = try list.versionAndFlags().version == 1
        try list.skip(4 + (wide ? 8 : 4))
        return UInt32(clamping: try list.integer(wide: wide))
    }

    /// The ticks a second of an mdia (8.4.2).
    fileprivate func timescale() throws(MalformedBox) -> UInt32 {
        var header = try box("mdhd")
        try header.skip(try header.versionAndFlags().version == 1 ? 16 : 8)
        return try header.integer()
    }

    /// The kind of track of an mdia, and its name (8.4.3).
    fileprivate func handler() throws(MalformedBox) -> (type: FourCharacterCode, name: String) {
        var handler = try box("hdlr")
        try handler.skip(8)
        let type = try handler.code()
        try handler.skip(12)
        return (type, String(decoding: handler.rest().prefix { $0 != 0 }, as: UTF8.self))
    }

    /// The sample entries of an mdia, at least one (8.5.2).
    fileprivate func sampleEntries() throws(MalformedBox) -> [[UInt8]] {
        var boxes = try box("minf", "stbl", "stsd")
        try boxes.skip(4)
        let count = Int(try boxes.integer(UInt32.self))
        guard 1...TrackDescription.mostSampleEntries ~= count else { throw MalformedBox() }
        var entries: [[UInt8]] = []
        for _ in 0..<count {
            let rest = boxes.rest()
            guard try boxes.nextBox() != nil else { throw MalformedBox() }
            entries.append(Array(rest.prefix(rest.count - boxes.remaining)))
        }
        guard boxes.remaining == 0 else { throw MalformedBox() }
        return entries
    }
}
