// The queue from other threads to a session's thread.
import KinePlatform
import KineWire
import Synchronization

/// The inputs for a session's thread, from any other.
final class SessionMailbox: Sendable {
    typealias Answer = Promise<Result<EngineReply, ClientError>>
    typealias Machine = SessionStateMachine<Answer>

    private struct State {
        var inputs: [Machine.Input] = []
        var isOpen = true
        var feed: ClientFeed?
    }

    private let state = Mutex(State())
    private let wake = WakeSignal()
    /// Fulfilled when the session's thread has nothing left to do.
    let finished = Promise<Void>()
    /// How the take ended, or that the session was closed before.
    let outcome = Promise<Result<TakeOutcome, ClientError>>()

    /// For poll: readable when an input came.
    var descriptor: Int32 { wake.descriptor }

    func post(_ input: Machine.Input) {
        let isTaken = state.withLock { state in
            if state.isOpen { state.inputs.append(input) }
            return state.isOpen
        }
        if isTaken { wake.signal() } else { Self.refuse(input) }
    }

    /// The reader of samples that this session has.
    var feed: ClientFeed? {
        get { state.withLock { $0.feed } }
        set { state.withLock { $0.feed = newValue } }
    }

    /// The inputs since the last call, in order.
    func collect() -> [Machine.Input] {
        wake.clear()
        return state.withLock { state in
            defer { state.inputs = [] }
            return state.inputs
        }
    }

    /// Refuses the requests that are left, and all later ones. The session's thread calls it at its end.
    func close() {
        let rest = state.withLock { state in
            state.isOpen = false
            defer { state.inputs = [] }
            return state.inputs
        }
        rest.forEach(Self.refuse)
        outcome.fulfil(.failure(.takeIsOver))
        finished.fulfil(())
    }

    private static func refuse(_ input: Machine.Input) {
        if case .request(_, let caller?, _) = input { caller.fulfil(.failure(.takeIsOver)) }
    }
}
