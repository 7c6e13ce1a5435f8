// Hands frames to the encoder and to the feeds that want them uncompressed: in place, through the converter, or from the camera. It waits
// for none of them.
import KineCapture
import KineImaging
import KineMedia
import Synchronization

/// Exists as soon as the source is open and the size of its frames is known. Feeds begin and end on any thread.
final class FrameDistributor: Sendable {
    private struct State {
        var converter: FrameConverter?
        var isFinished = false
    }

    let encoding: VideoEncodingThread
    let canvas: FrameCanvas
    private let feeds: FeedRegistry
    private let isRecorded: Bool
    private let recordingStillInterval: Int64?
    private let duration: MediaTime
    private let state = Mutex(State())
    /// Cameras do not say how long a frame is shown.
    private static let cameraFrameDuration = MediaTime.seconds(1.0 / 30)

    /// - Parameters:
    ///   - isRecorded: frames are encoded even if no feed wants them.
    ///   - recordingStillInterval: the recording's `stillInterval`.
    init(
        encoding: VideoEncodingThread, feeds: FeedRegistry = FeedRegistry(), isRecorded: Bool = true,
        recordingStillInterval: Int64? = nil, framesPerSecond: Int, canvas: FrameCanvas
    ) {
        self.encoding = encoding
        self.feeds = feeds
        self.isRecorded = isRecorded
        self.recordingStillInterval = recordingStillInterval
        self.canvas = canvas
        duration = .seconds(1 / Double(max(1, framesPerSecond)))
    }

    // MARK: On the capture thread

    /// The longest time that a frame may stand before it is shown again, in nanoseconds; nil: no limit.
    var stillInterval: Int64? { [feeds.stillInterval, recordingStillInterval].compactMap(\.self).min() }

    /// Frees the slots that readers of the encoder's own frames have given back.
    func reclaim() {
        for feed in feeds.feeds where feed.frames?.isReadInPlace == true { feed.frames?.reclaim() }
    }

    /// Hands on a frame and its slot reference. `time` is since the take's first frame; at `repeats` it is shown again.
    func deliver(_ frame: FrameRing.Frame, at time: MediaTime, repeats: [MediaTime]) {
        for feed in feeds.feeds where feed.frames?.isReadInPlace == true {
            feed.offer(slot: frame.slot, at: time, duration: duration, changed: frame.changed)
        }
        state.withLock { $0.converter }?.offer(frame, at: time, duration: duration)
        if isRecorded || feeds.wantsEncodedVideo {
            encoding.encode(frame, at: time, repeats: repeats)
        } else {
            encoding.leaveOut()
            canvas.release(frame)
        }
    }

    /// Hands on the camera's newest frame.
    func deliver(camera source: any VideoSource, at time: MediaTime) {
        for feed in feeds.feeds {
            guard let sink = feed.frames, case .camera(let frames) = sink.origin else { continue }
            sink.reclaim()
            guard let slot = frames.draw(source) else { continue }
            feed.offer(
                slot: slot, at: time, duration: Self.cameraFrameDuration,
                changed: .full(size: frames.store.memory.layout.size))
            frames.store.references.release(slot)
        }
    }

    // MARK: On any thread

    /// From the next frame on `feed` gets its samples, and the encoder keeps to its limits.
    func begin(_ feed: SampleFeed) {
        if let sink = feed.frames, sink.isConverted { converter()?.prepare(sink) }
        feeds.begin(feed)
        if feed.wantsEncodedVideo { encoding.adjust(feeds.encodingRequest) }
    }

    /// Sends nothing more to `feed`, and drops its request to the encoder.
    func end(_ feed: SampleFeed) {
        feeds.end(feed)
        encoding.adjust(feeds.encodingRequest)
    }

    /// From the next frame on the encoder keeps to the lowest request of all feeds.
    func adjust(to request: EncodingRequest, for feed: SampleFeed) {
        feeds.note(request, of: feed)
        encoding.adjust(feeds.encodingRequest)
    }

    /// Started when first needed. Nil at the end of the take, or if no thread can be created: its feeds then get no
    /// frames, and the take goes on.
    private func converter() -> FrameConverter? {
        state.withLock { state in
            if state.isFinished || state.converter != nil { return state.converter }
            let converter = try? FrameConverter(feeds: feeds, canvas: canvas)
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
