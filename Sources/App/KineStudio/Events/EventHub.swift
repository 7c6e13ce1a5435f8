// Passes events to the pages that are connected.
import Synchronization

/// Any thread may call.
final class EventHub: Sendable {
    /// One page's stream of events. `end` ends it from any thread.
    struct Connection: Sendable {
        let stream: AsyncStream<EventLog.Event>
        let end: @Sendable () -> Void
    }

    /// A page that reads nothing for this number of events is disconnected. It connects again, and gets those that are
    /// kept.
    private static let mostWaiting = 1024

    private struct State {
        var log = EventLog()
        var pages: [Int: AsyncStream<EventLog.Event>.Continuation] = [:]
        var lastPage = 0
    }

    private let state = Mutex(State())
    private let pagesChanged: @Sendable (Int) -> Void

    /// - Parameter pagesChanged: gets the number of connected pages; called on any thread.
    init(pagesChanged: @escaping @Sendable (Int) -> Void = { _ in }) { self.pagesChanged = pagesChanged }

    /// - Parameter replaces: as for `EventLog.append`.
    func send(_ type: String, _ value: some Encodable, replaces: Bool = false) {
        let data = String(decoding: StudioJSON.encode(value), as: UTF8.self)
        let full = state.withLock { state in
            let event = state.log.append(type, data, replaces: replaces)
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
        let (page, count) = state.withLock { state in
            continuation.yield(greeting)
            for event in state.log.events(after: id) { continuation.yield(event) }
            state.lastPage += 1
            state.pages[state.lastPage] = continuation
            return (state.lastPage, state.pages.count)
        }
        continuation.onTermination = { [weak self] _ in self?.disconnect(page) }
        pagesChanged(count)
        return Connection(stream: stream, end: { continuation.finish() })
    }

    private func disconnect(_ page: Int) {
        let count = state.withLock { state in
            state.pages[page] = nil
            return state.pages.count
        }
        pagesChanged(count)
    }
}
