// Which requests are answered: by host, origin, site, method, cookie and key.
import KineLive
import KineText
import Testing

@testable import KineStudio

@Suite struct StudioGateTests {
    private let secrets: StudioSecrets
    private let session: StudioSecrets.Session
    private var gate: StudioGate { StudioGate(secrets: secrets, port: 8000) }

    init() throws {
        var secrets = StudioSecrets()
        let link = secrets.makeLink(to: .studio, at: 0)
        let opened = secrets.redeem("\(link)", at: 0)
        session = try #require(opened)
        self.secrets = secrets
    }

    /// The request of the page for a change, as a browser sends it.
    private func change(_ alter: (inout StudioRequest) -> Void = { _ in }) -> StudioRequest {
        var request = StudioRequest(
            method: "POST", target: "/api/takes/abc/pause", host: "127.0.0.1:8000", origin: "http://127.0.0.1:8000",
            site: "same-origin", contentType: "application/json",
            cookies: "a=b; \(secrets.cookieName)=\(secrets.cookie)", key: "\(session.key)")
        alter(&request)
        return request
    }

    private func refusal(_ request: StudioRequest, _ gate: StudioGate? = nil) -> StudioGate.Refusal? {
        if case .failure(let refusal) = (gate ?? self.gate).judge(request, secrets) { refusal } else { nil }
    }

    @Test func `the page's own requests are answered`() throws {
        let match = try gate.judge(change(), secrets).get()
        #expect(match.route.path == "/api/takes/{take}/pause" && match.parameters == ["take": "abc"])
        #expect(refusal(change { ($0.host, $0.origin) = ("localhost:8000", "http://localhost:8000") }) == nil)
        #expect(refusal(change { ($0.host, $0.origin) = ("[::1]:8000", nil) }) == nil)
        #expect(refusal(change { $0.contentType = "Application/JSON; charset=utf-8" }) == nil)
        #expect(refusal(change { $0.site = nil }) == nil, "a program sends no Sec-Fetch-Site")
        let key = session.key
        let events = change { ($0.method, $0.target, $0.key) = ("GET", "/api/events?x=1&key=\(key)", nil) }
        #expect(refusal(events) == nil, "EventSource sends no headers")
        #expect(refusal(change { ($0.method, $0.target) = ("GET", "/api/takes") }) == nil)
    }

    @Test func `wrong hosts and other sites are refused`() {
        for host in ["evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1.:8000", "", "10.0.0.1:8000"] {
            #expect(refusal(change { $0.host = host }) == .wrongHost(host.isEmpty ? nil : host), "\(host)")
        }
        #expect(refusal(change { $0.host = nil }) == .wrongHost(nil))
        #expect(refusal(change { $0.host = "Evil.example:80" }) == .wrongHost("evil.example:80"))
        #expect(refusal(change { $0.host = "<script>" }) == .wrongHost(nil), "not shown")
        for origin in ["http://127.0.0.1:8001", "https://127.0.0.1:8000", "http://evil.example", "null", ""] {
            #expect(refusal(change { $0.origin = origin }) == .otherSite, "\(origin)")
        }
        for site in ["cross-site", "same-site", "none", "Same-Origin"] {
            #expect(refusal(change { $0.site = site }) == .otherSite, "\(site)")
        }
        let file = { (site: String) in change { ($0.method, $0.target, $0.site) = ("GET", "/page.js", site) } }
        #expect(refusal(file("cross-site")) == .otherSite && refusal(file("same-origin")) == nil)
        let document = change { ($0.method, $0.target, $0.site, $0.origin) = ("GET", "/", "cross-site", nil) }
        #expect(refusal(document) == nil, "any link may lead to the document")
    }

    @Test func `a change needs JSON, the cookie and the key`() {
        for type in [
            "application/jsonp", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", nil,
        ] {
            #expect(refusal(change { $0.contentType = type }) == .notJSON)
        }
        #expect(refusal(change { $0.cookies = nil }) == .noSession)
        #expect(refusal(change { $0.cookies = "\(secrets.cookieName)=\(RandomToken())" }) == .noSession)
        #expect(
            refusal(change { $0.cookies = "\(StudioSecrets().cookieName)=\(secrets.cookie)" }) == .noSession)
        #expect(refusal(change { $0.key = nil }) == .noSession)
        #expect(refusal(change { $0.key = "\(RandomToken())" }) == .noSession)
        let events = change { ($0.method, $0.target, $0.cookies) = ("GET", "/api/events", nil) }
        #expect(refusal(events) == .noSession)
        for target in [
            "/api/events", "/api/events?key=", "/api/events?xkey=\(session.key)",
            "/api/takes?key=\(session.key)",
        ] {
            let request = change { ($0.method, $0.target, $0.key) = ("GET", target, nil) }
            #expect(refusal(request) == .noSession, "the cookie alone, which other ports get too: \(target)")
        }
        #expect(
            refusal(
                change {
                    $0.target = "/api/session"; $0.cookies = nil; $0.key = nil
                }) == nil)
    }

    @Test func `unknown paths and methods are refused`() {
        for target in [
            "/api/takes/../pause", "/api/takes/%2e%2e/pause", "/api/takes//pause", "/api/takes/a%2fb/pause",
            "/api/takes/%zz/pause", "/api/takes/%+1/pause", "/api/takes/%4/pause", "/api/takes/%ff/pause",
            "/api/takes/a%00/pause", "/api/x", "/api/", "//", "", "*", "/../etc/passwd",
        ] {
            #expect(refusal(change { $0.target = target }) == .notFound, "\(target)")
        }
        #expect(refusal(change { $0.method = "GET" }) == .wrongMethod(["POST"]))
        #expect(
            refusal(
                change {
                    $0.method = "DELETE"; $0.target = "/api/takes"
                }) == .wrongMethod(["GET", "POST"]))
        #expect(refusal(change { $0.target = "/api/takes/%61bc/pause?x=/#y" }) == nil)
    }

    @Test func `a tunnel's address is a name and an origin of the server`() throws {
        let url = try #require(PublicURL("https://studio.example"))
        let gate = StudioGate(secrets: secrets, port: 8000, publicURL: url)
        let tunnelled = change { ($0.host, $0.origin) = ("studio.example", "https://studio.example") }
        #expect(refusal(tunnelled, gate) == nil && refusal(tunnelled) != nil)
        #expect(
            refusal(change { ($0.host, $0.origin) = ("studio.example", "http://studio.example") }, gate) == .otherSite)
        #expect(refusal(change(), gate) == nil)
    }

    /// A browser's request for the document.
    private func visit(_ host: String?, _ alter: (inout StudioRequest) -> Void = { _ in }) -> StudioRequest {
        var request = StudioRequest(method: "GET", target: "/?sheet=a", host: host, site: "none")
        alter(&request)
        return request
    }

    @Test func `the document at another port of this machine is explained, and nothing else is said there`() throws {
        for (host, shown) in [
            ("localhost", "localhost"), ("LocalHost:9000", "localhost:9000"), ("127.0.0.1:80", "127.0.0.1:80"),
            ("[::1]:8001", "[::1]:8001"),
        ] {
            #expect(refusal(visit(host)) == .otherPort(host: shown, own: 8000), "\(host)")
            #expect(refusal(visit(host) { $0.method = "HEAD" }) == .otherPort(host: shown, own: 8000))
            for (method, target) in [("POST", "/"), ("GET", "/page.js"), ("GET", "/api/takes"), ("OPTIONS", "/")] {
                let request = visit(host) { ($0.method, $0.target) = (method, target) }
                #expect(refusal(request) == .wrongHost(shown), "\(method) \(target)")
            }
        }
        // Names that may be made to lead here, and what only resembles this machine's.
        for host in [
            "evil.example:8000", "localhost.evil.example:9000", "127.0.0.1.evil.example", "127.0.0.2:9000",
            "0.0.0.0:9000", "127.1:9000",
        ] { #expect(refusal(visit(host)) == .wrongHost(host)) }
        for host in ["localhost:", "localhost:9000:1", "a@localhost:9000", "<b>", ""] {
            #expect(refusal(visit(host)) == .wrongHost(nil), "\(host)")
        }
        #expect(refusal(visit(nil)) == .wrongHost(nil))
        #expect(refusal(visit("localhost:8000")) == nil)
    }

    @Test(arguments: ["/tools/kinecast/", "/library/", "/api/"])
    func `a proxy may keep or remove the path of the public address`(path: String) throws {
        let url = try #require(PublicURL("https://studio.example\(path)"))
        let gate = StudioGate(secrets: secrets, port: 8000, publicURL: url)
        for base in ["/", path] {
            for (method, target) in [
                ("GET", ""), ("GET", "?sheet=a"), ("GET", "library/library.js"), ("POST", "api/takes/abc/pause"),
            ] {
                let request = change {
                    ($0.host, $0.origin) = ("studio.example", "https://studio.example")
                    ($0.method, $0.target) = (method, base + target)
                }
                #expect(refusal(request, gate) == nil, "\(method) \(request.target)")
                #expect(
                    base == "/" || refusal(change { $0.target = request.target }) == .notFound, "it has no such address"
                )
            }
        }
        func target(_ target: String) -> StudioRequest { change { ($0.method, $0.target) = ("GET", target) } }
        #expect(refusal(target(String(path.dropLast())), gate) == .noSlash(path))
        for other in ["\(path)x", "\(path)/", "\(path)../", "/x\(path)", "\(path.dropLast())x"] {
            #expect(refusal(target(other), gate) == .notFound, "\(other)")
        }
    }

    @Test func `a link's token works once, within a minute, and the oldest go`() {
        var secrets = StudioSecrets()
        let first = secrets.makeLink(to: .studio, at: 0)
        #expect(secrets.redeem("\(RandomToken())", at: 1) == nil)
        #expect(secrets.redeem(first.description, at: 1)?.scope == .studio)
        #expect(secrets.redeem(first.description, at: 2) == nil, "used")
        let late = secrets.makeLink(to: .studio, at: 0)
        #expect(secrets.redeem(late.description, at: StudioSecrets.linkLifetime) == nil)
        let many = (0...StudioSecrets.mostLinks).map { _ in secrets.makeLink(to: .studio, at: 0) }
        #expect(secrets.redeem(many[0].description, at: 1) == nil)
        #expect(many.dropFirst().allSatisfy { secrets.redeem($0.description, at: 1) != nil })
    }

    @Test func `windows that may do the same share a session, and its key says what they may do`() throws {
        var secrets = secrets
        let scopes: [StudioScope] = [.person, .recording("r"), .recording("s"), .sheet("r"), .studio]
        let sessions = try scopes.map { scope in
            let links = (0..<2).map { _ in secrets.makeLink(to: scope, at: 0) }
            let opened = links.compactMap { secrets.redeem("\($0)", at: 0) }
            #expect(opened.count == 2 && opened.first == opened.last)
            return try #require(opened.first)
        }
        #expect(Set(sessions.map(\.key)).count == scopes.count && sessions.last == session)
        for session in sessions {
            let request = change { $0.key = "\(session.key)" }
            #expect(try gate.judge(request, secrets).get().scope == session.scope)
            #expect(secrets.session(withKey: "\(session.key)") == session)
        }
    }

    @Test func `a window may do what it shows, and a printed link's answers no question`() throws {
        func allowed(_ scope: StudioScope, shows shown: Set<String> = []) -> Set<String> {
            Set(
                StudioRoute.all.filter { route in
                    var parameters: [String: String] = [:]
                    for name in route.path.matches(of: #/\{(\w+)\}/#).map({ String($0.1) }) { parameters[name] = "r" }
                    let match = StudioRoute.Match(route: route, parameters: parameters)
                    return [.session, .events].contains(route.access) && scope.permits(match) { shown.contains($0) }
                }.map { "\($0.method) \($0.path)" })
        }
        let all = allowed(.person)
        #expect(all.subtracting(allowed(.studio)) == ["POST /api/takes/{take}/permission"])
        let common: Set = [
            "GET /api/events", "GET /api/recordings", "POST /api/recordings/undo", "GET /api/activities",
            "GET /api/dialog",
            "POST /api/jobs/{job}/cancel", "GET /api/services/{service}/icon",
        ]
        #expect(allowed(.recording("x")) == common && allowed(.sheet("x")) == common, "no recording is shown")
        let own = all.filter { $0.contains("{recording}") }
        #expect(own.count == 14 && allowed(.recording("x"), shows: ["r"]) == common.union(own))
        let sheets = all.filter { $0.contains("{sheet}") }
        #expect(sheets.count == 7 && allowed(.sheet("r")) == common.union(sheets))
        let read = allowed(.sheet("x"), shows: ["r"]).subtracting(common)
        #expect(read.count == 6 && read.isSubset(of: own) && !read.contains { $0.hasSuffix("delete") }, "\(read)")
    }

    @Test func `events of others come to no window of a recording or an app`() {
        func receives(_ scope: StudioScope, _ type: String, _ subject: String? = nil) -> Bool {
            scope.receives(type, of: subject) { $0 == "r" }
        }
        #expect(receives(.person, "questions") && !receives(.studio, "questions") && receives(.studio, "takes"))
        for scope in [StudioScope.recording("r"), .sheet("s")] {
            #expect(receives(scope, "recordings") && receives(scope, "job", "r") && !receives(scope, "job", "x"))
            for type in ["takes", "questions", "notice", "choices", "camera"] {
                #expect(!receives(scope, type), "\(type)")
            }
        }
    }
}
