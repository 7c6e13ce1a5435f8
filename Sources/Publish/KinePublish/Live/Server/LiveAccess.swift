// Owns the gate with its tokens, which can be renewed while the server runs, and warns about requests for another name.
import KineLive
import KineText
import Synchronization

final class LiveAccess: Sendable {
    private struct State {
        var gate: RequestGate
        var foreignHosts: Set<String> = []
    }

    /// The most names for which the broadcaster gets a warning. Limited because clients choose the names.
    private static let mostForeignHosts = 3

    private let state: Mutex<State>
    private let scheme: String
    private let warn: @Sendable (LiveServer.Warning) -> Void

    /// - Parameter isEncrypted: whether the server itself speaks TLS.
    init(_ gate: RequestGate, isEncrypted: Bool, warn: @escaping @Sendable (LiveServer.Warning) -> Void) {
        state = Mutex(State(gate: gate))
        scheme = isEncrypted ? "https" : "http"
        self.warn = warn
    }

    func judge(
        method: String, target: String, host: String?, origin: String?, token: String?
    ) -> RequestGate.Verdict {
        state.withLock { $0.gate }.judge(method: method, target: target, host: host, origin: origin, token: token)
    }

    /// Makes new tokens and revokes the old ones.
    func renew() -> (token: RandomToken, playerToken: RandomToken?) {
        state.withLock { state in
            state.gate.token = RandomToken()
            if state.gate.playerToken != nil { state.gate.playerToken = RandomToken() }
            return (state.gate.token, state.gate.playerToken)
        }
    }

    /// Warns the broadcaster, once for each name, that the page was requested under a foreign name.
    func warn(aboutForeignHost name: String) {
        let isNew = state.withLock { state in
            state.foreignHosts.count < Self.mostForeignHosts && state.foreignHosts.insert(name).inserted
        }
        if isNew { warn(.foreignHost(authority: name, scheme: scheme)) }
    }
}
