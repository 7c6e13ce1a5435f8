// Calls an object's delegate.
import Synchronization

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
