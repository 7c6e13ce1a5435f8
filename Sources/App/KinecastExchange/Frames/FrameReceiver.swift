// Receiving the samples that extensions pass on, in another process of their group.
import KineMedia
import KineRings
import KineWire

/// A frame or a piece of audio, lent to the handler.
public typealias SampleBuffer = KineRings.SampleBuffer
/// Which stream a sample belongs to.
public typealias SampleBufferType = KineRings.SampleBufferType
/// The format of a sample's bytes.
public typealias SampleFormat = KineRings.SampleFormat

/// Gets the samples that the `FrameSender`s of a group pass on, in every take of this user, whichever app began it.
///
///     let receiver = try FrameReceiver(group: group, from: "org.example.pass-on") { sample, type in
///         sample.withPixels { pixels in … }
///     }
///
/// It finds the takes by itself, and goes on when an extension, an engine or a take ends and another begins.
public final class FrameReceiver: Sendable {
    /// The function for samples. Called on a thread of the receiver's own, one sample after the other. While it has a sample, the sending
    /// extension waits, for a second at most: the memory of a sample that is kept longer may change, and it is counted as lost.
    public typealias Handler = @Sendable (borrowing SampleBuffer, SampleBufferType) -> Void

    public enum Event: Sendable, Equatable {
        /// An extension of that service is connected.
        case connected(service: String, take: String)
        /// It has ended, or disconnected this receiver, which tries again.
        case disconnected(service: String, take: String)
        /// The take's engine refuses; one sentence.
        case refused(String, take: String)
    }

    /// The counts since the receiver was made.
    public struct Counts: Sendable, Equatable {
        public var frames = 0
        /// Pieces of audio.
        public var audioSamples = 0
        /// Frames that connected senders could not deliver, and those that were kept for too long.
        public var framesLost = 0
        /// The duration of the audio that connected senders could not deliver.
        public var audioLost = Duration.zero
        /// Connected senders.
        public var senders = 0
    }

    public let group: GroupContainer
    /// What happens to the connections: the newest sixteen that were not read yet. One loop reads them.
    public let events: AsyncStream<Event>
    private let loop: FrameReceiverLoop

    /// Begins to receive.
    ///
    /// - Parameters:
    ///   - group: a group that this app's `kinecast-app.json` names; the engine checks that.
    ///   - service: the identifier of the sending extension's service; nil: all of the group's.
    ///   - handler: called for each sample. The sender waits until it has returned and no sample is kept.
    public init(
        group: GroupContainer, from service: String? = nil, handler: @escaping Handler
    ) throws(GroupError) {
        self.group = group
        let (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(16))
        self.events = events
        loop = try FrameReceiverLoop(
            FrameRequest(group: group.identifier, service: service), handler: handler,
            tell: { continuation.yield($0) }, ended: { continuation.finish() })
    }

    deinit { loop.end() }

    public var counts: Counts { loop.counts }

    /// Receives no more. The handler may still be in its last call.
    public func end() { loop.end() }
}
