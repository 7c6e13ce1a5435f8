// The live page's settings, read from the setup info and checked before anything is opened. Pure.
import KineLive
import KineText

/// The settings of the live page's server.
public struct LiveSettings: Sendable, Equatable {
    /// A setting that cannot be used. LiveSentences.swift has the sentences for a person.
    public enum Error: Swift.Error, Equatable {
        case listen(String)
        case publicURL(String)
        case playerLink(String)
        /// `public-url` is set, but there is no fixed port for it.
        case portMissing
        case keyMissing
        case certificateMissing
    }

    /// PEM files.
    public struct Certificate: Sendable, Equatable {
        public var chain: String
        public var key: String
        /// The contents of the two files; nil: they are read from their paths.
        public var contents: Contents?

        /// The bytes of the two files.
        public struct Contents: Sendable, Equatable {
            public var chain: [UInt8]
            public var key: [UInt8]

            public init(chain: [UInt8], key: [UInt8]) {
                self.chain = chain
                self.key = key
            }
        }
    }

    /// The port and tokens of an earlier run of this broadcast, which open pages and players still use.
    struct Previous: Sendable, Equatable {
        var port: Int?
        var token: RandomToken
        var playerToken: RandomToken?
    }

    public var listen: ListenAddress
    public var certificate: Certificate?
    public var title: String
    /// Whether there is a second link, for players that accept only a plain address.
    public var hasPlayerLink: Bool
    /// A non-blocking listening socket; nil: the server binds `listen`.
    public var boundSocket: Int32?
    /// The address at which other machines reach this one, if known.
    public var reachableHost: String?
    var publicURL: PublicURL?
    var previous: Previous?

    /// Reads the keys
    /// - `listen`: a `ListenAddress`; 127.0.0.1 and a free port by default;
    /// - `tls-cert` and `tls-key`: PEM files, both or neither; with them the page is served over TLS;
    /// - `title`: shown on the page;
    /// - `public-url`: the address that viewers open, for the link and for the Host and the Origin of their requests;
    /// - `player-link`: `yes` for a second link, with its token in the path;
    /// - `reachableHost`: the address at which other machines reach this one;
    /// - `previousLink` and `previousPlayerLink`: the links of an earlier run of this broadcast. They are kept if the
    ///   port is free, so that open pages continue.
    public init(setupInfo: [String: String]) throws(Error) {
        func text(_ key: String) -> String? { setupInfo[key].flatMap { $0.isEmpty ? nil : $0 } }
        let address = text("listen") ?? ""
        guard let listen = ListenAddress(address) else { throw .listen(address) }
        self.listen = listen
        title = text("title") ?? "Live screen"
        certificate = try Self.certificate(text("tls-cert"), key: text("tls-key"))
        publicURL = try text("public-url").map { (text) throws(Error) in try Self.publicURL(text) }
        if publicURL != nil, listen.port == 0 { throw .portMissing }
        reachableHost = text("reachableHost")
        hasPlayerLink = try text("player-link").map { (text) throws(Error) in try Self.choice(text) } ?? false
        previous = text("previousLink").flatMap(LiveLinks.parse(page:)).map {
            Previous(
                port: $0.port, token: $0.token,
                playerToken: text("previousPlayerLink").flatMap(LiveLinks.parse(player:)))
        }
    }

    /// Whether an eavesdropper on the network can read the token and the screen.
    var isOpenAndPlain: Bool { !listen.isLoopback && certificate == nil }

    private static func certificate(_ chain: String?, key: String?) throws(Error) -> Certificate? {
        switch (chain, key) {
        case (let chain?, let key?): return Certificate(chain: chain, key: key)
        case (nil, nil): return nil
        case (_?, nil): throw .keyMissing
        case (nil, _?): throw .certificateMissing
        }
    }

    private static func publicURL(_ text: String) throws(Error) -> PublicURL {
        guard let url = PublicURL(text) else { throw .publicURL(text) }
        return url
    }

    private static func choice(_ text: String) throws(Error) -> Bool {
        switch text.lowercased() {
        case "yes", "true", "1": return true
        case "no", "false", "0": return false
        default: throw .playerLink(text)
        }
    }
}
