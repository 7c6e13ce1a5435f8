// Delivers an object's events to independent readers.
import Synchronization

/// Sends each event to every sequence added before it. A reader that is too far behind loses the oldest.
package final class EventListeners<Event: Sendable>: Sendable {
    private struct State {
        var next = 0
        var continuations: [Int: AsyncStream<Event>.Continuation] = [:]
    }

    private let mostUnread: Int
    private let state = Mutex(State())

    package init(mostUnread: Int = 256) { self.mostUnread = mostUnread }

    deinit { state.withLock { $0.continuations.values.forEach { $0.finish() } } }

    package func add() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(mostUnread))
        let id = state.withLock { state in
            state.next += 1
            state.continuations[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.continuations.removeValue(forKey: id) }
        }
        return stream
    }

    /// Returns whether anyone listens.
    @discardableResult
    package func tell(_ event: Event) -> Bool {
        let continuations = state.withLock { Array($0.continuations.values) }
        for continuation in continuations { continuation.yield(event) }
        return !continuations.isEmpty
    }

    /// Removes and returns all sequences; the caller ends them. Later events reach only later sequences.
    package func removeAll() -> [AsyncStream<Event>.Continuation] {
        state.withLock { state in
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
    }
}
