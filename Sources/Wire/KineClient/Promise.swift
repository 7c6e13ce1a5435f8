// A value that a thread gives once to all tasks that wait for it.
import Synchronization

/// Any number of tasks may wait; each gets the value.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
        var cancelled: Set<Int> = []
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Gives the value to all that wait and will wait. A second value is ignored.
    package func fulfil(_ value: Value) {
        let waiters = state.withLock { state in
            guard state.value == nil else { return [CheckedContinuation<Value?, Never>]() }
            state.value = value
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// Waits for the value; nil where the task is cancelled first.
    package func value() async -> Value? {
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isSettled, value): (Bool, Value?) = state.withLock { state in
                    if let value = state.value { return (true, value) }
                    // The handler may have run before the continuation was there.
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
