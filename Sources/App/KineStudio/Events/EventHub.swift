// Passes events to the pages that are connected.
import Synchronization

/// Any thread may call.
final class EventHub: Sendable {
    /// One page's stream of events. `end` ends it from any thread.
    struct Connection: Sendable {
        let stream: AsyncStream<EventLog.Event>
        let end: @Sendable () -> Void
    }

    /// Events buffered for a page. A page further behind is disconnected, and reconnects.
    private static let mostWaiting = 1024

    private struct State {
        var log = EventLog()
        var pages: [Int: AsyncStream<EventLog.Event>.Continuation] = [:]
        var lastPage = 0
    }

    private let state = Mutex(State())
    private let pagesChanged: @Sendable (Int) -> Void

    /// - Parameter pagesChanged: gets the number of connected pages, in order, on any thread. It must not call the hub.
    init(pagesChanged: @escaping @Sendable (Int) -> Void = { _ in }) { self.pagesChanged = pagesChanged }

    /// - Parameter isState: as for `EventLog.append`.
    func send(_ type: String, _ value: some Encodable, isState: Bool = false) {
        let data = String(decoding: StudioJSON.encode(value), as: UTF8.self)
        let full = state.withLock { state in
            let event = state.log.append(type, data, isState: isState)
            return state.pages.values.filter { page in
                if case .dropped = page.yield(event) { true } else { false }
            }
        }
        // This calls `disconnect`, which takes the lock.
        for page in full { page.finish() }
    }

    /// Sends a page the events that it has missed, and then each one that comes.
    ///
    /// - Parameters:
    ///   - id: the last event that the page has; nil: it has none.
    ///   - greeting: an event without an id, for this page alone.
    func connect(after id: Int?, greeting: EventLog.Event) -> Connection {
        let (stream, continuation) = AsyncStream<EventLog.Event>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        let page = state.withLock { state in
            continuation.yield(greeting)
            for event in state.log.events(after: id) { continuation.yield(event) }
            state.lastPage += 1
            state.pages[state.lastPage] = continuation
            pagesChanged(state.pages.count)
            return state.lastPage
        }
        continuation.onTermination = { [weak self] _ in self?.disconnect(page) }
        return Connection(stream: stream, end: { continuation.finish() })
    }

    private func disconnect(_ page: Int) {
        state.withLock { state in
            state.pages[page] = nil
            pagesChanged(state.pages.count)
        }
    }
}
