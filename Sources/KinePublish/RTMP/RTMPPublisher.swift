// Publishes one stream over RTMP or RTMPS, and stays: what happens on the network is PublisherLoop's, which lives on one event
// loop; this is the door to it that any thread may use.
import KineMedia
import KineRTMP
import NIOCore
import NIOPosix
import Synchronization

/// A stream on its way to a server. All methods may be called from any thread, but samples in their order. Let go without
/// `finish()`, it ends in the same way, and nobody waits for that.
public final class RTMPPublisher: Sendable {
    private let loop: PublisherLoop
    private let format: RTMPStreamFormat
    private let latest = Latest()
    private let inbox = Mutex(Inbox())

    /// Connects with `start()`.
    /// - Parameters:
    ///   - wantsKeyframe: called, at most twice a second and from any thread, when a keyframe is needed.
    ///   - observe: called in order from one thread; it must not block.
    public init(
        _ settings: RTMPSettings, format: RTMPStreamFormat, wantsKeyframe: @escaping @Sendable () -> Void = {},
        observe: @escaping @Sendable (RTMPEvent) -> Void = { _ in }
    ) {
        self.format = format
        loop = PublisherLoop(
            settings, format: format, on: MultiThreadedEventLoopGroup.singleton.any(), wantsKeyframe: wantsKeyframe,
            observe: { [latest] event in
                if case .status(let status) = event { latest.status.withLock { $0 = status } }
                observe(event)
            })
    }

    deinit {
        let rest = inbox.withLock { $0.takeAll() }
        loop.eventLoop.execute { [loop] in
            loop.take(rest)
            loop.finish {}
        }
    }

    /// As it was told last.
    public var status: RTMPStatus { latest.status.withLock { $0 } }

    /// Connects. Returns when the stream is live, when the first connection failed for a reason that may pass, or after 5
    /// seconds; from then on it is tried again in the background. Throws what cannot be helped without changing something, and
    /// where `retries` is 0 also what may pass, such as `.unreachable`.
    public func start() async throws(PublishFailure) {
        let outcome = await withCheckedContinuation { continuation in
            loop.eventLoop.execute { [loop] in loop.start { continuation.resume(returning: $0) } }
        }
        if let outcome { throw outcome }
    }

    /// Hands a sample over. The bytes are copied before this returns; it never waits for the network.
    /// - Parameters:
    ///   - presentationTime: on the take's timeline. Samples before time zero are left out: they are the encoder's lead-in.
    ///   - bytes: as in `EncodedSample.data`.
    public func publish(
        _ type: SampleType, presentationTime: MediaTime, isKeyframe: Bool, bytes: UnsafeRawBufferPointer
    ) {
        guard presentationTime >= .zero else { return }
        let payload: [UInt8]
        if type == .video {
            guard let video = format.video else { return }
            payload = VideoTag.picture(video.codec, isKeyframe: isKeyframe, bytes: bytes)
        } else {
            guard format.audio != nil else { return }
            payload = AudioTag.sound(bytes)
        }
        let item = SendQueue.Item(
            isVideo: type == .video, isKeyframe: isKeyframe, time: presentationTime.ticks(timescale: 1000),
            payload: payload)
        guard inbox.withLock({ $0.add(item) }) else { return }
        loop.eventLoop.execute { [self] in loop.take(inbox.withLock { $0.takeAll() }) }
    }

    public func publish(_ sample: EncodedSample) {
        sample.data.withUnsafeBytes {
            publish(sample.type, presentationTime: sample.presentationTime, isKeyframe: sample.isKeyframe, bytes: $0)
        }
    }

    /// Sends what waits, at most for 5 seconds, says goodbye and closes. Returns when that is done. The status of a
    /// stream that no server ever took is `failed` then.
    public func finish() async {
        await withCheckedContinuation { continuation in
            loop.eventLoop.execute { [self] in
                loop.take(inbox.withLock { $0.takeAll() })
                loop.finish { continuation.resume() }
            }
        }
    }

    /// Samples on their way to the event loop.
    private struct Inbox {
        private var items: [SendQueue.Item] = []
        private var isCalled = false

        /// Whether the loop has to be called. A piece of sound alone is not worth waking it; it goes with the next sample, a
        /// fiftieth of a second later at most.
        mutating func add(_ item: SendQueue.Item) -> Bool {
            items.append(item)
            guard !isCalled, item.isVideo || items.count > 1 else { return false }
            isCalled = true
            return true
        }

        mutating func takeAll() -> [SendQueue.Item] {
            defer { self = Inbox() }
            return items
        }
    }

    private final class Latest: Sendable {
        let status = Mutex(RTMPStatus())
    }
}
