// Requests and their answers in an extension's process, with the test in its engine's place, and in an app without an engine.
import CoreTesting
import KineRings
import KineWire
import Synchronization
import SystemPackage
import Testing

@testable import KinecastExchange

@Suite struct DesktopChannelTests {
    /// The engine at the other end of a link.
    private final class Engine: Sendable {
        let link = EngineLink()
        let channel: DesktopChannel
        private let received = Mutex<[DesktopRequest]>([])

        init() {
            channel = DesktopChannel(link: link)
            link.connect { [weak self] report in
                if case .desktop(let request) = report { self?.received.withLock { $0.append(request) } }
            }
            let start = ExtensionStart(
                service: "a", setupInfo: [:],
                stream: StreamDescription(
                    framesPerSecond: 1, video: nil, frames: nil, audio: [],
                    sampleRingBytes: 65536), memoryLimit: 1 << 20)
            link.started(start)
        }

        var requests: [DesktopRequest] { received.withLock { $0 } }

        func answer(_ answer: DesktopAnswer) { link.received(.desktop(answer), descriptors: []) }

        func wait(for count: Int) async throws {
            try await CoreTesting.wait(for: "\(count) requests") { requests.count == count }
        }
    }

    @Test func `each request gets the answer with its number, in whatever order they come`() async throws {
        let engine = Engine()
        async let first: Void = LocalNotification(identifier: "a", title: "1").post(engine.channel)
        try await engine.wait(for: 1)
        async let second = HostApp.activate(engine.channel)
        try await engine.wait(for: 2)
        let numbers = engine.requests.map(\.number)
        engine.answer(.failed(DesktopFailure(.personTold, "m"), number: numbers[1]))
        engine.answer(.done(number: 99))
        engine.answer(.failed(DesktopFailure(.tooMany, "Wait."), number: numbers[0]))
        #expect(try await second == .personTold)
        do {
            try await first
            #expect(Bool(false), "it was refused")
        } catch {
            #expect((error as? LocalNotification.Error)?.code == .tooMany)
            #expect("\(error)" == "Wait.")
        }
    }

    @Test func `an engine that has not started the broadcast is not asked`() async throws {
        let early = EngineLink()
        early.connect { _ in }
        let none = await #expect(throws: HostApp.Error.self) { try await HostApp.activate(DesktopChannel(link: early)) }
        #expect(none?.code == .unavailable)
    }

    @Test func `long texts go one after the other`() async throws {
        let engine = Engine()
        async let first: Void = Pasteboard(group: "g").setText("1", engine.channel)
        try await engine.wait(for: 1)
        async let second = Pasteboard(group: "g").text(engine.channel)
        async let post: Void = LocalNotification(title: "a").post(engine.channel)
        try await engine.wait(for: 2)
        guard case .post = engine.requests[1].task else { return #expect(Bool(false), "the text did not wait") }
        engine.answer(.done(number: engine.requests[0].number))
        try await engine.wait(for: 3)
        #expect(engine.requests[2].task == .text(group: "g"))
        engine.answer(.text(PasteboardText("2"), number: engine.requests[2].number))
        engine.answer(.done(number: engine.requests[1].number))
        #expect(try await second == "2")
        try await first
        try await post
    }

    @Test func `clicks go to everyone who listens`() async throws {
        let engine = Engine()
        let clicks = LocalNotification.activations(engine.channel)
        async let post: Void = LocalNotification(identifier: "a", title: "a").post(engine.channel)
        try await engine.wait(for: 1)
        engine.answer(.done(number: engine.requests[0].number))
        try await post
        engine.answer(.activated(NotificationActivation(identifier: "a", action: "b", payload: ["c": "d"], token: "t")))
        for await click in clicks {
            #expect(click.identifier == "a" && click.action == "b" && click.payload == ["c": "d"])
            #expect(click.activationToken == "t")
            break
        }
    }

    @Test func `an app without an engine is told so each time, and is no extension`() async throws {
        let channel = DesktopChannel(link: EngineLink(), locator: EngineLocator(named: "/nowhere"))
        for _ in 0..<2 {
            let error = await #expect(throws: LocalNotification.Error.self) {
                try await LocalNotification(title: "a").post(channel)
            }
            #expect(error?.code == .unavailable && error?.description.contains("/nowhere") == true)
        }
        let broken = DesktopChannel(link: EngineLink(), locator: EngineLocator(named: "/bin/false"))
        let failed = await #expect(throws: Pasteboard.Error.self) { try await Pasteboard(group: "g").text(broken) }
        #expect(failed?.code == .failed)
        let error = await #expect(throws: HostApp.Error.self) { try await HostApp.activate(channel) }
        #expect(error?.code == .onlyInExtensions)
        let long = String(repeating: "a", count: Pasteboard.textLimit + 1)
        let tooLong = await #expect(throws: Pasteboard.Error.self) {
            try await Pasteboard(group: "g").setText(long, channel)
        }
        #expect(tooLong?.code == .tooLong)
    }
}
