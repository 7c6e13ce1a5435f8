// A handler's reports to its engine, from any thread. They are stored until there is a connection.
import FoundationEssentials
import KineMedia
import KineWire
import Synchronization

/// A handler's link to its engine.
final class BroadcastLink: Sendable {
    private struct State {
        var context = BroadcastContext()
        /// Whether the engine's first message has arrived.
        var hasStarted = false
        /// The request to the encoder, and whether there is one: the engine sends encoded frames.
        var encoding = EncodingRequest.none
        var isEncoded = false
        /// The last report of whether the server receives the broadcast.
        var live: (isLive: Bool, reason: String?, code: ProblemCode?)?
        var failure: String?
        /// Reports made before the connection.
        var early: [ExtensionReport] = []
        var send: (@Sendable (ExtensionReport) -> Void)?
        var failed: (@Sendable () -> Void)?
    }

    /// The handler's own counts: its sent bytes, its viewers and its connection.
    let counted = Mutex(ExtensionStatistics())
    private let state = Mutex(State())

    var context: BroadcastContext { state.withLock { $0.context } }
    var failure: String? { state.withLock { $0.failure } }

    /// Sends all reports to `send` from now on. `failed` is called once, after the report that the handler has failed.
    func connect(
        send: @escaping @Sendable (ExtensionReport) -> Void, failed: @escaping @Sendable () -> Void
    ) {
        let (early, hasFailed) = state.withLock { state in
            state.send = send
            state.failed = failed
            defer { state.early = [] }
            return (state.early, state.failure != nil)
        }
        for report in early { send(report) }
        if hasFailed { failed() }
    }

    /// Handles the engine's first message.
    func start(_ start: ExtensionStart) {
        state.withLock { state in
            state.context = BroadcastContext(start)
            state.hasStarted = true
            state.isEncoded = start.stream.video != nil
            if state.isEncoded, state.encoding != .none { state.send?(.encoding(state.encoding)) }
            if let live = state.live { state.send?(.live(live.isLive, reason: live.reason, code: live.code)) }
        }
    }

    /// Requests another encoding, unless it is the present one.
    func request(_ encoding: EncodingRequest) {
        state.withLock { state in
            guard state.encoding != encoding else { return }
            state.encoding = encoding
            // Sent with the lock held, so that the request stored last is also sent last.
            if state.isEncoded { state.send?(.encoding(encoding)) }
        }
    }

    /// Reports whether the server receives the broadcast, if that has changed.
    func report(isLive: Bool, reason: String?, code: ProblemCode? = nil) {
        state.withLock { state in
            if let live = state.live, live.isLive == isLive, reason == nil || reason == live.reason { return }
            state.live = (isLive, reason, code)
            // Sent with the lock held, as above.
            if state.hasStarted { state.send?(.live(isLive, reason: reason, code: code)) }
        }
    }

    func report(_ report: ExtensionReport) {
        let send = state.withLock { state in
            if state.send == nil, state.early.count < 64 { state.early.append(report) }
            return state.send
        }
        send?(report)
    }

    /// Stores and reports the handler's failure; only the first one counts.
    func fail(_ error: any Error) {
        let sentence = Self.sentence(error)
        let isFirst = state.withLock { state in
            guard state.failure == nil else { return false }
            state.failure = sentence
            return true
        }
        guard isFirst else { return }
        report(.failed(sentence, code: (error as? any CodedError)?.problem))
        state.withLock { $0.failed }?()
    }

    private static func sentence(_ error: any Error) -> String {
        if let text = (error as? any LocalizedError)?.errorDescription { return text }
        return String(describing: error)
    }
}
