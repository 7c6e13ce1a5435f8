// Hands capture's frames to feeds that read them in place, to the converter for the other feeds, and to the encoder. It waits for
// none of them.
import KineImaging
import KineMedia
import Synchronization

/// Hands each frame on. Capture calls it; feeds begin and end on any thread.
final class FrameDistributor: Sendable {
    private struct State {
        /// Feeds that read every one of the encoder's own frames.
        var readers: [SampleFeed] = []
        var converter: FrameConverter?
        var isFinished = false
    }

    let encoding: VideoEncodingThread
    let cameras = CameraFeeds()
    private let samples: SampleDistributor
    private let isRecorded: Bool
    private let recordingStillInterval: Int64?
    private let duration: MediaTime
    let canvas: CaptureThread.CanvasDescription
    private let state = Mutex(State())

    /// - Parameters:
    ///   - isRecorded: frames are encoded even if no feed wants them.
    ///   - recordingStillInterval: as `stillInterval`, of the recording.
    init(
        encoding: VideoEncodingThread, samples: SampleDistributor = SampleDistributor(), isRecorded: Bool = true,
        recordingStillInterval: Int64? = nil, framesPerSecond: Int, canvas: CaptureThread.CanvasDescription
    ) {
        self.encoding = encoding
        self.samples = samples
        self.isRecorded = isRecorded
        self.recordingStillInterval = recordingStillInterval
        self.canvas = canvas
        duration = .seconds(1 / Double(max(1, framesPerSecond)))
    }

    // MARK: On the capture thread

    /// The longest time that a frame may stand before it is shown again, in nanoseconds; nil: nobody watches.
    var stillInterval: Int64? { [samples.stillInterval, recordingStillInterval].compactMap(\.self).min() }

    /// Frees the slots that readers have given back.
    func reclaim() {
        for feed in state.withLock({ $0.readers }) { feed.frames?.reclaim() }
    }

    /// Hands on a frame that was lent once. `time` is since the take's first frame; at `repeats` it is shown again.
    func deliver(_ frame: FrameRing.Frame, at time: MediaTime, repeats: [MediaTime]) {
        let (readers, converter) = state.withLock { ($0.readers, $0.converter) }
        for feed in readers {
            feed.offer(slot: frame.slot, at: time, duration: duration, changed: frame.changed)
        }
        converter?.offer(frame, at: time, duration: duration)
        if isRecorded || samples.wantsEncodedVideo {
            encoding.encode(frame, at: time, repeats: repeats)
        } else {
            encoding.leaveOut()
            canvas.release(frame)
        }
    }

    // MARK: On any thread

    /// From the next frame on `feed` gets its samples, and the encoder keeps to its limits.
    func begin(_ feed: SampleFeed) {
        samples.begin(feed)
        if feed.wantsEncodedVideo { encoding.adjust(samples.encodingRequest) }
        if let output = feed.camera { return cameras.add(feed, output) }
        guard let sink = feed.frames else { return }
        if sink.conversion == nil && sink.framesPerSecond == nil {
            state.withLock { $0.readers.append(feed) }
        } else {
            converter()?.add(feed, sink)
        }
    }

    /// Nothing goes to `feed` any more, and its request to the encoder is dropped.
    func end(_ feed: SampleFeed) {
        feed.end()
        samples.remove(feed)
        cameras.remove(feed)
        let converter = state.withLock { state in
            state.readers.removeAll { $0 === feed }
            return state.converter
        }
        converter?.remove(feed)
        encoding.adjust(samples.encodingRequest)
    }

    /// From the next frame on the encoder keeps to the lowest request of all feeds.
    func adjust(to request: EncodingRequest, for feed: SampleFeed) {
        encoding.adjust(samples.note(request, of: feed))
    }

    /// Started when first needed. Nil at the end of the take, and if the process may have no more threads: its feeds get no
    /// frames then, and the take goes on.
    func converter() -> FrameConverter? {
        state.withLock { state in
            if state.isFinished || state.converter != nil { return state.converter }
            let converter = try? FrameConverter(canvas: canvas)
            state.converter = converter
            return converter
        }
    }

    /// Delivers and encodes all frames handed on so far. Blocks. Call it when capture has stopped.
    func finish() {
        let converter = state.withLock { state in
            state.isFinished = true
            return state.converter.take()
        }
        converter?.finish()
        encoding.finish()
    }
}
