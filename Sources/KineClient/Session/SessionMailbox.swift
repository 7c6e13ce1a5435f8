// The queue from other threads to a session's thread.
import KinePlatform
import Synchronization

/// The inputs and requests for a session's thread, from any other.
final class SessionMailbox: Sendable {
    typealias Answer = Promise<Result<SessionAnswer, ClientError>>

    enum Entry {
        case input(SessionStateMachine.Input)
        case request(SessionRequest, deadline: Int64?, Answer)
    }

    private struct State {
        var entries: [Entry] = []
        var isOpen = true
        var feed: ClientFeed?
    }

    private let state = Mutex(State())
    private let wake = WakeSignal()
    /// Fulfilled when the session's thread has nothing left to do.
    let finished = Promise<Void>()

    /// For poll: readable when an entry came.
    var descriptor: Int32 { wake.descriptor }

    func post(_ entry: Entry) {
        let isTaken = state.withLock { state in
            if state.isOpen { state.entries.append(entry) }
            return state.isOpen
        }
        if isTaken { wake.signal() } else { Self.refuse(entry) }
    }

    /// The reader of samples that this session has.
    var feed: ClientFeed? {
        get { state.withLock { $0.feed } }
        set { state.withLock { $0.feed = newValue } }
    }

    /// The entries since the last call, in order.
    func collect() -> [Entry] {
        wake.clear()
        return state.withLock { state in
            defer { state.entries = [] }
            return state.entries
        }
    }

    /// Refuses the requests that are left, and all later ones. The session's thread calls it at its end.
    func close() {
        let rest = state.withLock { state in
            state.isOpen = false
            defer { state.entries = [] }
            return state.entries
        }
        rest.forEach(Self.refuse)
        finished.fulfil(())
    }

    private static func refuse(_ entry: Entry) {
        if case .request(_, _, let answer) = entry { answer.fulfil(.failure(.takeIsOver)) }
    }
}
