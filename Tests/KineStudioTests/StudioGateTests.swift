// Which requests are answered: by host, origin, site, method, cookie and key.
import KineLive
import Testing

@testable import KineStudio

@Suite struct StudioGateTests {
    private let secrets = StudioSecrets()
    private var gate: StudioGate { StudioGate(secrets: secrets, port: 8000) }

    /// The request of the page for a change, as a browser sends it.
    private func change(_ alter: (inout StudioRequest) -> Void = { _ in }) -> StudioRequest {
        var request = StudioRequest(
            method: "POST", target: "/api/takes/abc/pause", host: "127.0.0.1:8000", origin: "http://127.0.0.1:8000",
            site: "same-origin", contentType: "application/json",
            cookies: "a=b; \(secrets.cookieName)=\(secrets.session.cookie)", key: "\(secrets.session.key)")
        alter(&request)
        return request
    }

    private func refusal(_ request: StudioRequest, _ gate: StudioGate? = nil) -> StudioGate.Refusal? {
        if case .failure(let refusal) = (gate ?? self.gate).judge(request) { refusal } else { nil }
    }

    @Test func `the page's own requests are answered`() throws {
        let match = try gate.judge(change()).get()
        #expect(match.route.path == "/api/takes/{take}/pause" && match.parameters == ["take": "abc"])
        #expect(refusal(change { ($0.host, $0.origin) = ("localhost:8000", "http://localhost:8000") }) == nil)
        #expect(refusal(change { ($0.host, $0.origin) = ("[::1]:8000", nil) }) == nil)
        #expect(refusal(change { $0.contentType = "Application/JSON; charset=utf-8" }) == nil)
        #expect(refusal(change { $0.site = nil }) == nil, "a program sends no Sec-Fetch-Site")
        let key = secrets.session.key
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
        #expect(refusal(change { $0.cookies = "\(secrets.cookieName)=\(LiveToken())" }) == .noSession)
        #expect(
            refusal(change { $0.cookies = "\(StudioSecrets().cookieName)=\(secrets.session.cookie)" }) == .noSession)
        #expect(refusal(change { $0.key = nil }) == .noSession)
        #expect(refusal(change { $0.key = "\(LiveToken())" }) == .noSession)
        let events = change { ($0.method, $0.target, $0.cookies) = ("GET", "/api/events", nil) }
        #expect(refusal(events) == .noSession)
        for target in [
            "/api/events", "/api/events?key=", "/api/events?xkey=\(secrets.session.key)",
            "/api/takes?key=\(secrets.session.key)",
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

    @Test func `a link's token works once, within a minute, and the oldest go`() {
        var secrets = StudioSecrets()
        let first = secrets.makeLink(at: 0)
        #expect(secrets.redeem("\(LiveToken())", at: 1) == nil)
        #expect(secrets.redeem(first.description, at: 1) == secrets.session)
        #expect(secrets.redeem(first.description, at: 2) == nil, "used")
        let late = secrets.makeLink(at: 0)
        #expect(secrets.redeem(late.description, at: StudioSecrets.linkLifetime) == nil)
        let many = (0...StudioSecrets.mostLinks).map { _ in secrets.makeLink(at: 0) }
        #expect(secrets.redeem(many[0].description, at: 1) == nil)
        #expect(many.dropFirst().allSatisfy { secrets.redeem($0.description, at: 1) != nil })
    }
}
