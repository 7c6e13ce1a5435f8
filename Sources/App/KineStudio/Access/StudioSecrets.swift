// The secrets of one server: the tokens of links, each of which is used once, and the session that a page gets for one.
import KineLive

/// Pure; the caller gives the time.
struct StudioSecrets: Sendable {
    /// The secrets that a page gets for its link's token.
    struct Session: Sendable, Equatable {
        /// A cookie that scripts cannot read.
        let cookie = LiveToken()
        /// The value of the header that every change needs.
        let key = LiveToken()
    }

    static let cookiePrefix = "kinecast-studio-"
    /// A browser opens a link within seconds.
    static let linkLifetime: Int64 = 60_000_000_000
    /// More windows than a person opens at once.
    static let mostLinks = 16

    /// Browsers send a host's cookies to all its ports, so each server has a name of its own.
    let cookieName = "\(cookiePrefix)\(LiveToken())"
    /// All pages share it: anyone with a link can do everything.
    let session = Session()
    private var links: [(token: LiveToken, expires: Int64)] = []

    /// Makes a link's token. If there are too many, the oldest one stops working.
    ///
    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC; the same below.
    mutating func makeLink(at now: Int64) -> LiveToken {
        links.removeAll { $0.expires <= now }
        if links.count == Self.mostLinks { links.removeFirst() }
        let token = LiveToken()
        links.append((token, now + Self.linkLifetime))
        return token
    }

    /// Exchanges a link's token, once; nil if it is unknown, used or too old.
    mutating func redeem(_ text: String, at now: Int64) -> Session? {
        links.removeAll { $0.expires <= now }
        // All are compared, so that the time does not depend on which one matches.
        let matching = links.indices.filter { links[$0].token.matches(text) }
        guard let index = matching.first else { return nil }
        links.remove(at: index)
        return session
    }
}
