// Who may ask for what. A page in a stranger's tab can make a browser talk to any address, by a name that resolves to it
// even; so the Host and the Origin are looked at before the token is. Pure.

/// What a request is allowed to get.
struct RequestGate: Sendable {
    /// The things there are, below `/TOKEN/`.
    enum Resource: String, Sendable, CaseIterable {
        case page = ""
        case script = "page.js"
        case decoding = "webcodecs.js"
        case buffering = "mediasource.js"
        case stream = "stream.js"
        case receiver = "receiver.js"
        case receiverThread = "receiver-thread.js"
        case hearing = "soundplayer.js"
        case sound = "sound.js"
        case style = "page.css"
        case icon = "icon.svg"
        case movie = "live.mp4"
        case samples = "samples"
        case state = "state"
    }

    enum Verdict: Equatable, Sendable {
        case give(Resource)
        /// The token is right and the slash behind it is missing.
        case addSlash
        /// There is nothing: said of a wrong token, too.
        case notFound
        /// Reached by a name or from a page that has no business here.
        case forbidden
        case wrongMethod
    }

    let token: LiveToken
    /// Names and addresses, in lower case and without brackets, by which the server may be reached.
    let hosts: Set<String>
    /// It listens on every address of the machine: each of them, as an address, is then one by which it may be reached.
    let acceptsAnyAddress: Bool

    /// - Parameters:
    ///   - target: the request's path, with its query if it has one.
    ///   - host: the Host header (RFC 9110, 7.2).
    ///   - origin: the Origin header (RFC 6454, 7); nil where there is none.
    func judge(method: String, target: String, host: String?, origin: String?) -> Verdict {
        guard let host, isOwn(host) else { return .forbidden }
        if let origin, !isSame(origin, host: host) { return .forbidden }
        let path = target.prefix { $0 != "?" && $0 != "#" }
        guard path.first == "/" else { return .notFound }
        let parts = path.dropFirst().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, token.matches(first) else { return .notFound }
        guard method == "GET" || method == "HEAD" else { return .wrongMethod }
        guard parts.count == 2 else { return .addSlash }
        return Resource(rawValue: String(parts[1])).map(Verdict.give) ?? .notFound
    }

    /// Addresses cannot be rebound, names can: of names only those that are known are taken.
    private func isOwn(_ host: String) -> Bool {
        guard let name = Self.name(in: host) else { return false }
        return hosts.contains(name) || acceptsAnyAddress && Self.isAddress(name)
    }

    /// An origin is a scheme and the very same host and port.
    private func isSame(_ origin: String, host: String) -> Bool {
        let lower = origin.lowercased()
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
