// Giving up on something that another thread waits for: a server that starts, an answer that does not come.
import Synchronization

/// Ends waits once and for all. A wait polls `descriptor` too, or says with `onCancel` what ends it.
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

    /// Has `handler` called by `cancel`, or at once where that is past. It must be short, and call nothing of this object.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextToken += 1
            state.handlers[state.nextToken] = handler
            if state.isCancelled { handler() }
            return state.nextToken
        }
    }

    /// Forgets a handler. It does not run any more when this returns: what it needs may go then.
    public func remove(_ token: Int) { state.withLock { _ = $0.handlers.removeValue(forKey: token) } }
}
