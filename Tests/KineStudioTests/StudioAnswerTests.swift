// The answers of the server without a socket, the choice of a recording, and what a survey has found.
import FoundationEssentials
import HTTPTypes
import KineLive
import KineMeasure
import KineMedia
import KinePlatform
import KineText
import KineWire
import SystemPackage
import Testing

@testable import KineStudio

@Suite struct StudioAnswerTests {
    private let inbox = Mailbox<StudioLoop.Message>()

    private func studio(_ directory: FilePath? = nil, publicURL: String? = nil) -> Studio {
        let studio = Studio(inbox, choices: KeptChoice(in: directory))
        studio.open(port: 8000, publicURL: publicURL.flatMap { PublicURL($0) })
        return studio
    }

    @Test func `a session's cookie is secure behind a tunnel that encrypts, and many cookies of earlier servers go`()
        async throws
    {
        let studio = studio(publicURL: "https://studio.example")
        for (host, isSecure) in [("studio.example", true), ("127.0.0.1:8000", false)] {
            var opening = StudioClient.request("POST", "/api/session", host: host)
            opening.cookies = "other=1; " + (0..<20).map { "kinecast-studio-\($0)=2" }.joined(separator: "; ")
            let answer = try await studio.answer(opening, #"{"token":"\#(studio.makeLink(to: .studio))"}"#)
            #expect(answer.status == .ok)
            let cookies = answer.fields.filter { $0.0 == .setCookie }.map(\.1)
            try #require(cookies.count == 21)
            #expect(cookies.dropLast().allSatisfy { $0.hasPrefix("kinecast-studio-") && $0.contains("=; Max-Age=0; ") })
            #expect(cookies.allSatisfy { $0.contains("; HttpOnly; SameSite=Strict") })
            #expect(cookies.allSatisfy { $0.hasSuffix("; Secure") == isSecure }, "\(host)")
        }
        #expect(inbox.drain().count == 2, "the files of both links go")
        var opening = StudioClient.request("POST", "/api/session")
        opening.cookies = "kinecast-studio-tunnel=1"
        let answer = try await studio.answer(opening, #"{"token":"\#(studio.makeLink(to: .studio))"}"#)
        #expect(answer.fields.count { $0.0 == .setCookie } == 1, "another server may run")
    }

    @Test func `behind a proxy the cookie is for the public path alone, also where the proxy sends a host of its own`()
        async throws
    {
        let studio = studio(publicURL: "https://studio.example/some/path")
        for (host, origin, attributes) in [
            ("studio.example", nil, "Path=/some/path/; HttpOnly; SameSite=Strict; Secure"),
            ("127.0.0.1:8000", "https://studio.example", "Path=/some/path/; HttpOnly; SameSite=Strict; Secure"),
            ("127.0.0.1:8000", "http://127.0.0.1:8000", "Path=/; HttpOnly; SameSite=Strict"),
        ] as [(String, String?, String)] {
            for path in ["/api/session", "/some/path/api/session"] {
                var opening = StudioClient.request("POST", path, host: host)
                opening.origin = origin
                let answer = try await studio.answer(opening, #"{"token":"\#(studio.makeLink(to: .studio))"}"#)
                let cookies = answer.fields.filter { $0.0 == .setCookie }.map(\.1)
                #expect(cookies.count == 1 && cookies.first?.hasSuffix("; \(attributes)") == true, "\(host) \(cookies)")
            }
        }
        let moved = try await studio.answer(StudioClient.request("GET", "/some/path"))
        #expect(moved.status == .permanentRedirect)
        #expect(moved.fields.contains { $0.0 == .location && $0.1 == "/some/path/" })
    }

    @Test func `a person at a forwarded port reads what to do, and a program at another host gets JSON`() async throws {
        let studio = studio()
        let page = try await studio.answer(StudioClient.request("GET", "/", host: "localhost:9000"))
        #expect(page.status == .misdirectedRequest && page.type.hasPrefix("text/html"))
        for words in ["ssh -L 8000:127.0.0.1:8000", "--port 8000 --public-url http://localhost:9000/"] {
            #expect(page.text.contains(words), "\(page.text)")
        }
        #expect(!page.text.contains("<script") && page.fields.isEmpty)
        let refused = try await studio.answer(StudioClient.request("GET", "/", host: "evil.example:9000"))
        #expect(refused.status == .misdirectedRequest && refused.type == "application/json")
    }

    @Test func `a page gets a secret with its session, another one when it is loaded again, and proofs by it`()
        async throws
    {
        let studio = studio()
        var opening = StudioClient.request("POST", "/api/session")
        let first = try await studio.answer(opening, #"{"token":"\#(studio.makeLink(to: .studio))"}"#)
        let given = try #require(StudioJSON.decode([String: String].self, first.body))
        opening.cookies = first.fields.first { $0.0 == .setCookie }.map { String($0.1.prefix { $0 != ";" }) }
        opening.key = given["key"]
        let again = try #require(StudioJSON.decode([String: String].self, try await studio.answer(opening, "{}").body))
        #expect(again["key"] == given["key"] && again["id"] != given["id"] && again["secret"] != given["secret"])
        let challenge = RandomToken().description
        for page in [given, again] {
            let (id, secret) = (try #require(page["id"]), try #require(page["secret"]))
            let proof = try await studio.answer(StudioClient.request("GET", "/api/proof/\(id)/\(challenge)"))
            #expect(proof.body == MessageAuthentication.code(of: challenge.utf8, key: secret.utf8))
        }
        #expect(try await studio.answer(StudioClient.request("GET", "/api/proof/x/\(challenge)")).status == .notFound)
    }

    @Test func `the codes are those of RFC 4231 and FIPS 180-4`() {
        func code(_ key: [UInt8], _ message: String) -> String {
            MessageAuthentication.code(of: message.utf8, key: key)
                .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        #expect(
            code([UInt8](repeating: 0x0b, count: 20), "Hi There")
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            code(Array("Jefe".utf8), "what do ya want for nothing?")
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            code([UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First")
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
        // The padding around a block's end, against sha256sum.
        let sums = [
            0: "e3b0c442", 55: "9f4390f8", 56: "b35439a4", 63: "7d3e74a0", 64: "ffe054fe", 119: "31eba51c",
            120: "2f3d335432c7",
        ]
        for (count, sum) in sums {
            let digest = MessageAuthentication.digest([UInt8](repeating: 0x61, count: count))
            let text = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            #expect(text.hasPrefix(sum), "\(count)")
        }
    }

    @Test func `a refused window gets a sentence, and a recording's knows its recording`() async throws {
        let printed = try await StudioClient(studio())
        let refused = try await printed.post("/api/takes/abc/permission", #"{"question":1,"isAllowed":true}"#)
        #expect(refused.status == .forbidden && refused.text.contains("kinecast studio"))
        let studio = studio()
        studio.open(port: 8000, publicURL: nil)
        let opened = try await studio.answer(
            StudioClient.request("POST", "/api/session"), #"{"token":"\#(studio.makeLink(to: .recording("r")))"}"#)
        #expect(StudioJSON.decode([String: String].self, opened.body)?["recording"] == "r")
        #expect(try await StudioClient(studio, .recording("r")).get("/api/takes").status == .forbidden)
        studio.families.add("s", madeOf: "r")
        studio.families.add("t", madeOf: "s")
        studio.families.add("r", madeOf: "t")
        for (id, isShown) in [("r", true), ("s", true), ("t", true), ("x", false)] {
            #expect(studio.shows(id, in: .recording("r")) == isShown, "\(id)")
        }
        #expect(!studio.shows("r", in: .recording("x")), "what it was made of is not another window's")
    }

    @Test func `a body that is no request is refused, and so is an unknown file`() async throws {
        let studio = studio()
        let opening = StudioClient.request("POST", "/api/session")
        for body in ["", "[]", #"{"token":1}"#, "\u{0}"] {
            #expect(try await studio.answer(opening, body).status == .badRequest, "\(body)")
        }
        #expect(try await studio.answer(opening, "{}").status == .unauthorized, "loaded again without a session")
        let unknown = #"{"token":"\#(RandomToken())"}"#
        #expect(try await studio.answer(opening, unknown).status == .forbidden)
        for path in ["/nothing.js", "/shared/nothing.js", "/nothing/elements.js", "/shared/", "/shared/..", "/x.js"] {
            #expect(try await studio.answer(StudioClient.request("GET", path)).status == .notFound, "\(path)")
        }
        for path in ["/page.js", "/shared/elements.js", "/player.js"] {
            #expect(try await studio.answer(StudioClient.request("GET", path)).type.hasPrefix("text/javascript"))
        }
    }

    @Test func `a choice becomes options that no value can leave`() {
        func arguments(_ json: String) -> [String]? {
            StudioJSON.decode(RecordingChoice.self, Array(json.utf8))?.arguments().map { Array($0.dropFirst(3)) }
        }
        #expect(arguments("{}") == [])
        let all = #"{"source":"window","name":"0x1","audio":"app:-x","microphone":"none","clipBuffer":30}"#
        #expect(arguments(all) == ["--window=0x1", "--audio=app:-x", "--mic=none", "--clip-buffer=30s"])
        let refused = [
            #"{"source":"window"}"#, #"{"name":"0x1"}"#, #"{"source":"to","name":"rtmp://x"}"#, #"{"audio":""}"#,
            #"{"clipBuffer":0}"#, #"{"clipBuffer":1.5}"#, #"{"clipBuffer":9999}"#, #"{"audio":"a\u0000b"}"#, "[]",
        ]
        for json in refused { #expect(arguments(json) == nil, "\(json)") }
    }

    @Test func `the last choice is kept in the directory for state, which may not exist yet`() throws {
        try TemporaryDirectory.with { directory in
            let choice = KeptChoice(in: directory.appending("state"))
            #expect(choice.kept == nil)
            for text in ["{}", #"{"audio":"none"}"#] {
                choice.keep(Array(text.utf8))
                #expect(KeptChoice(in: directory.appending("state")).kept == Array(text.utf8))
            }
            KeptChoice(in: nil).keep([1])
        }
    }

    @Test func `the sentence of an error is found among what kinecast prints`() {
        #expect(
            Recorders.problem(in: "kinecast: There is no display. Log in.\n3 frames\n")
                == "There is no display. Log in.")
        let usage = "Error: The value 'x' is invalid\nUsage: kinecast record\n  See 'kinecast record --help'\n"
        #expect(Recorders.problem(in: usage) == "The value 'x' is invalid")
        #expect(Recorders.problem(in: "warning\n*** Fatal error: no\nlast\n") == "*** Fatal error: no")
        #expect(Recorders.problem(in: "").hasPrefix("kinecast ended without a reason"))
    }

    @Test func `a recording starts only when the last start has ended`() {
        var takes = ShownTakes()
        let isFirst = takes.beginStart()
        let isSecond = takes.beginStart()
        #expect(isFirst && !isSecond && takes.isStarting)
        takes.endStart()
        let isNext = !takes.isStarting && takes.beginStart()
        #expect(isNext)
    }

    @Test func `a picture can be loaded for a while after the next one has come`() {
        var list = SourceList()
        list.windows = [
            .init(id: 16, title: "", application: "XTerm", bounds: PixelRect(x: 0, y: 0, width: 3, height: 2))
        ]
        var state = SurveyState()
        state.update(list)
        #expect(state.choices.first?.name == "0x10" && state.choices.first?.title == "XTerm")
        #expect(state.choices.first?.picture == nil)
        for byte in 1...40 as ClosedRange<UInt8> { state.update(SurveyPicture(.window(16), jpeg: Data([byte]))) }
        #expect(state.choices.first?.picture == 40 && state.picture(40) == [40] && state.picture(39) == [39])
        #expect(state.picture(1) == nil && state.picture(41) == nil)
        state.update(SourceList())
        #expect(state.choices.isEmpty && state.picture(40) == [40])
    }

    @Test func `a camera has pictures of its own, until the screen is locked`() {
        var state = SurveyState()
        let size = PixelSize(width: 640, height: 480)
        let shown = state.update(SurveyCamera(size: size, jpeg: Data([1])))
        #expect(shown == SurveyState.Camera(picture: 1, width: 640, height: 480))
        #expect(state.picture(1) == [1])
        #expect(state.update(SurveyCamera(problem: "No.")) == SurveyState.Camera(problem: "No."))
        #expect(state.picture(1) == [1], "a page may still be loading it")
        state.isLocked = true
        #expect(state.picture(1) == nil)
    }
}
