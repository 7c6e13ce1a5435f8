// Delivers an object's events to independent readers.
import Synchronization

/// Sends each event to every sequence added before it. A reader that is 256 events behind loses the oldest.
final class EventListeners<Event: Sendable>: Sendable {
    private struct State {
        var next = 0
        var continuations: [Int: AsyncStream<Event>.Continuation] = [:]
    }

    private let state = Mutex(State())

    deinit { state.withLock { $0.continuations.values.forEach { $0.finish() } } }

    func add() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(256))
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

    func tell(_ event: Event) {
        let continuations = state.withLock { Array($0.continuations.values) }
        for continuation in continuations { continuation.yield(event) }
    }

    /// Removes and returns all sequences; the caller ends them. Later events reach only later sequences.
    func removeAll() -> [AsyncStream<Event>.Continuation] {
        state.withLock { state in
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
    }
}

/// Delivers events in order, each after the previous call has returned. The delivering task runs from the first use
/// until this object is released.
final class DelegateCalls<Event: Sendable>: Sendable {
    private let continuation = Mutex<AsyncStream<Event>.Continuation?>(nil)

    deinit { continuation.withLock { $0?.finish() } }

    /// Only the first call sets `deliver`.
    func begin(_ deliver: @escaping @Sendable (Event) async -> Void) {
        continuation.withLock { continuation in
            guard continuation == nil else { return }
            let (events, new) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(256))
            continuation = new
            Task { for await event in events { await deliver(event) } }
        }
    }

    /// Before `begin`, events are ignored.
    func tell(_ event: Event) { continuation.withLock { _ = $0?.yield(event) } }
}
