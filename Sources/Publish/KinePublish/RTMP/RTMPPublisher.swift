// Publishes one stream over RTMP or RTMPS, and reconnects whenever the connection is lost. PublisherLoop does the work
// on one event loop; this is its interface for any thread.
import KineContainers
// A program that publishes uses the types of both.
@_exported import KineMedia
import KinePublisher
@_exported import KineRTMP
import NIOCore
import NIOPosix
import Synchronization

/// A published stream. All methods may be called from any thread; samples must be in order. A publisher that is
/// released without `finish()` ends in the same way, in the background.
public final class RTMPPublisher: Sendable {
    let loop: PublisherLoop
    private let format: RTMPStreamFormat
    private let inbox = Mutex(Inbox())

    /// Creates a publisher, which connects when `start()` is called.
    /// - Parameter observe: called in order on one thread; it must not block.
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
            loop.finish { _ in }
        }
    }

    /// Connects. Returns when the server has accepted the stream, when the first connection failed for a temporary reason, or
    /// after 5 seconds. The stream is live once samples have arrived, which `observe` reports; until then attempts continue in the background. Throws a final failure, and with `retries` of 0 any failure.
    public func start() async throws(PublishFailure) {
        let outcome = await withCheckedContinuation { continuation in
            loop.eventLoop.execute { [loop] in loop.start { continuation.resume(returning: $0) } }
        }
        if let outcome { throw outcome }
    }

    /// Copies a sample from an encoder into the queue. Never waits for the network.
    ///
    /// Drops samples of types that the format does not have, and the audio encoder's priming before time zero.
    public func publish(_ sample: EncodedSample) {
        sample.data.withUnsafeBytes {
            publish(
                sample.type, presentationTime: sample.presentationTime, isKeyframe: sample.isKeyframe, bytes: $0,
                format: sample.format)
        }
    }

    /// Copies a sample into the queue. Never waits for the network.
    /// - Parameters:
    ///   - presentationTime: on the take's timeline. Samples before zero are dropped: they are the encoder's priming.
    ///   - bytes: as in `EncodedSample.data`.
    ///   - format: of a keyframe and the frames after it, in the stream's codec; nil: as before.
    public func publish(
        _ type: SampleType, presentationTime: MediaTime, isKeyframe: Bool, bytes: UnsafeRawBufferPointer,
        format newFormat: VideoFormat? = nil
    ) {
        guard presentationTime >= .zero else { return }
        let payload: [UInt8]
        var announced: RTMPStreamFormat.Video?
        if type == .video {
            guard let video = format.video else { return }
            if isKeyframe, let newFormat {
                announced = .init(newFormat, framesPerSecond: video.framesPerSecond, bitrate: video.bitrate)
            }
            payload = VideoTag.frame(video.codec, isKeyframe: isKeyframe, bytes: bytes)
        } else {
            guard format.audio != nil else { return }
            payload = AudioTag.audio(bytes)
        }
        let item = SendQueue.Item(
            isVideo: type == .video, isKeyframe: isKeyframe, time: presentationTime.ticks(timescale: 1000),
            payload: payload, format: announced)
        guard inbox.withLock({ $0.append(item) }) else { return }
        loop.eventLoop.execute { [self] in loop.enqueue(inbox.withLock { $0.removeAll() }) }
    }

    /// Sends the waiting samples for at most 5 seconds, says goodbye and closes. Returns when that is done. If the stream was
    /// never live, the status is then `failed`, and the reason is returned.
    @discardableResult public func finish() async -> PublishFailure? {
        await withCheckedContinuation { continuation in
            loop.eventLoop.execute { [self] in
                loop.enqueue(inbox.withLock { $0.removeAll() })
                loop.finish { continuation.resume(returning: $0) }
            }
        }
    }

    /// Samples on their way to the event loop.
    private struct Inbox {
        private var items: [SendQueue.Item] = []
        private var isLoopWoken = false

        /// Returns whether to wake the loop. A single access unit of audio does not wake it, and is sent with the next
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

// For what drives any publisher.
extension RTMPPublisher: Publisher {
    public typealias Failure = PublishFailure
}

extension PublisherEvent {
    /// The event of a stream over RTMP.
    package init(_ event: RTMPEvent) {
        switch event {
        case .status(let status): self = .status(status)
        case .interrupted(let failure, let delay): self = .interrupted(failure, retryAfter: delay)
        case .failed(let failure): self = .failed(failure)
        case .target(let target): self = .target(target)
        case .keyframeNeeded: self = .keyframeNeeded
        }
    }
}

// The formats of a stream from those of the encoders.
extension RTMPStreamFormat.Video {
    /// The video of an encoder.
    /// - Parameters:
    ///   - format: the encoder's parameter sets, and the size to show.
    ///   - framesPerSecond: the maximum.
    ///   - bitrate: bits a second; nil if a quality was chosen instead.
    public init(_ format: VideoFormat, framesPerSecond: Double, bitrate: Int? = nil) {
        self.init(
            codec: format.codec, decoderConfiguration: format.parameterSets.decoderConfigurationRecord,
            size: format.size, framesPerSecond: framesPerSecond, bitrate: bitrate)
    }
}
