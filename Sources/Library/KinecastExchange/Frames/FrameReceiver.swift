// Receives the samples that extensions pass on, in another process of their group.
import KineRings
import KineWire

/// A frame or a piece of audio, lent to the handler.
public typealias SampleBuffer = KineRings.SampleBuffer
/// The stream that a sample belongs to.
public typealias SampleBufferType = KineRings.SampleBufferType
/// The format of a sample's bytes.
public typealias SampleFormat = KineRings.SampleFormat

/// Receives the samples that the `FrameSender`s of a group pass on, in every take of this user, whichever app began it.
///
///     let receiver = try FrameReceiver(group: group, from: "org.example.pass-on") { sample, type in
///         sample.withPixels { pixels in … }
///     }
///
/// It finds the takes, and continues when an extension, an engine or a take ends and another begins.
public final class FrameReceiver: Sendable {
    /// The function for samples, called on the receiver's thread with one sample at a time. The sending extension waits
    /// for it, at most a second: then a sample's memory may change, and the sample counts as lost.
    public typealias Handler = @Sendable (borrowing SampleBuffer, SampleBufferType) -> Void

    public enum Event: Sendable, Equatable {
        /// An extension of this service is connected.
        case connected(service: String, take: String)
        /// The extension has ended, or disconnected this receiver, which tries again.
        case disconnected(service: String, take: String)
        /// The take's engine refuses; the text is one sentence.
        case refused(String, take: String)
    }

    /// The counts since the receiver was created.
    public struct Counts: Sendable, Equatable {
        public var frames = 0
        /// Pieces of audio.
        public var audioSamples = 0
        /// Frames that connected senders could not deliver, and frames that were kept too long.
        public var framesLost = 0
        /// The duration of the audio that connected senders could not deliver.
        public var audioLost = Duration.zero
        /// Connected senders.
        public var senders = 0
    }

    public let group: GroupContainer
    /// The events of the connections; the newest sixteen unread ones are kept. Only one loop may read them.
    public let events: AsyncStream<Event>
    private let loop: FrameReceiverLoop

    /// Begins to receive.
    ///
    /// - Parameters:
    ///   - group: a group in this app's `kinecast-app.json`; the engine checks that.
    ///   - service: the service of the sending extension; nil: all services of the group.
    ///   - handler: called for each sample. The sender waits until it returns and keeps no sample.
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

    /// Stops receiving. The handler may still be in its last call.
    public func end() { loop.end() }
}
