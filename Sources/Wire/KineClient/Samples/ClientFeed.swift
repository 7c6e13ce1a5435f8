// The samples of a take in a client: the engine's shared memory, and the messages about it.
import KinePlatform
import KineRings
import KineWire

/// An event of a client's feed. The reader gets them in order.
public enum ClientFeedEvent: Sendable {
    /// Samples can now be read.
    case start(StreamReceiver, StreamDescription)
    /// No samples follow, except those already in the memory.
    case end
}

/// Transfers samples from an engine to this process. Read it on one thread; end it with `EngineSession.endSamples`.
public final class ClientFeed: Sendable {
    private let events = Mailbox<ClientFeedEvent>()

    init() {}

    /// For poll: readable when there are events. The receiver has its own descriptor.
    public var descriptor: Int32 { events.descriptor }

    /// The events since the last call.
    public func collect() -> [ClientFeedEvent] { events.drain() }

    // MARK: The session's thread

    /// Ends the feed. Later events are dropped.
    func end() {
        events.post(.end)
        events.close()
    }

    /// - Parameter connection: has received the descriptors of `start`.
    func received(_ message: SampleFeedMessage, over connection: ClientConnection) {
        switch message {
        case .start(let stream):
            guard let receiver = try? StreamReceiver(stream, descriptors: connection.removeDescriptors()) else {
                return end()
            }
            events.post(.start(receiver, stream))
        // The session's events report pauses.
        case .pause, .resume: break
        case .finish, .failed: end()
        }
    }
}
