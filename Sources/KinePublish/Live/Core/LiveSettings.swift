// What a user may set of the live page, read from the setup info and checked before anything is opened. Pure.

/// Where the live page is served, and how.
public struct LiveSettings: Sendable, Equatable {
    /// A setting that cannot be used. One sentence.
    public struct Error: Swift.Error, Equatable, CustomStringConvertible {
        public let description: String
    }

    /// PEM files.
    public struct Certificate: Sendable, Equatable {
        public var chain: String
        public var key: String
    }

    /// An address or a name of this machine, without brackets.
    public var host: String
    /// 0: any that is free.
    public var port: Int
    public var certificate: Certificate?
    public var title: String
    public var token: LiveToken
    /// The port of the link of an earlier run of this same broadcast, taken again if it is free.
    public var previousPort: Int?

    /// Reads the keys
    /// - `listen`: `ADDRESS:PORT`, `[ADDRESS]:PORT`, `ADDRESS` or `:PORT`; 127.0.0.1 and a free port by default;
    /// - `cert` and `key`: PEM files, both or neither; with them the page is served over TLS;
    /// - `title`: shown on the page;
    /// - `previousLink`: the link that an earlier run of this same broadcast announced. It is kept, so that pages which are
    ///   open go on by themselves.
    public init(setupInfo: [String: String]) throws(Error) {
        (host, port) = try Self.address(setupInfo["listen"] ?? "")
        let title = setupInfo["title"] ?? ""
        self.title = title.isEmpty ? "Live screen" : title
        switch (setupInfo["cert"].flatMap { $0.isEmpty ? nil : $0 }, setupInfo["key"].flatMap { $0.isEmpty ? nil : $0 })
        {
        case (let chain?, let key?): certificate = Certificate(chain: chain, key: key)
        case (nil, nil): break
        case (_?, nil):
            throw Error(
                description: "A certificate is set for the live page but no key: set “key” to its PEM file too.")
        case (nil, _?):
            throw Error(
                description: "A key is set for the live page but no certificate: set “cert” to its PEM file too.")
        }
        let previous = setupInfo["previousLink"].flatMap(Self.parse)
        token = previous?.token ?? LiveToken()
        previousPort = port == 0 ? previous?.port : nil
    }

    /// Every address of the machine.
    var isEverywhere: Bool { host == "0.0.0.0" || host == "::" }

    /// Only this machine.
    var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// The link's parts, from `https://HOST:PORT/TOKEN/`.
    static func parse(link: String) -> (port: Int, token: LiveToken)? {
        let parts = link.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "http:" || parts[0] == "https:", parts[1].isEmpty, parts[4].isEmpty,
            let colon = parts[2].lastIndex(of: ":"), let port = Int(parts[2][parts[2].index(after: colon)...]),
            (1...65535).contains(port), let token = LiveToken(parts[3])
        else { return nil }
        return (port, token)
    }

    private static func address(_ text: String) throws(Error) -> (host: String, port: Int) {
        func wrong() -> Error {
            Error(
                description:
                    "The live page cannot listen on “\(text)”: give an address and a port, such as 127.0.0.1:8080, "
                    + "0.0.0.0:8080 or [::1]:8080.")
        }
        let standard = "127.0.0.1"
        if text.isEmpty { return (standard, 0) }
        var host: Substring
        var rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw wrong() }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard host.contains(":"), RequestGate.isAddress(String(host)) else { throw wrong() }
        } else {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
            if host.isEmpty { host = Substring(standard) }
        }
        guard host.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") }) else { throw wrong() }
        if rest.isEmpty { return (String(host).lowercased(), 0) }
        guard rest.first == ":", let port = UInt16(rest.dropFirst()) else { throw wrong() }
        return (String(host).lowercased(), Int(port))
    }
}
