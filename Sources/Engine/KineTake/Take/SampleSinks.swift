// The sinks of a take's encoded frames and audio: the file, the clip buffer, and the feeds of extensions and clients.
import KineMedia

/// Receives a take's audio on the audio thread, and within `AudioPipeline.finish` on its caller's thread. Must not block.
/// Tracks are numbered as in the take's `AudioPlan`.
protocol AudioSink: AnyObject, Sendable {
    /// An access unit; its time is that of its first decoded sample. `isRecorded`: its track is in the file.
    func receive(_ unit: EncodedSample, of track: Int, isRecorded: Bool)
    /// Interleaved samples within ±1, borrowed for the call.
    func receive(pcm: Span<Float>, of track: Int, type: SampleType, at time: MediaTime, duration: MediaTime)
}

final class SampleSinks: AudioSink {
    /// nil: the take is only broadcast.
    let recording: RecordingThread?
    /// nil: no clips can be made of the take.
    let clips: ClipBuffer?
    let feeds: SampleDistributor

    init(recording: RecordingThread?, clips: ClipBuffer? = nil, feeds: SampleDistributor) {
        self.recording = recording
        self.clips = clips
        self.feeds = feeds
    }

    /// The take itself keeps encoded samples.
    var keepsSamples: Bool { recording != nil || clips != nil }

    /// The encoder is ready. Once, before the first sample.
    func begin(_ video: VideoFormat) {
        recording?.begin(video)
        clips?.begin(video)
    }

    /// An encoded frame. On the encoder's thread.
    func receive(_ sample: EncodedSample, for audience: SampleAudience) {
        // The feeds first: nobody waits for them. While somebody watches, the encoder does not wait for the file either.
        if audience.contains(.extensions) { feeds.send(video: sample) }
        guard audience.contains(.recording) else { return }
        clips?.append(sample)
        recording?.append(sample, mayWait: !feeds.hasVideo)
    }

    /// Whether a sink has lost encoded frames and has room for a keyframe now. True once for each loss.
    func consumeKeyframeRequest() -> Bool {
        let isNeededByFile = recording?.consumeKeyframeRequest() ?? false
        let isNeededByClips = clips?.consumeKeyframeRequest() ?? false
        return feeds.consumeKeyframeRequest() || isNeededByFile || isNeededByClips
    }

    func receive(_ unit: EncodedSample, of track: Int, isRecorded: Bool) {
        if isRecorded {
            clips?.append(unit)
            recording?.append(unit)
        }
        feeds.send(audio: unit, of: track)
    }

    func receive(pcm: Span<Float>, of track: Int, type: SampleType, at time: MediaTime, duration: MediaTime) {
        feeds.send(pcm: pcm, of: track, type: type, at: time, duration: duration)
    }
}

// The sinks that get a sample.
struct SampleAudience: OptionSet, Sendable {
    let rawValue: Int

    static let recording = SampleAudience(rawValue: 1)
    static let extensions = SampleAudience(rawValue: 2)
    static let all: SampleAudience = [.recording, .extensions]
}
