// The samples of a take in a client: the engine's shared memory, and the messages about it.
import KinePlatform
import KineRings
import KineWire

/// An event of a client's feed. The reader gets them in order.
public enum ClientFeedEvent: Sendable {
    /// Samples can now be read.
    case start(StreamReceiver, StreamDescription)
    /// The pause comes after all samples up to that position.
    case pause(after: StreamPosition)
    case resume(after: StreamPosition)
    /// No samples follow after that position.
    case finish(after: StreamPosition)
    /// No samples follow, except those already in the memory.
    case failed(ClientError)
}

/// Transfers samples from an engine to this process. Read it on one thread; end it with `EngineSession.endSamples`.
public final class ClientFeed: Sendable {
    private let events = Mailbox<ClientFeedEvent>()

    init() {}

    /// For poll: readable when there are events. The receiver has its own descriptor.
    public var descriptor: Int32 { events.descriptor }

    /// The events since the last call.
    public func collect() -> [ClientFeedEvent] { events.drain() }

    /// Wakes the reader without an event.
    public func signal() { events.interrupt() }

    // MARK: The session's thread

    /// Events after the first `finish` or `failed` are dropped.
    func post(_ event: ClientFeedEvent) {
        events.post(event)
        switch event {
        case .finish, .failed: events.close()
        case .start, .pause, .resume: break
        }
    }

    /// - Parameter connection: has received the descriptors of `start`.
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
