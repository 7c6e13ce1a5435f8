// Which requests the live page answers, and which it refuses.
import KineLive
import KineText
import Testing

@Suite struct RequestGateTests {
    private static let token = RandomToken()
    private static let players = RandomToken()
    private let gate = RequestGate(
        token: token, playerToken: players, hosts: ["localhost", "127.0.0.1", "::1", "192.168.1.7"],
        acceptsAnyAddress: false)

    private func judge(
        _ target: String, method: String = "GET", host: String? = "127.0.0.1:8080", origin: String? = nil,
        token: String? = token.description, at gate: RequestGate? = nil
    ) -> RequestGate.Verdict {
        (gate ?? self.gate).judge(method: method, target: target, host: host, origin: origin, token: token)
    }

    @Test(arguments: RequestGate.Resource.allCases)
    func `the token opens everything`(_ resource: RequestGate.Resource) {
        #expect(judge("/" + resource.rawValue) == .give(resource))
        #expect(judge("/" + resource.rawValue + "?play=mse") == .give(resource, query: RequestQuery("play=mse")))
    }

    /// The page's files need no token, since a browser requests them before the page can send it.
    @Test(arguments: RequestGate.Resource.allCases)
    func `without the token nothing of the broadcast is found`(_ resource: RequestGate.Resource) {
        for token in [
            nil, "", RandomToken().description, Self.players.description, Self.token.description.uppercased(),
        ] {
            let expected: RequestGate.Verdict = resource.needsToken ? .notFound : .give(resource)
            #expect(judge("/" + resource.rawValue, token: token) == expected)
        }
    }

    @Test(arguments: RequestGate.Resource.allCases)
    func `no answer may be stored`(_ resource: RequestGate.Resource) {
        #expect(resource.caching.rawValue == "no-store")
    }

    /// Mail and chat programs append parameters to links.
    @Test func `a resource without parameters is given with a malformed query too`() {
        for query in ["?x", "?a=%20", "?a=1&a=2", "?" + String(repeating: "a", count: 300)] {
            #expect(judge("/" + query) == .give(.page, query: nil))
            #expect(judge("/samples" + query) == .give(.samples, query: nil))
            #expect(judge("/samples" + query, token: nil) == .notFound)
        }
    }

    @Test func `the query ends where a fragment begins`() {
        #expect(judge("/?a=1#b=2") == .give(.page, query: RequestQuery("a=1")))
        for target in ["/", "/?", "/#", "/#?a=1", "/?#a"] { #expect(judge(target) == .give(.page)) }
    }

    @Test func `unknown paths are not found`() {
        for target in ["", "*", "/other", "//samples", "/../samples", "samples", "/samples/", "/\(Self.token)/"] {
            #expect(judge(target) == .notFound)
        }
    }

    @Test func `the players' address has a token of its own`() {
        #expect(judge("/\(Self.players)/live.mp4", token: nil) == .give(.movie))
        for target in ["/\(Self.token)/live.mp4", "/\(Self.players)/samples", "/\(Self.players)/", "/\(Self.players)"] {
            #expect(judge(target, token: nil) == .notFound)
        }
        let without = RequestGate(token: Self.token, hosts: ["127.0.0.1"], acceptsAnyAddress: false)
        #expect(judge("/\(Self.players)/live.mp4", token: nil, at: without) == .notFound)
    }

    @Test func `only GET and HEAD are allowed`() {
        #expect(judge("/", method: "HEAD") == .give(.page))
        #expect(judge("/", method: "POST") == .wrongMethod)
        // Without a token the method reveals nothing either.
        #expect(judge("/samples", method: "POST", token: nil) == .notFound)
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:9", "localhost:8080", "LOCALHOST", "localhost.", "[::1]:80", "192.168.1.7:1",
    ])
    func `the server's own names are accepted`(_ host: String) { #expect(judge("/", host: host) == .give(.page)) }

    @Test(
        arguments: [
            (nil, nil), ("", nil), ("evil.example", "evil.example"),
            ("127.0.0.1.Evil.example:8080", "127.0.0.1.evil.example:8080"),
            ("localhost:x", nil), ("[::1", nil), ("192.168.1.8", "192.168.1.8"), ("localhost:80:80", nil),
            ("@localhost", nil),
            ("a\u{1b}[2J", nil), (String(repeating: "a", count: 81), nil),
        ] as [(String?, String?)])
    func `names that can be rebound are refused`(_ host: String?, _ told: String?) {
        // The name that the broadcaster is shown is harmless to a terminal.
        #expect(judge("/", host: host) == .wrongHost(told))
    }

    @Test func `every address is accepted where the server listens on all`() {
        let gate = RequestGate(token: Self.token, hosts: ["localhost"], acceptsAnyAddress: true)
        for host in ["10.0.0.3:80", "[fe80::1]:80"] { #expect(judge("/", host: host, at: gate) == .give(.page)) }
        for host in ["evil.example", "10.0.0.3.evil.example", "10.0.0.256", "1.2.3"] {
            #expect(judge("/", host: host, at: gate) == .wrongHost(host))
        }
    }

    @Test func `only the server's own page may send requests`() {
        #expect(judge("/", origin: "http://127.0.0.1:8080") == .give(.page))
        for origin in [
            "http://127.0.0.1:8081", "http://evil.example", "null", "https://127.0.0.1:8080.evil.example", "",
        ] {
            #expect(judge("/", origin: origin) == .wrongOrigin)
        }
    }

    @Test func `a proxy may keep or remove the path and send its own Host`() {
        let gate = RequestGate(
            token: Self.token, playerToken: Self.players, hosts: ["127.0.0.1"], acceptsAnyAddress: false,
            publicURL: PublicURL("https://live.example/a/"))
        for host in ["live.example", "LIVE.example:443", "127.0.0.1:8080"] {
            for path in ["/", "/a/"] {
                #expect(judge(path, host: host, at: gate) == .give(.page))
                #expect(
                    judge(path + "samples", host: host, origin: "https://live.example", at: gate) == .give(.samples))
                #expect(judge(path + "\(Self.players)/live.mp4", host: host, token: nil, at: gate) == .give(.movie))
            }
            #expect(judge("/a", host: host, at: gate) == .addSlash)
            #expect(judge("/b/", host: host, at: gate) == .notFound)
        }
        #expect(judge("/", host: "127.0.0.1:8080", origin: "http://live.example", at: gate) == .wrongOrigin)
        #expect(judge("/", host: "evil.example", at: gate) == .wrongHost("evil.example"))
    }
}
