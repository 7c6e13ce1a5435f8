// The access that is given now: the gate with its tokens, which can be renewed while the server runs, and what the broadcaster is told
// of requests that come by another name.
import KineLive
import Synchronization

final class LiveAccess: Sendable {
    private struct State {
        var gate: RequestGate
        var strangeHosts: Set<String> = []
    }

    /// Hosts that the broadcaster is told of: the client chooses their names, so they are few.
    private static let mostHosts = 3

    private let state: Mutex<State>
    private let scheme: String
    private let warn: @Sendable (String) -> Void

    /// - Parameters:
    ///   - isEncrypted: the server itself speaks TLS.
    ///   - warn: told one sentence at a time, for the broadcaster.
    init(_ gate: RequestGate, isEncrypted: Bool, warn: @escaping @Sendable (String) -> Void) {
        state = Mutex(State(gate: gate))
        scheme = isEncrypted ? "https" : "http"
        self.warn = warn
    }

    func judge(
        method: String, target: String, host: String?, origin: String?, token: String?
    ) -> RequestGate.Verdict {
        state.withLock { $0.gate }.judge(method: method, target: target, host: host, origin: origin, token: token)
    }

    /// New tokens: those there were open nothing any more.
    func renew() -> (token: LiveToken, playerToken: LiveToken?) {
        state.withLock { state in
            state.gate.token = LiveToken()
            if state.gate.playerToken != nil { state.gate.playerToken = LiveToken() }
            return (state.gate.token, state.gate.playerToken)
        }
    }

    /// The page was asked for by a name that is not the server's. The first time, the broadcaster is told what to do.
    func tell(ofStrangeHost name: String) {
        let isNew = state.withLock { state in
            state.strangeHosts.count < Self.mostHosts && state.strangeHosts.insert(name).inserted
        }
        guard isNew else { return }
        warn(
            "Somebody asked for the live page as \(name), which is not its address, and was refused; if viewers are to "
                + "reach it by that name, start again with --public-url \(scheme)://\(name)/.")
    }
}
