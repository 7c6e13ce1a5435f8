// What a request may get. A page in a stranger's tab can make a browser talk to any address, by a name that resolves to it
// even; so the Host and the Origin are looked at before the token is. Pure.

/// What a request is allowed to get.
public struct RequestGate: Sendable {
    /// The things there are, below the page's path.
    public enum Resource: String, Sendable, CaseIterable {
        case page = ""
        case script = "page.js"
        case decoding = "webcodecs.js"
        case buffering = "mediasource.js"
        case stream = "stream.js"
        case receiver = "receiver.js"
        case receiverThread = "receiver-thread.js"
        case hearing = "soundplayer.js"
        case sound = "sound.js"
        case delay = "delay.js"
        case awake = "awake.js"
        case keeping = "token.js"
        case style = "page.css"
        case icon = "icon.svg"
        case movie = "live.mp4"
        case samples = "samples"
        case state = "state"

        /// Part of the broadcast. The others are the page's files, the same for everybody: a browser asks for them before the
        /// page in it can send the token.
        public var needsToken: Bool { self == .movie || self == .samples || self == .state }
    }

    public enum Verdict: Equatable, Sendable {
        case give(Resource)
        /// The slash behind the page's path is missing.
        case addSlash
        /// There is nothing: said of a wrong token, too.
        case notFound
        /// It was asked for by a name that is not its own; nil where the Host is no name. The client learns nothing.
        case wrongHost(String?)
        /// A page of somebody else's asks.
        case wrongOrigin
        case wrongMethod
    }

    /// The header that the page sends its token in. Not `Authorization`: a proxy in front may want that for itself.
    public static let tokenHeader = "Kinecast-Token"
    /// What `wrongMethod` is answered with (RFC 9110, section 15.5.6).
    package static let methods = "GET, HEAD"

    package var token: LiveToken
    /// For `TOKEN/live.mp4`; nil: there is no such address.
    package var playerToken: LiveToken?
    /// Names and addresses, in lower case and without brackets, by which the server may be reached.
    let hosts: Set<String>
    /// It listens on every address of the machine: each of them, as an address, is then one by which it may be reached.
    let acceptsAnyAddress: Bool
    let publicURL: PublicURL?

    package init(
        token: LiveToken, playerToken: LiveToken? = nil, hosts: Set<String>, acceptsAnyAddress: Bool,
        publicURL: PublicURL? = nil
    ) {
        self.token = token
        self.playerToken = playerToken
        self.hosts = publicURL.map { hosts.union([$0.host]) } ?? hosts
        self.acceptsAnyAddress = acceptsAnyAddress
        self.publicURL = publicURL
    }

    /// For a server of that one address, behind a public address if that is one. For fuzzing.
    public init(token: LiveToken, playerToken: LiveToken?, host: String, publicURL: String) {
        self.init(
            token: token, playerToken: playerToken, hosts: [host], acceptsAnyAddress: false,
            publicURL: PublicURL(publicURL))
    }

    /// - Parameters:
    ///   - target: the request's path, with its query if it has one.
    ///   - host: the Host header (RFC 9110, 7.2).
    ///   - origin: the Origin header (RFC 6454, 7); nil where there is none.
    ///   - presented: the header that the page sends its token in; nil where there is none.
    public func judge(
        method: String, target: String, host: String?, origin: String?, token presented: String?
    ) -> Verdict {
        guard let host, let name = Self.name(in: host), isOwn(name) else {
            return .wrongHost(host.flatMap(Self.presentableName))
        }
        if let origin, !isOwn(origin: origin, host: host) { return .wrongOrigin }
        let path = target.prefix { $0 != "?" && $0 != "#" }
        guard path.first == "/" else { return .notFound }
        guard let rest = belowBase(path) else { return .addSlash }
        guard let resource = resource(rest, presented) else { return .notFound }
        return method == "GET" || method == "HEAD" ? .give(resource) : .wrongMethod
    }

    /// What is behind the page's path. A proxy either leaves the public path in front of it or takes it off. Nil: it is the
    /// public path without its last slash.
    private func belowBase(_ path: Substring) -> Substring? {
        if let base = publicURL?.path, base != "/" {
            if path.hasPrefix(base) { return path.dropFirst(base.count) }
            if path == base.dropLast() { return nil }
        }
        return path.dropFirst()
    }

    /// What it is, where it may be had.
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

    /// Addresses cannot be rebound, names can: of names only those that are known are taken.
    private func isOwn(_ name: String) -> Bool {
        hosts.contains(name) || acceptsAnyAddress && Self.isAddress(name)
    }

    /// An origin is a scheme and the very same host and port, or that of the public address: a proxy may put another Host
    /// into its requests.
    private func isOwn(origin: String, host: String) -> Bool {
        let lower = origin.lowercased()
        if lower == publicURL?.origin { return true }
        for scheme in ["http://", "https://"] where lower.hasPrefix(scheme) {
            return lower.dropFirst(scheme.count) == host.lowercased()
        }
        return false
    }

    /// The host in `host:port`, lower case, brackets and a dot at the end taken off.
    static func name(in host: String) -> String? {
        let lower = host.lowercased()
        if lower.hasPrefix("[") {
            guard let end = lower.firstIndex(of: "]") else { return nil }
            let rest = lower[lower.index(after: end)...]
            guard rest.isEmpty || isPort(rest) else { return nil }
            return String(lower[lower.index(after: lower.startIndex)..<end])
        }
        let name = lower.prefix { $0 != ":" }
        let rest = lower[name.endIndex...]
        guard !name.isEmpty, rest.isEmpty || isPort(rest) else { return nil }
        return String(name.last == "." ? name.dropLast() : name)
    }

    /// Host and port as they came, where a person can be shown them: the client chooses what they are.
    private static func presentableName(_ host: String) -> String? {
        let isHarmless =
            host.utf8.count <= 80
            && host.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || ".-:[]".utf8.contains($0)
            }
        return isHarmless && name(in: host)?.isEmpty == false ? host.lowercased() : nil
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.first == ":" && text.count > 1 && text.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// An IPv4 address in four decimal parts, or something with colons as only an IPv6 address has.
    static func isAddress(_ name: String) -> Bool {
        if name.contains(":") { return name.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." || $0 == "%" } }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.allSatisfy(\.isNumber) }
    }
}
