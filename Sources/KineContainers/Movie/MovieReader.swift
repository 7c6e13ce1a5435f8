// Reads a moov that the writer wrote. The bytes may be damaged: whatever does not look like the writer's own is refused.
import KineMedia

extension MovieDescription {
    /// The writer makes three at most; each fragment is compared with all of them.
    private static let mostTracks = 16

    /// Reads the moov that a recording begins with; `content` is what is inside the box.
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
            let description = try TrackDescription(reading: track, sampleDurations: sampleDurations)
            // The writer numbers its tracks in order, pictures first and only once.
            guard description.id == UInt32(tracks.count + 1), description.isVideo == tracks.isEmpty else {
                throw MalformedBox()
            }
            tracks.append(description)
        }
        guard 1...Self.mostTracks ~= tracks.count else { throw MalformedBox() }
    }
}

extension TrackDescription {
    fileprivate init(reading track: BoxReader, sampleDurations: [UInt32: UInt32]) throws(MalformedBox) {
        var header = try track.box("tkhd")
        let wide = try header.versionAndFlags().version == 1
        try header.skip(wide ? 16 : 8)
        id = try header.integer()
        try header.skip((wide ? 12 : 8) + 8 + 8 + 36)
        let (width, height) = (try header.integer(UInt32.self), try header.integer(UInt32.self))

        var mediaHeader = try track.box("mdia", "mdhd")
        try mediaHeader.skip(try mediaHeader.versionAndFlags().version == 1 ? 16 : 8)
        timescale = try mediaHeader.integer()

        var handler = try track.box("mdia", "hdlr")
        try handler.skip(8)
        let type = try handler.code()
        try handler.skip(12)
        name = String(decoding: handler.rest().prefix { $0 != 0 }, as: UTF8.self)

        var entries = try track.box("mdia", "minf", "stbl", "stsd")
        try entries.skip(8)
        sampleEntry = Array(entries.rest())

        mediaStart = 0
        if let edits = try track.first("edts") {
            var list = try edits.box("elst")
            let wide = try list.versionAndFlags().version == 1
            try list.skip(4 + (wide ? 8 : 4))
            mediaStart = UInt32(clamping: try list.integer(wide: wide))
        }
        switch type {
        case "vide":
            guard timescale == UInt32(Self.videoTimescale) else { throw MalformedBox() }
            kind = .video(PixelSize(width: Int(width >> 16), height: Int(height >> 16)))
            sampleDuration = 0
        case "soun":
            guard timescale >= 1000, let duration = sampleDurations[id], 1...65536 ~= duration else {
                throw MalformedBox()
            }
            kind = .audio
            sampleDuration = duration
        default: throw MalformedBox()
        }
    }
}

/// What the index of a finished file says in sum.
struct FinishedMovie {
    var duration: MediaTime
    var pictures = 0
    var soundAccessUnits = 0

    /// Reads the moov of a finished file; `content` is what is inside the box.
    init(reading content: BoxReader) throws(MalformedBox) {
        var header = try content.box("mvhd")
        let wide = try header.versionAndFlags().version == 1
        try header.skip(wide ? 16 : 8)
        let timescale = try header.integer(UInt32.self)
        let ticks = try header.integer(wide: wide)
        guard timescale == MovieDescription.timescale else { throw MalformedBox() }
        duration = RecordingLayout.duration(ticks: ticks)
        guard try content.first("mvex") == nil else { throw MalformedBox() }
        for track in try content.all("trak") {
            var handler = try track.box("mdia", "hdlr")
            try handler.skip(8)
            let isVideo = try handler.code() == "vide"
            var sizes = try track.box("mdia", "minf", "stbl", "stsz")
            try sizes.skip(8)
            let count = Int(try sizes.integer(UInt32.self))
            if isVideo { pictures += count } else { soundAccessUnits += count }
        }
        guard pictures + soundAccessUnits > 0 else { throw MalformedBox() }
    }
}
