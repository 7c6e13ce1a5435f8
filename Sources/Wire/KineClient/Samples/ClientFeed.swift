// The samples of a take in a client: the memory that the engine shares, and what it tells about them.
import KinePlatform
import KineRings
import KineWire
import Synchronization

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
    private struct State {
        var events: [ClientFeedEvent] = []
        /// A last event has come.
        var isOver = false
    }

    private let state = Mutex(State())
    private let wake = WakeSignal()

    init() {}

    /// For poll: readable when there are events. The receiver has a descriptor of its own.
    public var descriptor: Int32 { wake.descriptor }

    /// The events since the last call.
    public func collect() -> [ClientFeedEvent] {
        wake.clear()
        return state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }

    /// Wakes the reader, for reasons of its own.
    public func signal() { wake.signal() }

    // MARK: The session's thread

    func post(_ event: ClientFeedEvent) {
        state.withLock { state in
            guard !state.isOver else { return }
            if case .finish = event { state.isOver = true }
            if case .failed = event { state.isOver = true }
            state.events.append(event)
        }
        wake.signal()
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
