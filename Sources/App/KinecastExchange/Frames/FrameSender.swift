// Passing an extension's samples on to processes of its group, without a copy: they read the engine's memory themselves.
import KineMedia
import KineRings
import KineWire

/// Passes the samples that an extension gets on to every `FrameReceiver` of a group.
///
///     override func processSampleBuffer(_ sampleBuffer: borrowing SampleBuffer, with type: SampleBufferType) async {
///         await sender.send(sampleBuffer)
///     }
///
/// Nothing is copied: the receivers see the memory in which the engine has put the sample, and cannot write it. While a receiver has a
/// frame, newer ones take each other's place, and the extension gets the newest next; those that were left out are counted at both
/// ends. A receiver that ends or starts again disturbs nothing.
public final class FrameSender: Sendable {
    /// What becomes of samples while no receiver is there.
    public enum Policy: Sendable, Equatable {
        /// They are lost, and counted.
        case newest
        /// Each waits so long for a receiver that is starting, a second at most, before it is lost.
        case everyFrame(wait: Duration)
    }

    /// What became of a sample.
    public enum Delivery: Sendable, Equatable {
        /// At least one receiver has had it and let it go.
        case delivered
        /// No receiver was there.
        case noReceiver
        /// A receiver held it for a second. It was disconnected, and connects again when it goes on.
        case timedOut
        /// Another call still sends a sample.
        case busy
        /// The sample does not come from an engine, as in a test without one.
        case notFromEngine
    }

    /// The counts since the sender was made.
    public struct Counts: Sendable, Equatable {
        public var delivered = 0
        /// Frames that no receiver got, and those that this extension did not get itself.
        public var framesLost = 0
        /// The duration of the audio that no receiver got.
        public var audioLost = Duration.zero
        /// Connected receivers.
        public var receivers = 0
    }

    public let group: GroupContainer
    private let driver: FrameSenderDriver

    /// A sender for the receivers of a group that this extension's manifest names. Make it in `broadcastStarted` and keep it. Throws
    /// `notStarted` outside an extension.
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

    /// Passes a sample on, and returns when all receivers have let it go, after a second at most. With `everyFrame`, its wait for a
    /// receiver comes before that. Call it in `processSampleBuffer`, and await it before that returns.
    @discardableResult
    public func send(_ sample: borrowing SampleBuffer) async -> Delivery {
        guard let place = sample.place else { return .notFromEngine }
        return await driver.send(place, duration: sample.duration)
    }

    public var counts: Counts { driver.counts }
}
