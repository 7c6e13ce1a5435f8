// Passes events to the pages that are connected.
import KinePlatform
import Synchronization

/// Any thread may call.
final class EventHub: PollSource, Sendable {
    /// One page's stream of events. `end` ends it from any thread.
    struct Connection: Sendable {
        /// The text of the stream.
        let stream: AsyncStream<String>
        let end: @Sendable () -> Void
    }

    /// Events buffered for a page. A page further behind is disconnected, and reconnects.
    private static let mostWaiting = 1024
    /// Proxies and tunnels close a connection on which nothing is sent for a minute. Nanoseconds.
    static let quietLimit: Int64 = 25_000_000_000
    /// A comment, which pages ignore (HTML, server-sent events).
    static let comment = ":\n\n"

    typealias Filter = @Sendable (EventLog.Event) -> Bool

    private struct Page {
        let output: AsyncStream<String>.Continuation
        let isWanted: Filter
    }

    private struct State {
        var log = EventLog()
        var pages: [Int: Page] = [:]
        var lastPage = 0
        /// The time of the last transmission to all pages, or of the first page's connection.
        var lastSent: Int64 = 0

        /// Returns the pages that are too far behind.
        mutating func send(_ event: EventLog.Event?, at now: Int64) -> [AsyncStream<String>.Continuation] {
            if event.map({ event in pages.values.allSatisfy { $0.isWanted(event) } }) != false { lastSent = now }
            return pages.values.filter { page in
                guard event.map(page.isWanted) != false else { return false }
                if case .dropped = page.output.yield(event?.text ?? EventHub.comment) { return true }
                return false
            }.map(\.output)
        }

        /// How many pages show apps' questions.
        var asking: Int { pages.values.count { $0.isWanted(EventLog.Event(id: nil, type: "questions", data: "")) } }
    }

    private let state = Mutex(State())
    private let pagesChanged: @Sendable (_ all: Int, _ asking: Int) -> Void

    /// - Parameter pagesChanged: is called after each change, in order, on any thread, with two numbers: of connected pages, and of pages that
    ///   show apps' questions. It must not call the hub.
    init(pagesChanged: @escaping @Sendable (_ all: Int, _ asking: Int) -> Void = { _, _ in }) {
        self.pagesChanged = pagesChanged
    }

    /// - Parameters:
    ///   - subject: as for `EventLog.Event`.
    ///   - isState: as for `EventLog.append`.
    ///   - now: nanoseconds of CLOCK_MONOTONIC; the same below.
    func send(
        _ type: String, _ value: some Encodable, of subject: String? = nil, isState: Bool = false,
        at now: Int64 = MonotonicClock.now()
    ) {
        let data = String(decoding: StudioJSON.encode(value), as: UTF8.self)
        let full = state.withLock { $0.send($0.log.append(type, data, of: subject, isState: isState), at: now) }
        // This calls `disconnect`, which takes the lock.
        for page in full { page.finish() }
    }

    /// The next time for `keepAlive`; nil while no page is connected.
    var nextDeadline: Int64? { state.withLock { $0.pages.isEmpty ? nil : $0.lastSent + Self.quietLimit } }

    /// Sends each page a comment if nothing was sent for a while.
    func keepAlive(at now: Int64) {
        guard let next = nextDeadline, now >= next else { return }
        for page in state.withLock({ $0.send(nil, at: now) }) { page.finish() }
    }

    /// Sends a page the events that it has missed, and then each one that comes.
    ///
    /// - Parameters:
    ///   - id: the last event that the page has; nil: it has none.
    ///   - greeting: an event without an id, for this page alone.
    ///   - isWanted: whether the page gets an event. It must not call the hub.
    func connect(
        after id: Int?, greeting: EventLog.Event, at now: Int64 = MonotonicClock.now(),
        _ isWanted: @escaping Filter = { _ in true }
    ) -> Connection {
        let (stream, continuation) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        let page = state.withLock { state in
            if state.pages.isEmpty { state.lastSent = now }
            continuation.yield(greeting.text)
            for event in state.log.events(after: id) where isWanted(event) { continuation.yield(event.text) }
            state.lastPage += 1
            state.pages[state.lastPage] = Page(output: continuation, isWanted: isWanted)
            pagesChanged(state.pages.count, state.asking)
            return state.lastPage
        }
        continuation.onTermination = { [weak self] _ in self?.disconnect(page) }
        return Connection(stream: stream, end: { continuation.finish() })
    }

    private func disconnect(_ page: Int) {
        state.withLock { state in
            state.pages[page] = nil
            pagesChanged(state.pages.count, state.asking)
        }
    }
}

extension EventHub.Connection {
    /// The events of both, until this one ends.
    func merged(with other: EventHub.Connection) -> EventHub.Connection {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        Task { for await text in other.stream { continuation.yield(text) } }
        Task {
            for await text in self.stream { continuation.yield(text) }
            continuation.finish()
        }
        continuation.onTermination = { _ in
            end()
            other.end()
        }
        return EventHub.Connection(stream: stream, end: end)
    }
}
