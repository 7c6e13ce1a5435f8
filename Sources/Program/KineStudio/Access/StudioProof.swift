// Proves to a window that it talks to the server that opened it: after that server's end, another user's server may listen at its port.
// The worker of a window sends a challenge each time before it opens the stream of events.
import KineText

/// A server's answers to challenges. Pure.
struct StudioProof: Sendable {
    /// What a window gets with its session, once. It never sends the secret back.
    struct Challenger: Sendable {
        /// Names the secret in a challenge.
        let id: RandomToken
        /// As text, the key of the HMAC.
        let secret: String
    }

    private let root = RandomToken()

    /// Makes another secret. The server can derive it again from its id, so it keeps none.
    func makeChallenger() -> Challenger {
        let id = RandomToken()
        return Challenger(id: id, secret: secret(of: id.description))
    }

    /// The HMAC-SHA-256 of a challenge by the secret of that id; nil: no window makes such a challenge or id.
    func answer(_ challenge: String, of id: String) -> [UInt8]? {
        guard RandomToken(challenge) != nil, RandomToken(id) != nil else { return nil }
        return MessageAuthentication.code(of: challenge.utf8, key: secret(of: id).utf8)
    }

    private func secret(of id: String) -> String {
        let code = MessageAuthentication.code(of: id.utf8, key: root.description.utf8)
        return code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
