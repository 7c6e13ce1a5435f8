// The links to a live page. The page's link has its token after a #, which browsers do not send: no request, log or
// Referer contains the token. A player's link has its own token in the path, since players accept only a plain address.
import KineText

/// The links for watching a broadcast.
public struct LiveLinks: Sendable, Equatable {
    /// `http://HOST:PORT/#TOKEN`.
    public let page: String
    /// `http://HOST:PORT/TOKEN/live.mp4`; nil if none was requested.
    public let player: String?

    /// - Parameter base: ends with a slash.
    package init(base: String, token: RandomToken, playerToken: RandomToken?) {
        page = "\(base)#\(token)"
        player = playerToken.map { "\(base)\($0)/\(RequestGate.Resource.movie.rawValue)" }
    }

    /// Port and token of a page's link; nil for other text. The port is nil if the link has none.
    package static func parse(page: String) -> (port: Int?, token: RandomToken)? {
        guard let hash = page.lastIndex(of: "#"), let url = PublicURL(String(page[..<hash])),
            let token = RandomToken(page[page.index(after: hash)...])
        else { return nil }
        let port = url.authority.lastIndex(of: ":").flatMap { Int(url.authority[url.authority.index(after: $0)...]) }
        return (port.flatMap { (1...65535).contains($0) ? $0 : nil }, token)
    }

    /// The token of a page's link; nil for other text. For fuzzing.
    public static func token(inPage link: String) -> RandomToken? { parse(page: link)?.token }

    /// The token of a player's link; nil for other text.
    package static func parse(player: String) -> RandomToken? {
        let parts = player.split(separator: "/")
        guard parts.count >= 4, parts.last.map(String.init) == RequestGate.Resource.movie.rawValue else { return nil }
        return RandomToken(parts[parts.count - 2])
    }
}
