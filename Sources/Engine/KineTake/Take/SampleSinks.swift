// The sinks of a take's encoded frames and audio: the file, the clip buffer, and the feeds of extensions and clients.
import KineInput
import KineMedia

/// Receives a take's audio on the audio thread, or on the caller's in `AudioPipeline.finish`. Must not block.
/// Tracks are numbered as in the take's `AudioPlan`.
protocol AudioSink: AnyObject, Sendable {
    /// An access unit; its time is its first decoded sample's. `isRecorded`: the file has this output.
    func receive(_ unit: EncodedSample, of output: AudioPlan.Output, isRecorded: Bool)
    /// Interleaved samples within ±1, borrowed for the call.
    func receive(
        pcm: Span<Float>, of output: AudioPlan.Output, type: SampleType, at time: MediaTime, duration: MediaTime)
}

final class SampleSinks: AudioSink, EncodedFrameSink {
    /// nil: the take is only broadcast.
    let recording: RecordingThread?
    /// nil: no clips can be made of the take.
    let clips: ClipBuffer?
    let feeds = FeedRegistry()
    private let observer: any TakeObserver
    /// Makes feeds of encoded frames from the encoder's format.
    private let factory: FeedFactory

    init(
        recording: RecordingThread? = nil, clips: ClipBuffer? = nil, factory: FeedFactory, observer: any TakeObserver
    ) {
        self.recording = recording
        self.clips = clips
        self.factory = factory
        self.observer = observer
    }

    /// The take itself keeps encoded samples.
    var keepsSamples: Bool { recording != nil || clips != nil }

    func begin(_ format: VideoFormat) {
        recording?.begin(format)
        clips?.begin(format)
        factory.encoderOpened(format)
    }

    func receive(_ sample: EncodedSample, for audience: SampleAudience) {
        // The feeds first: they never block. While a feed has video, the encoder does not wait for the file either.
        if audience.contains(.extensions) {
            if let format = sample.format { factory.formatChanged(to: format) }
            feeds.send(video: sample)
        }
        guard audience.contains(.recording) else { return }
        clips?.append(sample)
        recording?.append(sample, mayWait: !feeds.hasVideo)
    }

    /// What a person did, from the capture thread.
    func receive(_ input: [TimedInput]) {
        recording?.note(input)
        clips?.note(input)
    }

    /// True once for each loss, as soon as there is room for a keyframe.
    func consumeKeyframeRequest() -> Bool {
        let isNeededByFile = recording?.consumeKeyframeRequest() ?? false
        let isNeededByClips = clips?.consumeKeyframeRequest() ?? false
        return feeds.consumeKeyframeRequest() || isNeededByFile || isNeededByClips
    }

    func frameLeftOut(until instant: Int64) { observer.observe(.needsFrame(at: instant)) }

    func encoderFailed(_ message: String) {
        factory.failed(.encoder(message))
        observer.observe(.failed(.encoder(message)))
    }

    func receive(_ unit: EncodedSample, of output: AudioPlan.Output, isRecorded: Bool) {
        if isRecorded {
            clips?.append(unit)
            recording?.append(unit)
        }
        feeds.send(audio: unit, of: output)
    }

    func receive(
        pcm: Span<Float>, of output: AudioPlan.Output, type: SampleType, at time: MediaTime, duration: MediaTime
    ) {
        feeds.send(pcm: pcm, of: output, type: type, at: time, duration: duration)
    }
}

// The sinks that get a sample.
struct SampleAudience: OptionSet, Sendable {
    let rawValue: Int

    static let recording = SampleAudience(rawValue: 1)
    static let extensions = SampleAudience(rawValue: 2)
    static let all: SampleAudience = [.recording, .extensions]
}
