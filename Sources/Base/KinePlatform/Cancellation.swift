// Ends the waits of other threads: for a server that starts, for an answer that does not come.
import Synchronization

/// Ends waits once and for all. A wait also polls `descriptor`, or registers with `onCancel` the call that ends it.
public final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var nextToken = 0
        var handlers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())
    private let wake = WakeSignal()

    public init() {}

    /// For poll: readable from `cancel` on. Owned by this object.
    public var descriptor: Int32 { wake.descriptor }
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends all waits, also those that begin later.
    public func cancel() {
        state.withLock { state in
            guard !state.isCancelled else { return }
            state.isCancelled = true
            wake.signal()
            for handler in state.handlers.values { handler() }
        }
    }

    /// Has `cancel` call `handler`, or calls it at once if that is past. It must be short, and call nothing of this object.
    /// Returns the token for `remove`.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextToken += 1
            state.handlers[state.nextToken] = handler
            if state.isCancelled { handler() }
            return state.nextToken
        }
    }

    /// Forgets a handler. When this returns, the handler does not run and never will.
    public func remove(_ token: Int) { state.withLock { _ = $0.handlers.removeValue(forKey: token) } }
}
