// Ends the blocking waits of other threads, such as a wait for a server to start.
import Synchronization

/// Ends waits, once. A wait also polls `descriptor`, or registers with `onCancel` the call that ends it.
public final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var nextToken = 0
        var handlers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())
    private let wake = WakeSignal()

    public init() {}

    /// For poll: readable after `cancel`. Owned by this object.
    public var descriptor: Int32 { wake.descriptor }
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends all waits, including those that begin later.
    public func cancel() {
        state.withLock { state in
            guard !state.isCancelled else { return }
            state.isCancelled = true
            wake.signal()
            for handler in state.handlers.values { handler() }
        }
    }

    /// Registers a handler that `cancel` calls; calls it at once after `cancel`. It must be short and must not use this
    /// object. Returns the token for `remove`.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextToken += 1
            state.handlers[state.nextToken] = handler
            if state.isCancelled { handler() }
            return state.nextToken
        }
    }

    /// Removes a handler. Once this returns, the handler is not running and never will.
    public func remove(_ token: Int) { state.withLock { _ = $0.handlers.removeValue(forKey: token) } }
}
