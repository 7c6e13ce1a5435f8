// The samples of a take in a client: the memory that the engine shares, and what it tells about them.
import KinePlatform
import KineRings
import KineWire

/// An event of a client's feed. Its reader gets them in order.
public enum ClientFeedEvent: Sendable {
    /// Samples can be read from now on.
    case start(StreamReceiver, StreamDescription)
    /// After everything up to that position.
    case pause(after: StreamPosition)
    case resume(after: StreamPosition)
    /// After everything up to that position there is nothing more.
    case finish(after: StreamPosition)
    /// There are none, or no more, but for those in the memory already.
    case failed(ClientError)
}

/// Samples on their way from an engine to this process. Read by one thread; end it with `EngineSession.endSamples`.
public final class ClientFeed: Sendable {
    private let events = Mailbox<ClientFeedEvent>()

    init() {}

    /// For poll: readable when there are events. The receiver has a descriptor of its own.
    public var descriptor: Int32 { events.descriptor }

    /// The events since the last call.
    public func collect() -> [ClientFeedEvent] { events.drain() }

    /// Wakes the reader, for reasons of its own.
    public func signal() { events.interrupt() }

    // MARK: The session's thread

    /// Nothing comes after the first event that is a last one.
    func post(_ event: ClientFeedEvent) {
        events.post(event)
        switch event {
        case .finish, .failed: events.close()
        case .start, .pause, .resume: break
        }
    }

    /// - Parameter connection: has received the descriptors that belong to `start`.
    func received(_ message: SampleFeedMessage, over connection: ClientConnection) {
        switch message {
        case .start(let stream):
            do throws(StreamReceiver.Error) {
                post(.start(try StreamReceiver(stream, descriptors: connection.removeDescriptors()), stream))
            } catch {
                post(.failed(.samples(error)))
            }
        case .pause(let position): post(.pause(after: position))
        case .resume(let position): post(.resume(after: position))
        case .finish(let position): post(.finish(after: position))
        case .failed(let sentence): post(.failed(.refused(Refusal(.unavailable, sentence))))
        }
    }
}
