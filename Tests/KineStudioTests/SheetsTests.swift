// Sheets over a real socket, without a page.
import CoreTesting
import FoundationEssentials
import KineMeasure
import KinePlatform
import KineWire
import Synchronization
import SystemPackage
import Testing

@testable import KineStudio

@Suite struct SheetsTests {
    private typealias App = ControlConnection<StudioReply, StudioMessage>
    private static let app = SheetApp(identifier: "org.example.App", name: "An\u{202e}app")

    /// A door whose links name the sheet.
    private struct Place {
        let studio: Studio
        let door: StudioDoor
        let path: FilePath

        init(_ directory: FilePath, _ inbox: Mailbox<StudioLoop.Message> = .init()) throws {
            studio = Studio(inbox, choices: KeptChoice())
            path = directory.appending("studio.sock")
            door = try StudioDoor(path, studio) { scope in
                if case .sheet(let id) = scope {
                    StudioLink(address: id, file: "")
                } else {
                    StudioLink(address: "", file: "")
                }
            }
        }

        /// Waits for a reply, or the end of the connection.
        func reply(to app: App) throws -> StudioReply? {
            var reply: StudioReply?
            try wait("a reply") {
                door.process(at: MonotonicClock.now())
                studio.sheets.process(at: MonotonicClock.now())
                reply = try app.readAvailable().first
                return reply != nil || app.isClosed
            }
            return reply
        }

        /// Begins a sheet. Returns its id.
        func begin(_ app: App) throws -> String {
            try app.send(.present(SheetsTests.app))
            guard case .link(let link)? = try reply(to: app) else { return "" }
            return link.address
        }
    }

    private static func form(_ fields: [SetupQuestionField]) -> SheetPrompt {
        .form(SheetForm(service: "A", message: nil, fields: fields))
    }

    @Test func `values are checked while they are typed, and again when they are sent`() async throws {
        let directory = try TemporaryDirectory()
        let place = try Place(FilePath(directory.path))
        let client = try await StudioClient(place.studio)
        let app = try App(connectingTo: place.path)
        let id = try place.begin(app)
        var count = SetupQuestionField(key: "count", title: "Count", type: .number)
        (count.minimum, count.maximum, count.whole) = (1, 5, true)
        let key = SetupQuestionField(key: "key", title: "Key", type: .secret, required: true)
        try app.send(.show(Self.form([count, key])))
        try await wait(for: "the form") {
            place.studio.sheets.process(at: MonotonicClock.now())
            return place.studio.sheets.prompt(of: id) != .waiting
        }
        let (check, answer) = ("/api/sheets/\(id)/check", "/api/sheets/\(id)/answer")
        let typed = try await client.post(check, #"{"values":{"count":"9"}}"#)
        #expect(typed.text == #"{"problems":{"count":"Count has to be a number from 1 to 5."}}"#)
        let empty = try await client.post(answer, #"{"step":1,"values":{"count":"2"}}"#)
        #expect(empty.text == #"{"problems":{"key":"Key must be given."}}"#)
        let body = #"{"step":1,"values":{"count":"2","key":"x","other":"y"}}"#
        #expect(try await client.post(answer, body).text == #"{"problems":{}}"#)
        #expect(try place.reply(to: app) == .answer(.values(["count": "2", "key": "x"])))
        #expect(try await client.post(answer, body).status == .conflict, "it is not asked for twice")
        #expect(try await client.post("/api/sheets/other/answer", body).status == .notFound)
        #expect(try await client.post(check, "[]").status == .badRequest)
    }

    @Test func `a window gets the whole content, the app's name without hidden characters, and the end of the app`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let place = try Place(FilePath(directory.path))
        var app: App? = try App(connectingTo: place.path)
        let id = try place.begin(try #require(app))
        let window = try #require(place.studio.sheets.connect(id, at: MonotonicClock.now()))
        app = nil
        try await wait(for: "the end") {
            place.studio.sheets.process(at: MonotonicClock.now())
            return place.studio.sheets.count == 0
        }
        var contents: [String] = []
        for await content in window.stream { contents.append(content) }
        #expect(
            contents.first?.contains(#""app":{"identifier":"org.example.App","name":"An app"},"kind":"waiting""#)
                == true)
        #expect(contents.last?.contains(#""kind":"appLost""#) == true)
        #expect(place.studio.sheets.connect(id, at: MonotonicClock.now()) == nil)
    }

    @Test func `a sheet that nothing happens to does not wake the loop`() throws {
        try TemporaryDirectory.with { directory in
            let inbox = Mailbox<StudioLoop.Message>()
            let place = try Place(directory, inbox)
            let app = try App(connectingTo: place.path)
            _ = try place.begin(app)
            _ = inbox.drain()
            place.studio.sheets.process(at: MonotonicClock.now())
            #expect(inbox.drain().isEmpty)
        }
    }

    @Test func `the app does what the person wants with its recording, and the person is done after that`() async throws
    {
        let directory = try TemporaryDirectory()
        let place = try Place(FilePath(directory.path))
        let app = try App(connectingTo: place.path)
        let id = try place.begin(app)
        let activities = [SheetActivity(id: "post", title: "Post")]
        try app.send(.show(.recording(SheetRecording(path: "/a.mp4", isSaved: true, activities: activities))))
        try await wait(for: "the recording") {
            place.studio.sheets.process(at: MonotonicClock.now())
            return place.studio.sheets.prompt(of: id) != .waiting
        }
        let client = try await StudioClient(place.studio)
        let (share, answer) = ("/api/sheets/\(id)/share", "/api/sheets/\(id)/answer")
        let done = #"{"step":1,"finished":true}"#
        let post = #"{"activity":"post"}"#
        for (outcome, state) in [
            (SheetOutcome.done, "done"), (.failed("The forum\nis full."), "failed"), (.cancelled, "failed"),
        ] {
            #expect(try await client.post(share, post).status == .accepted)
            guard case .perform(let task, .share("post", nil))? = try place.reply(to: app) else {
                Issue.record("the app was not asked")
                return
            }
            #expect(try await client.post(answer, done).status == .conflict, "it is not done yet")
            try app.send(.progress(task: task, 0.5))
            try app.send(.performed(task: task, outcome))
            try await wait(for: state) {
                place.studio.sheets.process(at: MonotonicClock.now())
                return place.studio.jobs.count == 0
            }
        }
        #expect(try await client.post(share, #"{"activity":"other"}"#).status == .badRequest)
        #expect(
            try await client.post("/api/sheets/\(id)/save", #"{"name":"a"}"#).status == .conflict, "it is saved")
        #expect(try await client.post("/api/sheets/other/share", post).status == .notFound)
        let started = try await client.post(share, post)
        let job = try JSONDecoder().decode([String: String].self, from: Data(started.body))["job"] ?? ""
        guard case .perform(let task, _)? = try place.reply(to: app) else { return }
        #expect(try await client.post("/api/jobs/\(job)/cancel").status == .ok)
        #expect(try place.reply(to: app) == .stop(task: task))
        try await wait(for: "the cancellation") { place.studio.jobs.count == 0 }
        #expect(try await client.post(answer, done).status == .ok)
        #expect(try place.reply(to: app) == .answer(.finished))
    }

    @Test func `what the person has begun is cancelled with the sheet, and no other work`() async throws {
        let ended = Mutex<[String]>([])
        let jobs = Jobs { end in
            if end.state != .running { ended.withLock { $0.append("\(end.id) \(end.state)") } }
        }
        let sheets = Sheets(ended: { jobs.cancelAll(of: $0) }, changed: {})
        let (near, farEnd) = try Sheets.Connection.pair()
        defer { try? farEnd.close() }
        #expect(sheets.begin("a", Self.app, .app(near), at: MonotonicClock.now()))
        try jobs.start(.share, of: "first", for: "a") { _ in nil }
        try await wait(for: "the first one's end") { ended.withLock { $0.count } == 1 }
        let others = try ["a", nil].map { sheet in
            try jobs.start(.save, of: sheet ?? "none", for: sheet) { _ in
                try await Task.sleep(for: .seconds(3600))
                return nil
            }
        }
        #expect(jobs.areRunning(for: "a"))
        sheets.cancel("a")
        try await wait(for: "the cancellation") { !jobs.areRunning(for: "a") && ended.withLock { $0.count } == 2 }
        #expect(ended.withLock { $0 } == ["first done", "a cancelled"] && jobs.count == 1 && jobs.cancel(others[1]))
    }

    @Test func `what cannot be shown is refused, and so is a fifth sheet`() throws {
        try TemporaryDirectory.with { directory in
            let place = try Place(directory)
            let apps = try (0..<4).map { _ in try App(connectingTo: place.path) }
            #expect(Set(try apps.map(place.begin)).count == 4)
            let fifth = try App(connectingTo: place.path)
            #expect(try place.begin(fifth) == "")
            var backwards = SetupQuestionField(key: "count", type: .number)
            (backwards.minimum, backwards.maximum) = (5, 1)
            try apps[0].send(.show(Self.form([backwards])))
            guard case .refused(let sentence)? = try place.reply(to: apps[0]) else {
                Issue.record("it was shown")
                return
            }
            #expect(sentence.contains("cannot show") && place.studio.sheets.count == 3)
        }
    }
}
