// Decides which requests are answered. Any user of this machine, any page in this user's browser and any name that
// resolves to 127.0.0.1 can send requests here. Pure.
import KineText

struct StudioGate: Sendable {
    /// StudioAnswer.swift has the status and the sentence of each.
    enum Refusal: Error, Equatable, Sendable {
        /// The Host is not one of the server's; its name, if it can be shown.
        case wrongHost(String?)
        /// A browser opened the document on this machine at another port than the server's, as one that is forwarded.
        case otherPort(host: String, own: Int)
        /// The public address without the slash at its end; the path with it.
        case noSlash(String)
        /// A page of another site or port sent the request.
        case otherSite
        case notFound
        /// The methods that the path allows.
        case wrongMethod([String])
        /// A change is not JSON. Forms of other sites cannot send JSON.
        case notJSON
        /// The cookie or the key is missing or wrong.
        case noSession
        /// The window's link is for something else.
        case outOfScope
    }

    /// The header with a page's key. Forms and images of other sites cannot send it.
    static let keyHeader = "Kinecast-Key"

    let cookieName: String
    private let cookie: RandomToken
    /// Host and port, as in a Host header.
    private let authorities: Set<String>
    private let port: Int
    /// As in an Origin header.
    private let origins: Set<String>
    private let publicURL: PublicURL?

    /// - Parameters:
    ///   - port: the server's, on the loopback addresses.
    ///   - publicURL: the address of a tunnel or a proxy to it, if there is one. A proxy may keep or remove its path.
    init(secrets: StudioSecrets, port: Int, publicURL: PublicURL? = nil) {
        (cookieName, cookie, self.port) = (secrets.cookieName, secrets.cookie, port)
        let own = ["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(port)" }
        authorities = Set(own + (publicURL.map { [$0.authority] } ?? []))
        self.publicURL = publicURL
        origins = Set(own.map { "http://\($0)" } + (publicURL.map { [$0.origin] } ?? []))
    }

    /// The route of a request with its session's scope, or the reason to refuse it. The checks that reveal least to a foreign
    /// page come first.
    func judge(_ request: StudioRequest, _ secrets: StudioSecrets) -> Result<StudioRoute.Match, Refusal> {
        guard let host = request.host?.lowercased(), authorities.contains(host) else {
            return .failure(refusal(ofHost: request))
        }
        if let origin = request.origin, !origins.contains(origin.lowercased()) { return .failure(.otherSite) }
        let matches = matches(request.path)
        guard !matches.isEmpty else {
            if let base = publicURL?.path, "\(request.path)/" == base { return .failure(.noSlash(base)) }
            return .failure(.notFound)
        }
        guard var match = matches.first(where: { $0.route.accepts(request.method) }) else {
            return .failure(.wrongMethod(matches.map(\.route.method).sorted()))
        }
        // Links of other sites may lead to the document, which holds nothing.
        if match.route.access != .document, let site = request.site, site != "same-origin" {
            return .failure(.otherSite)
        }
        if match.route.method == "POST", request.mediaType != "application/json" { return .failure(.notJSON) }
        // Browsers send the cookie to all ports of the host, which may be another user's. The key goes to this one alone.
        switch match.route.access {
        case .document, .page: return .success(match)
        case .media: return hasCookie(request) ? .success(match) : .failure(.noSession)
        case .session, .events:
            let given = request.key ?? (match.route.access == .events ? request.parameter("key") : nil)
            guard let session = session(of: request, given, secrets) else { return .failure(.noSession) }
            match.scope = session.scope
            return .success(match)
        }
    }

    /// No name but those of this machine itself gets more than a refusal: any other may have been made to lead here.
    private func refusal(ofHost request: StudioRequest) -> Refusal {
        let host = request.host.flatMap(HostName.presentable)
        let isLocal = ["127.0.0.1", "localhost", "::1"].contains(request.host.flatMap(HostName.parse))
        guard let host, isLocal, ["GET", "HEAD"].contains(request.method), request.path == "/" else {
            return .wrongHost(host)
        }
        return .otherPort(host: host, own: port)
    }

    private func matches(_ path: Substring) -> [StudioRoute.Match] {
        let own = StudioRoute.matches(path)
        guard own.isEmpty, let base = publicURL?.path, path.hasPrefix(base) else { return own }
        return StudioRoute.matches(path.dropFirst(base.count - 1))
    }

    /// The attributes of a cookie, for the address at which the browser has the page. A proxy may send a Host of its own.
    func cookieAttributes(for request: StudioRequest) -> String {
        let (host, origin) = (request.host?.lowercased(), request.origin?.lowercased())
        let shown = publicURL.flatMap { host == $0.authority || origin == $0.origin ? $0 : nil }
        return "Path=\(shown?.path ?? "/"); HttpOnly; SameSite=Strict" + (shown?.isEncrypted == true ? "; Secure" : "")
    }

    /// The session of a request with its cookie and this key.
    func session(of request: StudioRequest, _ key: String?, _ secrets: StudioSecrets) -> StudioSecrets.Session? {
        hasCookie(request) ? key.flatMap(secrets.session) : nil
    }

    private func hasCookie(_ request: StudioRequest) -> Bool {
        request.cookie(cookieName).map(cookie.matches) == true
    }
}
