// The secrets of one server: tokens and sessions. A link has a token, which is used once. The page that opens the link gets a session for it.
import KineText

/// Pure; the caller gives the time.
struct StudioSecrets: Sendable {
    /// A page gets a session for its link's token. Windows with the same rights share one session and its stream of events.
    struct Session: Sendable, Equatable {
        let scope: StudioScope
        /// The value of the header that every request needs.
        let key = RandomToken()
    }

    static let cookiePrefix = "kinecast-studio-"
    /// A browser opens a link within seconds.
    static let linkLifetime: Int64 = 60_000_000_000
    /// More windows than a person opens at once.
    static let mostLinks = 16
    private static let mostSessions = 256

    /// Browsers send a host's cookies to all its ports, so each server has a name of its own.
    let cookieName = "\(cookiePrefix)\(RandomToken())"
    /// A cookie that scripts cannot read, of all sessions. The key says what a page may do.
    let cookie = RandomToken()
    private var sessions: [Session] = []
    private var links: [(token: RandomToken, scope: StudioScope, expires: Int64)] = []

    /// Makes a link's token. If there are too many, the oldest one stops working.
    ///
    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC; the same below.
    mutating func makeLink(to scope: StudioScope, at now: Int64) -> RandomToken {
        links.removeAll { $0.expires <= now }
        if links.count == Self.mostLinks { links.removeFirst() }
        let token = RandomToken()
        links.append((token, scope, now + Self.linkLifetime))
        return token
    }

    /// Exchanges a link's token, once; nil if it is unknown, used or too old.
    mutating func redeem(_ text: String, at now: Int64) -> Session? {
        links.removeAll { $0.expires <= now }
        // All are compared, so that the time does not depend on which one matches.
        let matching = links.indices.filter { links[$0].token.matches(text) }
        guard let index = matching.first else { return nil }
        let scope = links.remove(at: index).scope
        if let session = sessions.first(where: { $0.scope == scope }) { return session }
        let session = Session(scope: scope)
        sessions = (sessions + [session]).suffix(Self.mostSessions)
        return session
    }

    func session(withKey key: String) -> Session? { sessions.filter { $0.key.matches(key) }.first }
}
