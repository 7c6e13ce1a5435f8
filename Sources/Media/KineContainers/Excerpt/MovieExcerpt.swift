// The samples of an excerpt of a recording. Pure. ExcerptLayout places them in the new file, and MovieExcerpt+Writing
// writes it.
import KineMedia

/// The part of a recording between two of its times.
///
/// It begins with the frame shown at the first time, and ends with the one shown just before the second; both are shown
/// only for their time within. Audio is cut to the sample: its track begins with one extra access unit, for the
/// decoder.
public struct MovieExcerpt: Sendable {
    public enum Error: Swift.Error, Equatable {
        /// The second time is not after the first.
        case empty
        /// The recording ends before the first time.
        case beyondEnd(MediaTime)
    }

    /// The frames of the recording that are shown.
    public let frames: Range<Int>
    /// The frames before the next keyframe. No decoder can begin with them, so they are encoded again. Empty if the
    /// first frame is a keyframe.
    public let encodedFrames: Range<Int>
    let index: RecordingIndex
    let ticks: Range<UInt64>
    /// One for each track of the recording; nil if no part of the track is left.
    let cuts: [TrackCut?]

    /// Rounds the times to the video's ticks, 1/90000 s. An `end` after the recording's means the recording's end.
    public init(of index: RecordingIndex, from start: MediaTime, to end: MediaTime) throws(Error) {
        guard start < index.duration else { throw .beyondEnd(index.duration) }
        guard start < end else { throw .empty }
        let video = index.video
        let first = UInt64(max(0, start.ticks(timescale: TrackDescription.videoTimescale)))
        // Compared before the conversion, because an end may be any time.
        let last = end < index.duration ? UInt64(end.ticks(timescale: TrackDescription.videoTimescale)) : index.end
        guard first < last else { throw .empty }
        ticks = first..<last
        self.index = index
        let frames = video.sample(atTick: first)..<video.sample(atTick: last - 1) + 1
        let keyframe = index.keyframe(notBefore: frames.lowerBound, before: frames.upperBound)
        self.frames = frames
        encodedFrames = frames.lowerBound..<(keyframe ?? frames.upperBound)
        let ticks = ticks
        cuts = index.tracks.map {
            switch $0.description.kind {
            case .video: TrackCut(samples: frames, ticks)
            case .audio: TrackCut(audio: $0, ticks)
            case .input: TrackCut(samples: $0.sample(atTick: first)..<$0.sample(atTick: last - 1) + 1, ticks)
            }
        }
    }

    public var duration: MediaTime { RecordingLayout.duration(ticks: ticks.upperBound - ticks.lowerBound) }

    /// The frame at which decoding must begin for the encoded ones.
    public var decodingStart: Int { index.keyframe(notAfter: frames.lowerBound) }

    /// The recording's chapters in the excerpt. The one that lasts at its beginning begins with it.
    var chapters: [Chapter] {
        let earlier = index.chapters.filter { $0.ticks < ticks.upperBound }
        let first = earlier.lastIndex { $0.ticks <= ticks.lowerBound } ?? 0
        return earlier[first...].map {
            Chapter(ticks: max($0.ticks, ticks.lowerBound) - ticks.lowerBound, title: $0.title)
        }
    }

    /// The ticks for which the excerpt shows a frame, or a sample of input lasts.
    func duration(of sample: Int, in track: IndexedTrack) -> UInt32 {
        let end = sample + 1 < track.starts.count ? track.starts[sample + 1] : index.end
        return UInt32(clamping: min(end, ticks.upperBound) - max(track.starts[sample], ticks.lowerBound))
    }

    /// The samples of the input track in the excerpt; empty: there is none. The first and the last are written anew, since parts of their
    /// time may be outside.
    public var inputSamples: Range<Int> { index.input.flatMap { cuts[$0]?.samples } ?? 0..<0 }

    /// The part of the recording.
    public var times: Range<MediaTime> {
        RecordingLayout.duration(ticks: ticks.lowerBound)..<RecordingLayout.duration(ticks: ticks.upperBound)
    }

    /// The bytes of samples that are not copied.
    public struct NewSamples: Sendable {
        /// An access unit for each of `encodedFrames`.
        public var frames: [[UInt8]]
        /// The text of the first of `inputSamples`, and of the last if that is another one. Empty: the excerpt has no input track.
        public var input: [[UInt8]]

        public init(frames: [[UInt8]], input: [[UInt8]] = []) { (self.frames, self.input) = (frames, input) }
    }
}

struct TrackCut: Equatable, Sendable {
    var samples: Range<Int>
    /// Ticks of the track at the start of these samples that are not shown.
    var mediaStart: UInt32
    /// Ticks of the movie for which the track is shown.
    var shownTicks: UInt64

    /// The samples that last for a part of `ticks`.
    init(samples: Range<Int>, _ ticks: Range<UInt64>) {
        self.samples = samples
        mediaStart = 0
        shownTicks = ticks.upperBound - ticks.lowerBound
    }

    /// Nil if the track ends before.
    init?(audio track: IndexedTrack, _ ticks: Range<UInt64>) {
        let shownEnd = min(ticks.upperBound, track.shownTicks)
        guard ticks.lowerBound < shownEnd else { return nil }
        let start = track.mediaTime(atMovieTick: ticks.lowerBound)
        let end = min(track.end, track.mediaTime(atMovieTick: shownEnd))
        guard start < end else { return nil }
        let length = UInt64(track.description.sampleDuration)
        // An AAC decoder needs the access unit before the first audible one.
        let first = max(1, start / length) - 1
        samples = Int(first)..<Int((end - 1) / length) + 1
        mediaStart = UInt32(clamping: start - first * length)
        var description = track.description
        description.mediaStart = mediaStart
        let available = MovieBox.movieDuration(of: description, mediaDuration: UInt64(samples.count) * length)
        shownTicks = min(shownEnd - ticks.lowerBound, available)
    }
}

extension IndexedTrack {
    /// The tick of the track, counted from its first sample, at a tick of the movie.
    fileprivate func mediaTime(atMovieTick tick: UInt64) -> UInt64 {
        let scale = UInt64(MovieDescription.timescale)
        let rate = UInt64(description.timescale)
        let (whole, rest) = tick.quotientAndRemainder(dividingBy: scale)
        return UInt64(description.mediaStart) + whole * rate + (rest * rate + scale / 2) / scale
    }
}
