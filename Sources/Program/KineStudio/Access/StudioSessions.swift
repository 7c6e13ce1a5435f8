// The sessions of the studio's windows: a window exchanges its link's token for one, and shows it with later requests.
import KinePlatform
import KineText
import Synchronization

/// Any thread may call.
final class StudioSessions: Sendable {
    private static let mostOtherCookies = 16

    private let secrets = Mutex(StudioSecrets())
    /// Nil until `open`.
    private let gate = Mutex<StudioGate?>(nil)
    let proof = StudioProof()
    private let redeemed: @Sendable (_ token: String) -> Void

    /// - Parameter redeemed: gets the token of each link that was used, on any thread.
    init(redeemed: @escaping @Sendable (_ token: String) -> Void) { self.redeemed = redeemed }

    /// Lets requests pass from now on.
    func open(port: Int, publicURL: PublicURL?) {
        let gate = StudioGate(secrets: secrets.withLock { $0 }, port: port, publicURL: publicURL)
        self.gate.withLock { $0 = gate }
    }

    func makeLink(to scope: StudioScope) -> RandomToken {
        secrets.withLock { $0.makeLink(to: scope, at: MonotonicClock.now()) }
    }

    /// The route of a request with its session's scope. Throws `StudioGate.Refusal`, and a `StudioProblem` until `open`.
    func judge(_ request: StudioRequest) throws -> StudioRoute.Match {
        guard let gate = gate.withLock({ $0 }) else {
            throw StudioProblem(.serviceUnavailable, "The studio is starting; try again.")
        }
        return try gate.judge(request, secrets.withLock { $0 }).get()
    }

    /// Gives a window the session for its link's token, with the cookie. Throws `StudioGate.Refusal` or `StudioProblem`.
    func openSession(_ call: StudioCall) throws -> StudioAnswer {
        struct Link: Decodable { var token: String? }
        let link: Link = try call.value()
        guard let gate = gate.withLock({ $0 }) else { throw StudioGate.Refusal.noSession }
        guard let token = link.token else {
            // A page that is loaded again has its key. The secret was lost with the worker.
            let known = secrets.withLock { gate.session(of: call.request, call.request.key, $0) }
            guard let known else { throw StudioGate.Refusal.noSession }
            return opened(known)
        }
        guard let session = secrets.withLock({ $0.redeem(token, at: MonotonicClock.now()) }) else {
            throw StudioProblem.linkUsed
        }
        redeemed(token)
        var answer = opened(session)
        let protection = gate.cookieAttributes(for: call.request)
        let others = call.request.cookieNames.filter {
            $0.hasPrefix(StudioSecrets.cookiePrefix) && $0 != gate.cookieName
        }
        // Browsers keep the cookies of servers that have ended, and send them all. A few may be of servers that run, such
        // as one behind a tunnel.
        for name in others.count > Self.mostOtherCookies ? others : [] {
            answer.fields.append((.setCookie, "\(name)=; Max-Age=0; \(protection)"))
        }
        answer.fields.append((.setCookie, "\(gate.cookieName)=\(secrets.withLock { $0.cookie }); \(protection)"))
        return answer
    }

    private func opened(_ session: StudioSecrets.Session) -> StudioAnswer {
        let challenger = proof.makeChallenger()
        var answer = ["key": session.key.description, "id": challenger.id.description, "secret": challenger.secret]
        if case .recording(let id) = session.scope { answer["recording"] = id }
        return StudioAnswer(answer)
    }
}
