// Tasks that wait for each other without blocking a thread.
import Synchronization

/// Lets one task at a time pass. Any thread may call.
package final class Turns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// - Parameter isFirst: whether the task goes before the waiting ones.
    package func take<Value, Failure: Error>(
        isFirst: Bool = false, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiting.insert(continuation, at: isFirst ? 0 : state.waiting.count) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
        defer {
            let next = state.withLock { state in
                state.isTaken = !state.waiting.isEmpty
                return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            }
            next?.resume()
        }
        return try await body()
    }
}
