// A track of a movie without its samples. The writer makes it from a format, the recovery reads it from a file, and
// both write the index from it.
import KineMedia

struct TrackDescription: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// `size`: to show, in pixels.
        case video(VideoCodec, size: PixelSize)
        case audio
        /// The person's input as text (docs/input-track.md). Players ignore it.
        case input
    }

    var id: UInt32
    var kind: Kind
    /// Ticks a second: 90000 for video and input, the sample rate for audio.
    var timescale: UInt32
    /// The track's name in players and editors.
    var name: String
    /// Ticks of every sample; 0 if each sample has its own duration.
    var sampleDuration: UInt32
    /// Ticks at the start of the media that are not shown: an audio encoder's priming.
    var mediaStart: UInt32
    /// The complete boxes inside `stsd`: one for each format, in the order of their first use.
    var sampleEntries: [[UInt8]]

    var isVideo: Bool { if case .video = kind { true } else { false } }
    /// Whether samples are not equally long.
    var hasOwnDurations: Bool { kind != .audio }

    var sampleEntryBytes: Int { sampleEntries.reduce(0) { $0 + $1.count } }

    /// The most bytes of a sample. A frame has at most three for each pixel, uncompressed, and an access unit of AAC 768
    /// for each channel (ISO/IEC 14496-3, 4.5.1.1).
    var largestSample: Int {
        switch kind {
        case .video(_, let size): 4 * size.area + 1 << 20
        case .audio: 1 << 16
        case .input: 1 << 20
        }
    }

    /// Sample flags of ISO/IEC 14496-12, 8.8.3.1: depends on no other; depends on others and is not a sync sample.
    static let syncSampleFlags: UInt32 = 0x0200_0000
    static let dependentSampleFlags: UInt32 = 0x0101_0000

    static let videoTimescale: Int32 = 90000
}

extension TrackDescription {
    fileprivate init(id: UInt32, video: VideoFormat) {
        self.init(
            id: id, kind: .video(video.codec, size: video.size), timescale: UInt32(Self.videoTimescale), name: "Screen",
            sampleDuration: 0, mediaStart: 0, sampleEntries: [SampleEntry.video(video)])
    }

    fileprivate init(id: UInt32, audio: AudioFormat) {
        self.init(
            id: id, kind: .audio, timescale: UInt32(clamping: audio.sampleRate),
            name: audio.type == .audioMic ? "Microphone" : "Audio",
            sampleDuration: UInt32(clamping: audio.samplesPerAccessUnit),
            mediaStart: UInt32(clamping: audio.primingSamples), sampleEntries: [SampleEntry.audio(audio)])
    }

    fileprivate init(inputID id: UInt32) {
        self.init(
            id: id, kind: .input, timescale: UInt32(Self.videoTimescale), name: "Input", sampleDuration: 0,
            mediaStart: 0, sampleEntries: [SampleEntry.input])
    }
}

// Further formats of a track of video.
extension TrackDescription {
    /// The most sample entries of a track. Frames of a format that comes after these refer to the last entry, and play by the
    /// parameter sets in their keyframes.
    static let mostSampleEntries = 250

    /// The number of a sample entry, from 1. Adds the entry if it is new; the size to show grows with it.
    mutating func number(of entry: [UInt8]) -> UInt32 {
        if let index = sampleEntries.firstIndex(of: entry) { return UInt32(index + 1) }
        if sampleEntries.count < Self.mostSampleEntries {
            sampleEntries.append(entry)
            fitSize()
        }
        return UInt32(sampleEntries.count)
    }

    /// Shows the largest of the sample entries' widths and heights: each frame is scaled to the track's size (8.3.2).
    mutating func fitSize() {
        guard case .video(let codec, _) = kind else { return }
        let sizes = sampleEntries.compactMap { SampleEntry.size(of: $0) }
        let size = PixelSize(width: sizes.map(\.width).max() ?? 0, height: sizes.map(\.height).max() ?? 0)
        kind = .video(codec, size: size)
    }
}

/// A file's tracks, and its creation time.
struct MovieDescription: Equatable, Sendable {
    /// Seconds since 1904-01-01 UTC (ISO/IEC 14496-12, 8.2.2.3).
    var creationTime: UInt64
    var tracks: [TrackDescription]

    /// H.264 without video: a file's brands name one codec.
    var videoCodec: VideoCodec {
        if case .video(let codec, _) = tracks.first?.kind { codec } else { .h264 }
    }

    /// The index of the input track, which is the last; nil: there is none.
    var input: Int? { tracks.last?.kind == .input ? tracks.count - 1 : nil }

    func audioAccessUnits(in tables: [SampleTable]) -> Int {
        zip(tracks, tables).reduce(0) { $0 + ($1.0.kind == .audio ? Int($1.1.count) : 0) }
    }

    /// Seconds from 1904-01-01 to 1970-01-01.
    static let unixEpoch: Int64 = 2_082_844_800
    /// Ticks a second of movie and edit list times: the video track's, so that no frame's end is rounded.
    static let timescale = UInt32(TrackDescription.videoTimescale)
}

extension MovieDescription {
    /// `seconds`: since 1970, UTC.
    init(recordedAt seconds: Int64, video: VideoFormat, audio: [AudioFormat], hasInput: Bool) {
        self.init(
            creationTime: UInt64(max(0, seconds + Self.unixEpoch)), video: video, audio: audio, hasInput: hasInput)
    }

    /// The video track, if any, then the audio tracks, then the input track; their ids count from 1.
    init(creationTime: UInt64, video: VideoFormat?, audio: [AudioFormat], hasInput: Bool = false) {
        tracks = video.map { [TrackDescription(id: 1, video: $0)] } ?? []
        for format in audio { tracks.append(TrackDescription(id: UInt32(tracks.count + 1), audio: format)) }
        if hasInput { tracks.append(TrackDescription(inputID: UInt32(tracks.count + 1))) }
        self.creationTime = creationTime
    }
}
