// Decides which requests are answered. A page of another site can make a browser send requests to any address, even
// under a name that resolves to it; so the Host and the Origin are checked before the token. Pure.
import KineText

/// The check of a server's requests.
public struct RequestGate: Sendable {
    /// A resource of the server. The raw value is its path below the page's.
    public enum Resource: String, Sendable, CaseIterable {
        case page = ""
        case script = "page.js"
        case player = "player.js"
        case webCodecs = "webcodecs.js"
        case mediaSource = "mediasource.js"
        case stream = "stream.js"
        case receiver = "receiver.js"
        case receiverThread = "receiver-thread.js"
        case audioPlayer = "audioplayer.js"
        case audioDecoder = "audiodecoder.js"
        case audio = "audio.js"
        case delay = "delay.js"
        case awake = "awake.js"
        case token = "token.js"
        case style = "page.css"
        case icon = "icon.svg"
        case movie = "live.mp4"
        case samples = "samples"
        case state = "state"

        /// True for the broadcast itself. The page's files are the same for everyone, and a browser requests them before the page
        /// can send the token.
        public var needsToken: Bool { self == .movie || self == .samples || self == .state }

        /// Never: a file of the page has the same address in every version of Kinecast, and the answers with the broadcast
        /// differ each time.
        package var caching: Caching { .never }
    }

    /// How a cache may store an answer. The raw value is that of Cache-Control (RFC 9111, section 5.2.2).
    package enum Caching: String, Sendable {
        case never = "no-store"
    }

    public enum Verdict: Equatable, Sendable {
        /// The query is nil if it is malformed. Resources without parameters are given all the same.
        case give(Resource, query: RequestQuery? = RequestQuery())
        /// The slash after the page's path is missing.
        case addSlash
        /// The path has no resource, or the token is wrong.
        case notFound
        /// The Host is not one of the server's names; nil if invalid. The client learns nothing.
        case wrongHost(String?)
        /// A page of another site sent the request.
        case wrongOrigin
        case wrongMethod
    }

    /// The header with the page's token. Not `Authorization`, which a proxy in front may use itself.
    public static let tokenHeader = "Kinecast-Token"
    /// The Allow header of the answer to `wrongMethod` (RFC 9110, section 15.5.6).
    package static let methods = "GET, HEAD"

    package var token: RandomToken
    /// The token in `TOKEN/live.mp4`; nil if there is no such address.
    package var playerToken: RandomToken?
    /// Names and addresses of the server, in lowercase and without brackets.
    let hosts: Set<String>
    /// Whether the server listens on every address of the machine, and so accepts each of them as a Host.
    let acceptsAnyAddress: Bool
    let publicURL: PublicURL?

    package init(
        token: RandomToken, playerToken: RandomToken? = nil, hosts: Set<String>, acceptsAnyAddress: Bool,
        publicURL: PublicURL? = nil
    ) {
        self.token = token
        self.playerToken = playerToken
        self.hosts = publicURL.map { hosts.union([$0.host]) } ?? hosts
        self.acceptsAnyAddress = acceptsAnyAddress
        self.publicURL = publicURL
    }

    /// The gate of a server with one address, behind `publicURL` if that is an address. For fuzzing.
    public init(token: RandomToken, playerToken: RandomToken?, host: String, publicURL: String) {
        self.init(
            token: token, playerToken: playerToken, hosts: [host], acceptsAnyAddress: false,
            publicURL: PublicURL(publicURL))
    }

    /// Decides on one request.
    /// - Parameters:
    ///   - target: the request's path, with its query if it has one.
    ///   - host: the Host header (RFC 9110, 7.2).
    ///   - origin: the Origin header (RFC 6454, 7); nil if there is none.
    ///   - presented: the header `tokenHeader`; nil if there is none.
    public func judge(
        method: String, target: String, host: String?, origin: String?, token presented: String?
    ) -> Verdict {
        guard let host, let name = HostName.parse(host), isOwn(name) else {
            return .wrongHost(host.flatMap(HostName.presentable))
        }
        if let origin, !isOwn(origin: origin, host: host) { return .wrongOrigin }
        let path = target.prefix { $0 != "?" && $0 != "#" }
        guard path.first == "/" else { return .notFound }
        guard let rest = belowBase(path) else { return .addSlash }
        guard let resource = resource(rest, presented) else { return .notFound }
        guard method == "GET" || method == "HEAD" else { return .wrongMethod }
        let query = target[path.endIndex...].prefix { $0 != "#" }.dropFirst()
        return .give(resource, query: RequestQuery(query))
    }

    /// The path below the page's. A proxy may keep or remove the public path in front of it. Nil for the public path
    /// without its last slash.
    private func belowBase(_ path: Substring) -> Substring? {
        if let base = publicURL?.path, base != "/" {
            if path.hasPrefix(base) { return path.dropFirst(base.count) }
            if path == base.dropLast() { return nil }
        }
        return path.dropFirst()
    }

    private func resource(_ path: Substring, _ presented: String?) -> Resource? {
        if let resource = Resource(rawValue: String(path)) {
            guard resource.needsToken else { return resource }
            return presented.map(token.matches) == true ? resource : nil
        }
        let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let playerToken, parts.count == 2, parts[1] == Resource.movie.rawValue, playerToken.matches(parts[0])
        else { return nil }
        return .movie
    }

    /// Whether a Host is the server's. Only known names are accepted, since any name can resolve to this address.
    private func isOwn(_ name: String) -> Bool {
        hosts.contains(name) || acceptsAnyAddress && HostName.isAddress(name)
    }

    /// Whether an origin has the Host's host and port, or is the public address's, since a proxy may send another Host.
    private func isOwn(origin: String, host: String) -> Bool {
        let lower = origin.lowercased()
        if lower == publicURL?.origin { return true }
        for scheme in ["http://", "https://"] where lower.hasPrefix(scheme) {
            return lower.dropFirst(scheme.count) == host.lowercased()
        }
        return false
    }
}
