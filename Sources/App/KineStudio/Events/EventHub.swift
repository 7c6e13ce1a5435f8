// Passes events to the pages that are connected.
import KinePlatform
import Synchronization

/// Any thread may call.
final class EventHub: Sendable {
    /// One page's stream of events. `end` ends it from any thread.
    struct Connection: Sendable {
        /// The text of the stream.
        let stream: AsyncStream<String>
        let end: @Sendable () -> Void
    }

    /// Events buffered for a page. A page further behind is disconnected, and reconnects.
    private static let mostWaiting = 1024
    /// Proxies and tunnels close a connection on which nothing is sent for a minute. Nanoseconds.
    private static let quietLimit: Int64 = 25_000_000_000
    /// A comment, which pages ignore (HTML, server-sent events).
    static let comment = ":\n\n"

    private struct State {
        var log = EventLog()
        var pages: [Int: AsyncStream<String>.Continuation] = [:]
        var lastPage = 0
        /// The time of the last transmission to all pages, or of the first page's connection.
        var lastSent: Int64 = 0

        /// Returns the pages that are too far behind.
        mutating func send(_ text: String, at now: Int64) -> [AsyncStream<String>.Continuation] {
            lastSent = now
            return pages.values.filter { page in
                if case .dropped = page.yield(text) { true } else { false }
            }
        }
    }

    private let state = Mutex(State())
    private let pagesChanged: @Sendable (Int) -> Void

    /// - Parameter pagesChanged: gets the number of connected pages, in order, on any thread. It must not call the hub.
    init(pagesChanged: @escaping @Sendable (Int) -> Void = { _ in }) { self.pagesChanged = pagesChanged }

    /// - Parameters:
    ///   - isState: as for `EventLog.append`.
    ///   - now: nanoseconds of CLOCK_MONOTONIC; the same below.
    func send(_ type: String, _ value: some Encodable, isState: Bool = false, at now: Int64 = MonotonicClock.now()) {
        let data = String(decoding: StudioJSON.encode(value), as: UTF8.self)
        let full = state.withLock { $0.send($0.log.append(type, data, isState: isState).text, at: now) }
        // This calls `disconnect`, which takes the lock.
        for page in full { page.finish() }
    }

    /// The next time for `keepAlive`; nil while no page is connected.
    var nextKeepAlive: Int64? { state.withLock { $0.pages.isEmpty ? nil : $0.lastSent + Self.quietLimit } }

    /// Sends each page a comment if nothing was sent for a while.
    func keepAlive(at now: Int64) {
        guard let next = nextKeepAlive, now >= next else { return }
        for page in state.withLock({ $0.send(Self.comment, at: now) }) { page.finish() }
    }

    /// Sends a page the events that it has missed, and then each one that comes.
    ///
    /// - Parameters:
    ///   - id: the last event that the page has; nil: it has none.
    ///   - greeting: an event without an id, for this page alone.
    func connect(after id: Int?, greeting: EventLog.Event, at now: Int64 = MonotonicClock.now()) -> Connection {
        let (stream, continuation) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        let page = state.withLock { state in
            if state.pages.isEmpty { state.lastSent = now }
            continuation.yield(greeting.text)
            for event in state.log.events(after: id) { continuation.yield(event.text) }
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
