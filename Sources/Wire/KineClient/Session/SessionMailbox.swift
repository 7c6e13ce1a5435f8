// The queue from other threads to a session's thread.
import KinePlatform
import KineWire
import Synchronization

/// The inputs for a session's thread, from any other thread.
final class SessionMailbox: Sendable {
    typealias Answer = Promise<Result<EngineReply, ClientError>>
    typealias Machine = SessionStateMachine<Answer>

    private let inputs = Mailbox<Machine.Input>()
    private let reader = Mutex<ClientFeed?>(nil)
    /// Fulfilled when the session's thread is done.
    let finished = Promise<Void>()
    /// The take's outcome, or an error if the session was closed first.
    let outcome = Promise<Result<TakeOutcome, ClientError>>()

    /// For poll: readable when there is input.
    var descriptor: Int32 { inputs.descriptor }

    func post(_ input: Machine.Input) { if !inputs.post(input) { Self.refuse(input) } }

    /// The feed that reads samples in this session.
    var feed: ClientFeed? {
        get { reader.withLock { $0 } }
        set { reader.withLock { $0 = newValue } }
    }

    /// The inputs since the last call, in order.
    func collect() -> [Machine.Input] { inputs.drain() }

    /// Refuses the remaining requests, and all later ones. The session's thread calls this at its end.
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

/// A value that is set once. Any number of tasks may wait for it.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
        var cancelled: Set<Int> = []
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Gives the value to all present and later waiters. A second value is ignored.
    package func fulfil(_ value: Value) {
        let waiters = state.withLock { state in
            guard state.value == nil else { return [CheckedContinuation<Value?, Never>]() }
            state.value = value
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// Waits for the value; nil if the task is cancelled first.
    package func value() async -> Value? {
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isSettled, value): (Bool, Value?) = state.withLock { state in
                    if let value = state.value { return (true, value) }
                    // The cancellation handler may have run before the continuation was stored.
                    if state.cancelled.remove(waiter) != nil { return (true, nil) }
                    state.waiters[waiter] = continuation
                    return (false, nil)
                }
                if isSettled { continuation.resume(returning: value) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let continuation = state.waiters.removeValue(forKey: waiter)
                if continuation == nil, state.value == nil { state.cancelled.insert(waiter) }
                return continuation
            }
            continuation?.resume(returning: nil)
        }
    }
}
