// The queue from other threads to a session's thread.
import KinePlatform
import KineWire
import Synchronization

/// The inputs for a session's thread, from any other.
final class SessionMailbox: Sendable {
    typealias Answer = Promise<Result<EngineReply, ClientError>>
    typealias Machine = SessionStateMachine<Answer>

    private let inputs = Mailbox<Machine.Input>()
    private let reader = Mutex<ClientFeed?>(nil)
    /// Fulfilled when the session's thread has nothing left to do.
    let finished = Promise<Void>()
    /// How the take ended, or that the session was closed before.
    let outcome = Promise<Result<TakeOutcome, ClientError>>()

    /// For poll: readable when an input came.
    var descriptor: Int32 { inputs.descriptor }

    func post(_ input: Machine.Input) { if !inputs.post(input) { Self.refuse(input) } }

    /// The reader of samples that this session has.
    var feed: ClientFeed? {
        get { reader.withLock { $0 } }
        set { reader.withLock { $0 = newValue } }
    }

    /// The inputs since the last call, in order.
    func collect() -> [Machine.Input] { inputs.drain() }

    /// Refuses the requests that are left, and all later ones. The session's thread calls it at its end.
    func close() {
        inputs.close()
        inputs.drain().forEach(Self.refuse)
        outcome.fulfil(.failure(.takeIsOver))
        finished.fulfil(())
    }

    private static func refuse(_ input: Machine.Input) {
        if case .request(_, let caller?, _) = input { caller.fulfil(.failure(.takeIsOver)) }
    }
}
