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
            door = try StudioDoor(path, sheets: studio.sheets) { place in
                if case .sheet(let id) = place {
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

    private static func text(_ answer: StudioAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }

    @Test func `values are checked while they are typed, and again when they are sent`() throws {
        try TemporaryDirectory.with { directory in
            let place = try Place(directory)
            let app = try App(connectingTo: place.path)
            let id = try place.begin(app)
            var count = SetupQuestionField(key: "count", title: "Count", type: .number)
            (count.minimum, count.maximum, count.whole) = (1, 5, true)
            let key = SetupQuestionField(key: "key", title: "Key", type: .secret, required: true)
            try app.send(.show(Self.form([count, key])))
            try wait("the form") {
                place.studio.sheets.process(at: MonotonicClock.now())
                return place.studio.sheets.prompt(of: id) != .waiting
            }
            let typed = place.studio.checkSheet(id, Array(#"{"values":{"count":"9"}}"#.utf8))
            #expect(Self.text(typed) == #"{"problems":{"count":"Count has to be a number from 1 to 5."}}"#)
            let empty = place.studio.answerSheet(id, Array(#"{"step":1,"values":{"count":"2"}}"#.utf8))
            #expect(Self.text(empty) == #"{"problems":{"key":"Key must be given."}}"#)
            let body = Array(#"{"step":1,"values":{"count":"2","key":"x","other":"y"}}"#.utf8)
            #expect(Self.text(place.studio.answerSheet(id, body)) == #"{"problems":{}}"#)
            #expect(try place.reply(to: app) == .answer(.values(["count": "2", "key": "x"])))
            #expect(place.studio.answerSheet(id, body).status == .conflict, "it is not asked for twice")
            #expect(place.studio.answerSheet("other", body).status == .notFound)
            #expect(place.studio.checkSheet(id, Array("[]".utf8)).status == .badRequest)
        }
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
        let done = Array(#"{"step":1,"finished":true}"#.utf8)
        let begin = Array(#"{"activity":"post"}"#.utf8)
        for (outcome, state) in [
            (SheetOutcome.done, "done"), (.failed("The forum\nis full."), "failed"), (.cancelled, "failed"),
        ] {
            #expect(await place.studio.begin(.share, of: id, begin).status == .accepted)
            guard case .perform(let task, .share("post", nil))? = try place.reply(to: app) else {
                Issue.record("the app was not asked")
                return
            }
            #expect(place.studio.answerSheet(id, done).status == .conflict, "it is not done yet")
            try app.send(.progress(task: task, 0.5))
            try app.send(.performed(task: task, outcome))
            try await wait(for: state) {
                place.studio.sheets.process(at: MonotonicClock.now())
                return !place.studio.sheets.isBusy(id) && place.studio.jobs.count == 0
            }
        }
        #expect(await place.studio.begin(.share, of: id, Array(#"{"activity":"other"}"#.utf8)).status == .badRequest)
        #expect(
            await place.studio.begin(.save, of: id, Array(#"{"name":"a"}"#.utf8)).status == .conflict, "it is saved")
        #expect(await place.studio.begin(.share, of: "other", begin).status == .notFound)
        let answer = await place.studio.begin(.share, of: id, begin)
        let job = try JSONDecoder().decode([String: String].self, from: Data(answer.body))["job"] ?? ""
        guard case .perform(let task, _)? = try place.reply(to: app) else { return }
        #expect(place.studio.jobs.cancel(job))
        #expect(try place.reply(to: app) == .stop(task: task))
        try await wait(for: "the cancellation") { !place.studio.sheets.isBusy(id) }
        #expect(place.studio.answerSheet(id, done).status == .ok)
        #expect(try place.reply(to: app) == .answer(.finished))
    }

    @Test func `what the person has begun is cancelled with the sheet, also while they choose a file`() throws {
        let cancelled = Mutex<[String]>([])
        let sheets = Sheets(cancelJob: { job in cancelled.withLock { $0.append(job) } }, changed: {})
        let (near, farEnd) = try Sheets.Connection.pair()
        defer { try? farEnd.close() }
        #expect(sheets.begin("a", Self.app, near, at: MonotonicClock.now()))
        #expect(sheets.add("ended", to: "a") && sheets.add("open", to: "a") && sheets.isBusy("a"))
        sheets.remove("ended", from: "a")
        sheets.cancel("a")
        #expect(cancelled.withLock { $0 } == ["open"] && !sheets.isBusy("a") && !sheets.add("late", to: "a"))
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
