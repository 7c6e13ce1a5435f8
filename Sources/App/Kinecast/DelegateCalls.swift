// Events reach a delegate one call at a time, though they come from several tasks.
import Synchronization

/// Delivers events in the order in which they were told, each when the call before it has returned. The task that delivers them runs from
/// the first use until this object is released.
final class DelegateCalls<Event: Sendable>: Sendable {
    private let continuation = Mutex<AsyncStream<Event>.Continuation?>(nil)

    deinit { continuation.withLock { $0?.finish() } }

    /// The first call decides how events are delivered.
    func begin(_ deliver: @escaping @Sendable (Event) async -> Void) {
        continuation.withLock { continuation in
            guard continuation == nil else { return }
            let (events, new) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(256))
            continuation = new
            Task { for await event in events { await deliver(event) } }
        }
    }

    /// Before `begin`, nothing happens.
    func tell(_ event: Event) { continuation.withLock { _ = $0?.yield(event) } }
}
