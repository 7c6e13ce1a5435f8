// What a handler says to its engine, from any thread: kept until there is a connection, and told to it then.
import FoundationEssentials
import KineRelay
import Synchronization

/// A handler's line to its engine.
final class BroadcastLink: Sendable {
    private struct State {
        var context = BroadcastContext()
        var sentBytes: Int64 = 0
        var viewers: Int?
        var failure: String?
        /// What was said before there was a connection.
        var early: [ExtensionReport] = []
        var send: (@Sendable (ExtensionReport) -> Void)?
        var failed: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var context: BroadcastContext {
        get { state.withLock { $0.context } }
        set { state.withLock { $0.context = newValue } }
    }

    var sentBytes: Int64 {
        get { state.withLock { $0.sentBytes } }
        set { state.withLock { $0.sentBytes = newValue } }
    }

    var viewers: Int? {
        get { state.withLock { $0.viewers } }
        set { state.withLock { $0.viewers = newValue } }
    }

    var failure: String? { state.withLock { $0.failure } }

    /// From now on reports go to `send`; `failed` is called once when the handler gives up, after its report.
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

    func addSentBytes(_ count: Int64) { state.withLock { $0.sentBytes += count } }

    func say(_ report: ExtensionReport) {
        let send = state.withLock { state in
            if state.send == nil, state.early.count < 64 { state.early.append(report) }
            return state.send
        }
        send?(report)
    }

    /// The handler gives up; only the first time counts.
    func fail(_ error: any Error) {
        let sentence = Self.sentence(error)
        let isFirst = state.withLock { state in
            guard state.failure == nil else { return false }
            state.failure = sentence
            return true
        }
        guard isFirst else { return }
        say(.failed(sentence))
        state.withLock { $0.failed }?()
    }

    private static func sentence(_ error: any Error) -> String {
        if let text = (error as? any LocalizedError)?.errorDescription { return text }
        return String(describing: error)
    }
}
