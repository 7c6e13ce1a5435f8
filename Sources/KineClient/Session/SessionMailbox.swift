// What other threads leave for a session's thread.
import KinePlatform
import Synchronization

/// What reaches a session's thread, from any other.
final class SessionMailbox: Sendable {
    typealias Answer = Promise<Result<SessionAnswer, ClientError>>

    enum Letter {
        case input(SessionStateMachine.Input)
        case request(SessionRequest, deadline: Int64?, Answer)
    }

    private struct State {
        var letters: [Letter] = []
        var isOpen = true
    }

    private let state = Mutex(State())
    private let wake = WakeSignal()
    /// Fulfilled when the session's thread has nothing left to do.
    let finished = Promise<Void>()

    /// For poll: readable when a letter came.
    var descriptor: Int32 { wake.descriptor }

    func post(_ letter: Letter) {
        let isTaken = state.withLock { state in
            if state.isOpen { state.letters.append(letter) }
            return state.isOpen
        }
        if isTaken { wake.signal() } else { Self.refuse(letter) }
    }

    /// The letters since the last call, in order.
    func collect() -> [Letter] {
        wake.clear()
        return state.withLock { state in
            defer { state.letters = [] }
            return state.letters
        }
    }

    /// Nobody will read any more.
    func close() {
        let rest = state.withLock { state in
            state.isOpen = false
            defer { state.letters = [] }
            return state.letters
        }
        rest.forEach(Self.refuse)
        finished.fulfil(())
    }

    private static func refuse(_ letter: Letter) {
        if case .request(_, _, let answer) = letter { answer.fulfil(.failure(.takeIsOver)) }
    }
}
