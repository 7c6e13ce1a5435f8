// Sends requests to the process that serves this one's desktop: an extension's engine, or an app's companion.
import KinePlatform
import KineWire
import Synchronization

/// Numbers requests, and returns each answer to its caller.
final class DesktopChannel: Sendable {
    typealias Reply = Result<PasteboardText?, DesktopFailure>

    private typealias Waiting = CheckedContinuation<Reply, Never>

    private struct State {
        /// Nil for the request after a click, whose answer is ignored.
        var requests = PendingRequests<Waiting?>()
        /// The request with a long text, and the ones that wait for its answer: several at once could fill the socket's
        /// queue, which ends the connection.
        var longRequest: Int?
        var longTasks: [(DesktopTask, Waiting?)] = []
        var companion: DesktopCompanionLink?
        var isLinked = false
    }

    /// The channel of this process.
    static let shared = DesktopChannel()

    private let link: EngineLink
    private let locator: @Sendable () -> EngineLocator
    private let state = Mutex(State())
    private let clicks = EventListeners<NotificationActivation>(mostUnread: 64)

    init(link: EngineLink = .shared, locator: @autoclosure @escaping @Sendable () -> EngineLocator = EngineLocator()) {
        self.link = link
        self.locator = locator
    }

    var isExtension: Bool { link.isExtension }

    /// Sends a request and waits for the answer, at most half a minute. Returns the clipboard's text if requested.
    @discardableResult
    func perform(_ task: DesktopTask) async throws(DesktopFailure) -> PasteboardText? {
        if link.isExtension {
            guard link.start != nil else {
                throw DesktopFailure(.unavailable, "The broadcast has not started; ask in broadcastStarted or later.")
            }
            linkOnce()
        }
        return try await withCheckedContinuation { continuation in
            send(task, continuation)
        }.get()
    }

    /// Without a continuation, the answer is ignored.
    private func send(_ task: DesktopTask, _ continuation: Waiting?) {
        let sent = state.withLock { state -> (DesktopRequest, DesktopCompanionLink?)? in
            if task.isLong, state.longRequest != nil {
                state.longTasks.append((task, continuation))
                return nil
            }
            let number = state.requests.add(continuation)
            if task.isLong { state.longRequest = number }
            if !link.isExtension, state.companion == nil {
                state.companion = DesktopCompanionLink(to: self)
            }
            return (DesktopRequest(number: number, task: task), state.companion)
        }
        guard let (request, companion) = sent else { return }
        if let companion { companion.send(request, locator) } else { link.send(.desktop(request)) }
    }

    private func linkOnce() {
        let isFirst = state.withLock { state in
            defer { state.isLinked = true }
            return !state.isLinked
        }
        guard isFirst else { return }
        link.receive { [weak self] request, _ in
            guard let self, case .desktop(let answer) = request else { return false }
            received(answer)
            return true
        }
    }

    func received(_ answer: DesktopAnswer) {
        let (continuation, next) = state.withLock { state -> (Waiting?, (DesktopTask, Waiting?)?) in
            guard let number = answer.number else { return (nil, nil) }
            let continuation = state.requests.remove(number) ?? nil
            guard number == state.longRequest else { return (continuation, nil) }
            state.longRequest = nil
            return (continuation, state.longTasks.isEmpty ? nil : state.longTasks.removeFirst())
        }
        if let (task, waiting) = next { send(task, waiting) }
        switch answer {
        case .done: continuation?.resume(returning: .success(nil))
        case .text(let text, _): continuation?.resume(returning: .success(text))
        case .failed(let failure, _): continuation?.resume(returning: .failure(failure))
        case .activated(let activation): activated(activation)
        }
    }

    /// The companion has ended or never started: fails all waiting requests. The next request starts another companion.
    func lost(_ companion: DesktopCompanionLink, _ failure: DesktopFailure) {
        let waiting = state.withLock { state in
            guard state.companion === companion else { return [Waiting]() }
            state.companion = nil
            state.longRequest = nil
            defer { state.longTasks = [] }
            return (state.requests.removeAll() + state.longTasks.map(\.1)).compactMap(\.self)
        }
        for continuation in waiting { continuation.resume(returning: .failure(failure)) }
    }

    /// The clicks from now on.
    func activations() -> AsyncStream<NotificationActivation> { clicks.add() }

    private func activated(_ activation: NotificationActivation) {
        let isHeard = clicks.tell(activation)
        // For an extension's notification the engine has already opened the app.
        if !isHeard, !link.isExtension { send(.activateApp(token: activation.token), nil) }
    }
}

extension DesktopTask {
    /// Whether the request or its answer carries a clipboard's text or a payload.
    fileprivate var isLong: Bool {
        switch self {
        case .setText, .text: true
        case .post(let contents): !contents.payload.isEmpty
        case .withdraw, .activateApp, .unknown: false
        }
    }
}
