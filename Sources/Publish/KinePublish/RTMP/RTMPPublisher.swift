// Publishes one stream over RTMP or RTMPS, and connects again whenever the connection is lost. PublisherLoop does the work on
// one event loop; this is its interface for any thread.
import KineContainers
// A program that publishes uses the types of both.
@_exported import KineMedia
@_exported import KineRTMP
import NIOCore
import NIOPosix
import Synchronization

/// A published stream. All methods may be called from any thread; samples must come in their order. A publisher that is released
/// without `finish()` ends in the same way, in the background.
public final class RTMPPublisher: Sendable {
    private let loop: PublisherLoop
    private let format: RTMPStreamFormat
    private let inbox = Mutex(Inbox())

    /// Makes a publisher, which connects when `start()` is called.
    /// - Parameter observe: called in order from one thread; it must not block.
    public init(
        _ settings: RTMPSettings, format: RTMPStreamFormat,
        observe: @escaping @Sendable (RTMPEvent) -> Void = { _ in }
    ) {
        self.format = format
        loop = PublisherLoop(
            settings, format: format, on: MultiThreadedEventLoopGroup.singleton.any(), observe: observe)
    }

    deinit {
        let rest = inbox.withLock { $0.removeAll() }
        loop.eventLoop.execute { [loop] in
            loop.enqueue(rest)
            loop.finish {}
        }
    }

    /// Connects. Returns when the stream is live, when the first connection failed for a reason that may pass, or after 5
    /// seconds; from then on attempts follow in the background. Throws a final failure, and with `retries` of 0 any failure.
    public func start() async throws(PublishFailure) {
        let outcome = await withCheckedContinuation { continuation in
            loop.eventLoop.execute { [loop] in loop.start { continuation.resume(returning: $0) } }
        }
        if let outcome { throw outcome }
    }

    /// Copies a sample into the queue, as an encoder makes it. Never waits for the network.
    ///
    /// Samples of a kind that the format does not have, and those before time zero, which are the audio encoder's priming, are left out.
    public func publish(_ sample: EncodedSample) {
        sample.data.withUnsafeBytes {
            publish(sample.type, presentationTime: sample.presentationTime, isKeyframe: sample.isKeyframe, bytes: $0)
        }
    }

    /// Copies a sample into the queue. Never waits for the network.
    /// - Parameters:
    ///   - presentationTime: on the take's timeline. Samples before time zero are left out: they are the encoder's priming.
    ///   - bytes: as in `EncodedSample.data`.
    public func publish(
        _ type: SampleType, presentationTime: MediaTime, isKeyframe: Bool, bytes: UnsafeRawBufferPointer
    ) {
        guard presentationTime >= .zero else { return }
        let payload: [UInt8]
        if type == .video {
            guard let video = format.video else { return }
            payload = VideoTag.frame(video.codec, isKeyframe: isKeyframe, bytes: bytes)
        } else {
            guard format.audio != nil else { return }
            payload = AudioTag.audio(bytes)
        }
        let item = SendQueue.Item(
            isVideo: type == .video, isKeyframe: isKeyframe, time: presentationTime.ticks(timescale: 1000),
            payload: payload)
        guard inbox.withLock({ $0.append(item) }) else { return }
        loop.eventLoop.execute { [self] in loop.enqueue(inbox.withLock { $0.removeAll() }) }
    }

    /// Sends the waiting samples for 5 seconds at most, says goodbye and closes. Returns when that is done. The status is then
    /// `failed` if no server ever accepted the stream.
    public func finish() async {
        await withCheckedContinuation { continuation in
            loop.eventLoop.execute { [self] in
                loop.enqueue(inbox.withLock { $0.removeAll() })
                loop.finish { continuation.resume() }
            }
        }
    }

    /// Samples on their way to the event loop.
    private struct Inbox {
        private var items: [SendQueue.Item] = []
        private var isLoopWoken = false

        /// Returns whether the loop has to be woken. A single access unit of audio does not wake it, and is sent with the next
        /// sample a fiftieth of a second later.
        mutating func append(_ item: SendQueue.Item) -> Bool {
            items.append(item)
            guard !isLoopWoken, item.isVideo || items.count > 1 else { return false }
            isLoopWoken = true
            return true
        }

        mutating func removeAll() -> [SendQueue.Item] {
            defer { self = Inbox() }
            return items
        }
    }
}

// The formats of a stream from what encoders say of themselves.
extension RTMPStreamFormat.Video {
    /// The video of an encoder.
    /// - Parameters:
    ///   - format: the encoder's parameter sets, and the size to show.
    ///   - framesPerSecond: at most.
    ///   - bitrate: bits a second; nil if a quality was chosen instead.
    public init(_ format: VideoFormat, framesPerSecond: Double, bitrate: Int? = nil) {
        self.init(
            codec: format.codec, decoderConfiguration: format.parameterSets.decoderConfigurationRecord,
            size: format.size, framesPerSecond: framesPerSecond, bitrate: bitrate)
    }
}
