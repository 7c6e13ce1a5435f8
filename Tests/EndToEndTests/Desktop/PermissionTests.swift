// An app that asks to record: a real engine whose client is this process, a real bus, and a person at its notification server.
import CoreTesting
import DesktopTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineText
import KineWire
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.tags(.real, .programs)) struct PermissionTests {
    private let bus: TestBus
    private let screen: PrivateScreen
    private static let app = AppIdentity(identifier: "org.example.Recorder", name: "Recorder")

    init() throws {
        bus = try TestBus()
        screen = try PrivateScreen(size: PixelSize(width: 320, height: 240))
    }

    private func configuration(_ place: TestPlace, _ change: (inout TakeConfiguration) -> Void = { _ in })
        -> TakeConfiguration
    {
        var configuration = TakeConfiguration(source: .screen(monitor: nil), output: place.path("a.mp4"))
        configuration.audio.app = .none
        configuration.app = Self.app
        change(&configuration)
        return configuration
    }

    private func start(
        _ place: TestPlace, _ change: (inout TakeConfiguration) -> Void = { _ in }, hasDesktop: Bool = true
    ) throws -> EngineUnderTest {
        try EngineUnderTest(
            configuration(place, change), in: place,
            environment: ["DISPLAY=\(screen.name)"] + (hasDesktop ? ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"] : []))
    }

    private func waitForStart(_ engine: EngineUnderTest) throws {
        try engine.wait("the first frame") { if case .started = $0 { true } else { nil } }
    }

    private func expectRefused(_ engine: EngineUnderTest, _ place: TestPlace, _ words: String) throws {
        let ended = try engine.end()
        #expect(ended.exitStatus == ExitStatus.noPermission)
        #expect(ended.failure?.message.contains(words) == true, "\(String(describing: ended.failure))")
        #expect(ended.failure?.summary == nil)
        #expect(access(place.path("a.mp4"), F_OK) != 0, "a refused take makes no file")
    }

    private func question(_ daemon: NotificationDaemon) throws -> NotificationDaemon.Shown {
        try daemon.wait("the question") { $0.actions.contains("allow") }
    }

    @Test func `the person allows it on the desktop, once`() throws {
        try TestPlace.with { place in
            let daemon = try NotificationDaemon(bus)
            let engine = try start(place)
            let question = try question(daemon)
            #expect(question.title == "Recorder asks to record the screen.")
            #expect(question.actions == ["allow", "Allow", "decline", "Deny"])
            #expect(question.text.contains(try #require(ExecutableSearch.own)))
            #expect(access(place.path("a.mp4"), F_OK) != 0, "nothing is captured before the answer")
            daemon.press("allow", of: question.id)
            try waitForStart(engine)
            _ = try daemon.wait("the indicator") { $0.title == "Recorder is recording the screen" }
            #expect(try engine.stop().exitStatus == 0)
            #expect(daemon.shown == [])
            let count = daemon.notifyCount
            let next = try start(place) { $0.overwrite = true }
            try waitForStart(next)
            _ = try daemon.wait("the next indicator") { $0.title == "Recorder is recording the screen" }
            #expect(try next.stop().exitStatus == 0)
            // Its indicator alone.
            #expect(daemon.notifyCount == count + 1)
            let line = try place.run("permissions", "list", "--json").output
            #expect(
                line.contains(#""identifier":"org.example.Recorder","name":"Recorder","screen":"granted""#), "\(line)")
        }
    }

    @Test func `the person denies it: nothing was captured, and the next time it is refused at once`() throws {
        try TestPlace.with { place in
            let daemon = try NotificationDaemon(bus)
            let engine = try start(place)
            daemon.press("decline", of: try question(daemon).id)
            try expectRefused(engine, place, "did not allow it")
            #expect(daemon.shown == [])
            let count = daemon.notifyCount
            try expectRefused(try start(place), place, "--id org.example.Recorder --screen.")
            #expect(daemon.notifyCount == count)
            // Taken back, it is asked again.
            #expect(try place.run("permissions", "revoke", "org.example.Recorder").status == 0)
            let again = try start(place)
            daemon.press("allow", of: try question(daemon).id)
            try waitForStart(again)
            #expect(try again.stop().exitStatus == 0)
        }
    }

    @Test func `a question that is closed is a refusal that is not kept`() throws {
        try TestPlace.with { place in
            let daemon = try NotificationDaemon(bus)
            let engine = try start(place)
            daemon.dismiss(try question(daemon).id)
            try expectRefused(engine, place, "Nobody has answered")
            #expect(try place.run("permissions").output == "")
        }
    }

    @Test func `where nobody can be asked it is refused at once, and can be granted beforehand`() throws {
        try TestPlace.with { place in
            let own = try #require(ExecutableSearch.own)
            try expectRefused(
                try start(place, hasDesktop: false), place, "--id org.example.Recorder --screen beforehand.")
            // A bus on which nobody shows notifications.
            try expectRefused(try start(place), place, "Nobody can be asked here")
            let buttonless = try NotificationDaemon(bus, capabilities: ["body"])
            try expectRefused(try start(place), place, "Nobody can be asked here")
            #expect(buttonless.shown == [])
            let granted = try place.run("permissions", "grant", own, "--id", Self.app.identifier, "--screen")
            #expect(granted.status == 0, "\(granted)")
            let engine = try start(place, hasDesktop: false)
            try waitForStart(engine)
            #expect(try engine.stop().exitStatus == 0)
            // The microphone was not granted, and nothing else is missing.
            let other = place.path("b.mp4")
            let both = try start(
                place, { ($0.audio.microphone, $0.output) = (.defaultDevice, other) }, hasDesktop: false)
            let ended = try both.end()
            #expect(ended.exitStatus == ExitStatus.noPermission)
            let message = ended.failure?.message ?? ""
            #expect(message.contains("whether it may record the microphone;"), "\(message)")
            #expect(message.contains("--id org.example.Recorder --microphone beforehand."), "\(message)")
            #expect(access(other, F_OK) != 0)
        }
    }

    @Test(arguments: [true, false, nil] as [Bool?])
    func `an app with a terminal asks there where there is no desktop, and no answer is a refusal`(answer: Bool?) throws
    {
        try TestPlace.with { place in
            let engine = try start(place, { $0.asksInTerminal = true }, hasDesktop: false)
            let question = try engine.wait("the question") { message -> String? in
                if case .permissionQuestion(let question) = message { question } else { nil }
            }.0
            #expect(question.hasPrefix("Recorder asks to record the screen ("))
            try engine.connection.send(.permissionAnswer(answer))
            guard answer == true else {
                return try expectRefused(engine, place, answer == nil ? "Nobody can be asked here" : "did not allow it")
            }
            try waitForStart(engine)
            #expect(try engine.stop().exitStatus == 0)
        }
    }

    @Test func `an app cannot answer a question that the desktop shows`() throws {
        try TestPlace.with { place in
            let daemon = try NotificationDaemon(bus)
            let engine = try start(place) { $0.asksInTerminal = true }
            let question = try question(daemon)
            for answer in [true, nil, false] { try engine.connection.send(.permissionAnswer(answer)) }
            #expect(try engine.status().phase == .starting)
            #expect(daemon.shown.map(\.id) == [question.id])
            daemon.press("decline", of: question.id)
            try expectRefused(engine, place, "did not allow it")
        }
    }

    @Test func `a server that never answers holds a take up for seconds, not for ever`() throws {
        try TestPlace.with { place in
            let silent = try NotificationDaemon(bus, .silent)
            try expectRefused(try start(place), place, "Nobody can be asked here")
            #expect(silent.shown == [])
        }
    }

    @Test func `a take that is stopped while the person is asked ends, and the question with it`() throws {
        try TestPlace.with { place in
            let daemon = try NotificationDaemon(bus)
            let engine = try start(place)
            _ = try question(daemon)
            _ = try engine.stop()
            #expect(daemon.shown == [])
            #expect(access(place.path("a.mp4"), F_OK) != 0)
        }
    }

    @Test func `a microphone that is turned on later is asked for then, and stays off where it is denied`() throws {
        try TestPlace.with { place in
            let daemon = try NotificationDaemon(bus)
            let engine = try start(place) {
                $0.source = .virtual(PixelSize(width: 320, height: 240))
                $0.audio.microphone = .defaultDevice
                $0.audio.isMicrophoneOff = true
            }
            try waitForStart(engine)
            #expect(daemon.shown == [], "a private screen asks nobody")
            // The second comes while the person is asked for the first.
            let (first, second) = (
                try engine.send(.setMicrophone(on: true)), try engine.send(.setMicrophone(on: true))
            )
            let busy = #expect(throws: Refusal.self) { try engine.answer(to: second).get() }
            #expect(busy?.message.contains("is being asked already") == true)
            let question = try question(daemon)
            #expect(question.title == "Recorder asks to record the microphone.")
            daemon.press("decline", of: question.id)
            let refusal = #expect(throws: Refusal.self) { try engine.answer(to: first).get() }
            #expect(refusal?.code == .notPermitted && refusal?.message.contains("microphone") == true)
            #expect(try engine.stop().exitStatus == 0)
        }
    }

    @Test func `kinecast, typed by a person, does not ask`() throws {
        try TestPlace.with { place in
            let daemon = try NotificationDaemon(bus)
            let recorder = try place.start(
                ["record", "--audio", "none", "--no-indicator", "--json", "a.mp4"],
                ["DISPLAY=\(screen.name)", "DBUS_SESSION_BUS_ADDRESS=\(bus.address)"])
            try recorder.recorded(0.2)
            recorder.signal(SIGINT)
            #expect(try recorder.wait().status == 0)
            #expect(daemon.notifyCount == 0)
        }
    }

    @Test func `another program sees a take of the screen only where a person allows it`() throws {
        try TestPlace.with { place in
            let recorder = try place.start(
                ["record", "--audio", "none", "--json", "a.mp4"], ["DISPLAY=\(screen.name)"])
            let id = try recorder.event("started").id
            let record = try #require(try place.registry().list().running.first { $0.id == id })
            // Nor does it decide what is shown.
            let other = try place.registry().connect(to: record)
            let answer = try other.ask(.switchSource(.screen(monitor: nil)))
            guard case .failure(let reason) = answer else {
                Issue.record("\(String(describing: answer))")
                return
            }
            #expect(reason.code == .notPermitted && reason.message.contains("kinecast permissions grant"))
            func ask() throws -> Result<EngineReply, Refusal>? {
                let client = try place.registry().connect(to: record)
                let request = SampleRequest(video: .encoded(codec: .h264, keyframeInterval: nil))
                return try client.ask(.receiveSamples(request))
            }
            guard case .failure(let refusal) = try ask() else {
                Issue.record("it was not refused")
                return
            }
            let own = try #require(ExecutableSearch.own)
            #expect(
                refusal.message.hasSuffix("run kinecast permissions grant \(own.shellWord) --screen beforehand."),
                "\(refusal)")
            #expect(try place.run("permissions", "grant", own, "--screen").status == 0)
            #expect(try ask() == .success(.done))
            recorder.signal(SIGINT)
            #expect(try recorder.wait().status == 0)
        }
    }

    @Test func `another program turns the microphone of a take on only where a person allows it`() throws {
        try TestPlace.with { place in
            let engine = try start(place) {
                $0.source = .virtual(PixelSize(width: 320, height: 240))
                $0.audio.microphone = .defaultDevice
                $0.audio.isMicrophoneOff = true
            }
            try waitForStart(engine)
            let record = try #require(try place.registry().list().running.first)
            let client = try place.registry().connect(to: record)
            let answer = try client.ask(.setMicrophone(on: true))
            guard case .failure(let refusal) = answer else {
                Issue.record("\(String(describing: answer))")
                return
            }
            #expect(refusal.code == .notPermitted && refusal.message.contains("kinecast permissions grant"))
            #expect(try engine.stop().exitStatus == 0)
        }
    }

    @Test func `a program that says nothing of itself is asked for by its executable, and shows the indicator`() throws
    {
        try TestPlace.with { place in
            let daemon = try NotificationDaemon(bus)
            let engine = try start(place) { ($0.app, $0.isIndicated) = (nil, false) }
            let question = try question(daemon)
            #expect(question.title.hasSuffix(" asks to record the screen."))
            daemon.press("allow", of: question.id)
            try waitForStart(engine)
            _ = try daemon.wait("the indicator") { $0.title.hasSuffix("xctest is recording the screen") }
            #expect(try engine.stop().exitStatus == 0)
        }
    }
}
