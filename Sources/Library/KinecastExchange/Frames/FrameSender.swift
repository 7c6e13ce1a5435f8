// Passes an extension's samples to processes of its group without a copy: they read the engine's memory directly.
import KineMedia
import KineRings
import KineWire

/// Passes an extension's samples to every `FrameReceiver` of a group.
///
///     override func processSampleBuffer(_ sampleBuffer: borrowing SampleBuffer, with type: SampleBufferType) async {
///         await sender.send(sampleBuffer)
///     }
///
/// Nothing is copied: receivers read the engine's memory, and cannot write it. While a receiver holds a frame, newer
/// frames replace each other, and the extension gets the newest next; both ends count the skipped ones. A receiver may
/// end or restart at any time.
public final class FrameSender: Sendable {
    /// The treatment of samples while there is no receiver.
    public enum Policy: Sendable, Equatable {
        /// The samples are lost, and counted.
        case newest
        /// Each sample waits this long, at most a second, for a receiver that is starting; then it is lost.
        case everyFrame(wait: Duration)
    }

    /// The result for a sample.
    public enum Delivery: Sendable, Equatable {
        /// At least one receiver has read and released it.
        case delivered
        /// There was no receiver.
        case noReceiver
        /// A receiver held it for a second. It was disconnected, and reconnects when it continues.
        case timedOut
        /// Another call is still sending a sample.
        case busy
        /// The sample is not from an engine: for example, in a test without one.
        case notFromEngine
    }

    /// The counts since the sender was created.
    public struct Counts: Sendable, Equatable {
        public var delivered = 0
        /// Frames that no receiver got, and frames that this extension did not get itself.
        public var framesLost = 0
        /// The duration of the audio that no receiver got.
        public var audioLost = Duration.zero
        /// Connected receivers.
        public var receivers = 0
    }

    public let group: GroupContainer
    private let driver: FrameSenderDriver

    /// Creates a sender for the receivers of a group in this extension's manifest. Create it in `broadcastStarted` and
    /// keep it. Throws `notStarted` outside an extension.
    public init(group: GroupContainer, policy: Policy = .newest) throws(GroupError) {
        guard EngineLink.shared.isExtension, let view = EngineLink.shared.receiver?.view,
            let start = EngineLink.shared.start
        else { throw .notStarted }
        self.group = group
        driver = try FrameSenderDriver(view: view, stream: start.stream, policy: policy)
        let identifier = group.identifier
        EngineLink.shared.receive { [weak driver] request, descriptors in
            guard case .frameReceiver(identifier) = request, let driver, let descriptor = descriptors.first else {
                return false
            }
            driver.add(descriptor)
            return true
        }
    }

    deinit { driver.end() }

    /// Passes a sample on, and returns when all receivers have released it, after at most a second. With `everyFrame`,
    /// waiting for a receiver comes first. Await it in `processSampleBuffer` before that returns.
    @discardableResult
    public func send(_ sample: borrowing SampleBuffer) async -> Delivery {
        guard let place = sample.place else { return .notFromEngine }
        return await driver.send(place, duration: sample.duration, format: sample.format)
    }

    public var counts: Counts { driver.counts }
}
