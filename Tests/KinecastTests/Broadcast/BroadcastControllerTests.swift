// Broadcasts with real engines and extensions: the built-in services, and one with fields of every type.
import CoreTesting
import FoundationEssentials
import Glibc
import KineClient
import KineMeasure
import KinePlatform
import ProcessTesting
import Synchronization
import SystemPackage
import Testing

@testable import Kinecast

@Suite(.tags(.real, .extensions)) struct BroadcastControllerTests {
    private let place: BroadcastPlace

    init() throws { place = try BroadcastPlace() }

    @Test func `a broadcast to the live page is started, paused, resumed and finished`() async throws {
        let controller = try await place.controller(service: "live")
        #expect(!controller.isBroadcasting && controller.extensionIdentifier == "live")
        try await controller.startBroadcast(countdown: 0)
        #expect(controller.isBroadcasting && !controller.isPaused)
        let take = try #require(controller.take)
        #expect(try await place.takes().map(\.id) == [take])
        #expect(controller.environment.contains { $0.hasPrefix("DISPLAY=") })
        #expect(controller.broadcastURL?.scheme == "http")
        try await controller.pauseBroadcast()
        #expect(controller.isPaused && controller.isBroadcasting)
        try await controller.pauseBroadcast()
        try await controller.resumeBroadcast()
        #expect(!controller.isPaused)
        let (events, infos) = (controller.events, controller.serviceInfoUpdates)
        #expect(try await controller.finishBroadcast() == nil)
        #expect(!controller.isBroadcasting)
        #expect(await Self.all(events).last == .finished(preview: nil, error: nil))
        #expect(await Self.all(infos) == [])
        try await place.waitForNoTake()
    }

    /// Everything that a sequence gives until it ends.
    private static func all<Element: Sendable>(_ sequence: AsyncStream<Element>) async -> [Element] {
        await sequence.reduce(into: []) { $0.append($1) }
    }

    /// What the delegate is told, on the main actor, with ReplayKit's method as apps have it.
    @MainActor private final class Delegate: BroadcastControllerDelegate {
        nonisolated let told = Monitor<[String]>([])

        func broadcastController(
            _ broadcastController: BroadcastController, didUpdateServiceInfo serviceInfo: [String: String]
        ) {
            told.signal { $0.append("info \(serviceInfo)") }
        }

        func broadcastController(_ broadcastController: BroadcastController, didUpdateBroadcast broadcastURL: URL) {
            told.signal { $0.append("url \(broadcastURL.absoluteString)") }
        }

        func broadcastController(
            _ broadcastController: BroadcastController, didFinishWith preview: RecordingPreview?, error: BroadcastError?
        ) {
            told.signal { $0.append("finished \(error?.code.rawValue ?? "well")") }
        }

        func broadcastController(_ broadcastController: BroadcastController, didFinishWithError error: (any Error)?) {
            let words = (error as? BroadcastError)?.code.rawValue ?? "well"
            told.signal { $0.append("finished in ReplayKit's form \(words)") }
        }

        nonisolated init() {}

        nonisolated func wait(for words: String) -> Bool {
            told.wait(until: WaitLimit.deadline()) { $0.contains(words) ? true : nil } ?? false
        }
    }

    @Test func `what a service says reaches the app: its address, its information and their changes`() async throws {
        let delegate = Delegate()
        let controller = try await place.controller(["link": "https://example.org/watch", "info": "blue"])
        controller.delegate = delegate
        let updates = controller.serviceInfoUpdates
        try await controller.startBroadcast(countdown: 0)
        #expect(await updates.first { $0["room"] } == "blue")
        #expect(controller.serviceInfo == ["room": "blue"])
        #expect(delegate.wait(for: "url https://example.org/watch") && delegate.wait(for: #"info ["room": "blue"]"#))
        #expect(controller.broadcastURL?.absoluteString == "https://example.org/watch")
        _ = try await EngineSession.attach(to: controller.take).stop()
        #expect(delegate.wait(for: "finished well") && delegate.wait(for: "finished in ReplayKit's form well"))
        #expect(!controller.isBroadcasting)
    }

    @Test func `one take makes a broadcast and a recording`() async throws {
        let controller = try await place.controller()
        let file = URL(filePath: place.folder.file("beside.mp4"))
        try await controller.startBroadcast(recordingTo: file, countdown: 0)
        #expect(try await place.takes().map(\.output) == [file.path])
        try await wait(for: "a byte of the file") {
            let take = try #require(try await place.takes().first)
            return (try? await EngineSession.attach(to: take.id).status())?.progress.bytes ?? 0 > 0
        }
        let preview = try #require(try await controller.finishBroadcast())
        #expect(preview.url == file)
        // The app chose its name, so it is the person's.
        try await preview.save(to: URL(filePath: place.folder.file("copy.mp4")))
        try await preview.discard()
        #expect(FileManager.default.fileExists(atPath: file.path))
        #expect(try RecordedVideo(path: file.path).size == PixelSize(width: 320, height: 240))
        // A file that is there already is not replaced unasked.
        let again = await #expect(throws: BroadcastError.self) {
            try await controller.startBroadcast(recordingTo: file, countdown: 0)
        }
        #expect(
            again?.message == "\(file.path) exists already: choose another name, or let it be replaced."
                && again?.code == .failedToSave)
        // A sequence that was made after the first broadcast has the events of the second one.
        let events = controller.events
        try await controller.startBroadcast(recordingTo: file, replacing: true, countdown: 0)
        let second = try await controller.finishBroadcast()
        #expect(await Self.all(events).last == .finished(preview: second, error: nil))
    }

    @Test func `an RTMP destination that is added to a recording gets what its server expects`() async throws {
        let server = try SlowRTMPServer(speed: 1_000_000_000)
        let recorder = ScreenRecorder(
            app: place.app, locator: place.locator,
            store: RecordingStore(directory: URL(filePath: place.folder.file("recordings"))))
        recorder.scope = .virtual(PixelSize(width: 320, height: 240))
        let session = try await EngineSession.attach(to: try await recorder.startRecording().take)
        let setup = try BroadcastSetup(
            try await place.service("rtmp"), values: ["url": "rtmp://127.0.0.1:\(server.port)/live/hush-hush-key"])
        let number = try await session.addDestination(setup.destination)
        try await wait(for: "media") { server.state.withLock { $0.media.count } >= 5 }
        #expect(try await session.status().destinations.map(\.label) == ["RTMP (127.0.0.1:\(server.port)/live)"])
        #expect(try await session.removeDestination(number) == .finished)
        try await wait(for: "the end of the stream") { server.state.withLock(\.isOver) }
        #expect(server.state.withLock(\.violation) == nil)
        let preview = try await recorder.stopRecording()
        #expect(try RecordedVideo(path: try #require(preview.url).path).size == PixelSize(width: 320, height: 240))
    }

    @Test func `a recording and a broadcast that are asked for apart are two takes`() async throws {
        let recorder = ScreenRecorder(
            app: place.app, locator: place.locator,
            store: RecordingStore(directory: URL(filePath: place.folder.file("recordings"))))
        recorder.scope = .virtual(PixelSize(width: 320, height: 240))
        let controller = try await place.controller()
        let recording = try await recorder.startRecording()
        try await controller.startBroadcast(countdown: 0)
        let takes = try await place.takes().map(\.id).sorted()
        #expect(takes == [recording.take, try #require(controller.take)].sorted())
        #expect(try await BroadcastController.find(app: place.app).map(\.take) == [controller.take])
        try await controller.finishBroadcast()
        #expect(recorder.isRecording)
        try await recorder.discardRecording()
    }

    @Test func `a start that fails leaves no file, and the next one can have its name`() async throws {
        let file = URL(filePath: place.folder.file("beside.mp4"))
        let refused = try await place.controller(["fail": "The key is wrong; get another."])
        let first = await #expect(throws: BroadcastError.self) {
            try await refused.startBroadcast(recordingTo: file, countdown: 0)
        }
        #expect(first?.code == .serviceFailed && first?.preview == nil && !refused.isBroadcasting)
        #expect(first?.message.contains("The key is wrong; get another") == true)
        try await place.waitForNoTake()
        #expect(!FileManager.default.fileExists(atPath: file.path))
        let controller = try await place.controller()
        try await controller.startBroadcast(recordingTo: file, countdown: 0)
        try await controller.finishBroadcast()
        // One that is to be replaced is there until something is recorded, which is the error's preview.
        try place.write("older", to: "beside.mp4")
        let second = await #expect(throws: BroadcastError.self) {
            try await refused.startBroadcast(recordingTo: file, replacing: true, countdown: 0)
        }
        let isOlder = FileManager.default.contents(atPath: file.path) == Data("older".utf8)
        #expect(isOlder ? second?.preview == nil : second?.preview?.url == file)
    }

    @Test func `after its extension has crashed a broadcast can be started again`() async throws {
        let controller = try await place.controller(["crash": "1"])
        let error = await #expect(throws: BroadcastError.self) { try await controller.startBroadcast(countdown: 0) }
        #expect(error?.code == .serviceFailed && error?.message.contains("crashed") == true)
        try await controller.startBroadcast(countdown: 0)
        #expect(controller.isBroadcasting)
        try await controller.finishBroadcast()
    }

    @Test func `a server that does not answer is told, and does not hold up the start`() async throws {
        // Nobody listens on a port that was just given back.
        let controller = try await place.controller(["url": "rtmp://127.0.0.1:9/live/hush-hush-key"], service: "rtmp")
        let events = controller.events
        try await controller.startBroadcast(countdown: 0)
        #expect(controller.isBroadcasting)
        let problem = try #require(controller.destinations.first?.problem)
        #expect(!problem.contains("hush-hush-key"))
        let error = await #expect(throws: BroadcastError.self) { try await controller.finishBroadcast() }
        #expect(error?.code == .serviceFailed && error?.message.contains("never live") == true)
        withExtendedLifetime(events) {}
    }

    /// A part of an app's user interface, which cancels the countdown at its second second.
    @MainActor private final class Canceller: BroadcastPresenter {
        nonisolated let shown = Mutex<[Int]>([])
        nonisolated let closings = Mutex(0)

        nonisolated init() {}

        func chooseService(_ request: BroadcastRequest) async throws(BroadcastError) -> BroadcastChoice {
            throw .cancelled
        }
        func fillIn(_ form: BroadcastForm) async throws(BroadcastError) -> [String: String] { [:] }
        func showCountdown(_ secondsLeft: Int, cancel: @escaping @Sendable () -> Void) {
            shown.withLock { $0.append(secondsLeft) }
            if secondsLeft == 2 { cancel() }
        }
        func close() { closings.withLock { $0 += 1 } }
    }

    @Test func `a countdown can be cancelled, and the broadcast started later`() async throws {
        let presenter = Canceller()
        let controller = try await place.controller(presenter: presenter)
        let error = await #expect(throws: BroadcastError.self) { try await controller.startBroadcast() }
        #expect(error?.code == .cancelled)
        #expect(presenter.shown.withLock { $0 } == [3, 2] && presenter.closings.withLock { $0 } == 1)
        try await place.waitForNoTake()
        try await controller.startBroadcast(countdown: 1)
        #expect(controller.isBroadcasting)
        try await controller.finishBroadcast()
    }

    @Test func `a countdown is told second by second, and a cancelled task ends it`() async throws {
        let controller = try await place.controller(second: { try await Task.sleep(for: .seconds(100_000)) })
        let events = controller.events
        let start = Task { try await controller.startBroadcast() }
        #expect(await events.first { $0 == .countdown(3) ? true : nil } == true)
        let twice = await #expect(throws: BroadcastError.self) { try await controller.startBroadcast() }
        #expect(twice?.code == .alreadyBroadcasting)
        start.cancel()
        let error = await #expect(throws: BroadcastError.self) { try await start.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `wrong use is a typed error`() async throws {
        let controller = try await place.controller()
        for call in [controller.pauseBroadcast, controller.resumeBroadcast] {
            let error = await #expect(throws: BroadcastError.self) { try await call() }
            #expect(error?.code == .notBroadcasting)
        }
        let unstarted = await #expect(throws: BroadcastError.self) { try await controller.finishBroadcast() }
        #expect(unstarted?.code == .notBroadcasting)
        let relative = await #expect(throws: BroadcastError.self) {
            try await controller.startBroadcast(recordingTo: URL(string: "https://example.org/a.mp4"), countdown: 0)
        }
        #expect(relative?.code == .failedToSave)
        try await controller.startBroadcast(countdown: 0)
        let twice = await #expect(throws: BroadcastError.self) { try await controller.startBroadcast(countdown: 0) }
        #expect(twice?.code == .alreadyBroadcasting && controller.isBroadcasting)
        try await controller.finishBroadcast()
        controller.scope = .ownWindow
        let windowless = await #expect(throws: BroadcastError.self) {
            try await controller.startBroadcast(countdown: 0)
        }
        #expect(windowless?.code == .noWindow && !controller.isBroadcasting)
    }

    @Test func `a further service is added to a broadcast and removed from it`() async throws {
        let controller = try await place.controller()
        try await controller.startBroadcast(countdown: 0)
        let live = try BroadcastSetup(try await place.service("live"))
        let number = try await controller.add(live)
        #expect(number == 1 && controller.destinations.map(\.service) == ["witness", "live"])
        try await controller.remove(number)
        #expect(controller.destinations.last?.ending != nil && controller.isBroadcasting)
        let last = await #expect(throws: BroadcastError.self) { try await controller.remove(0) }
        #expect(last?.message.contains("last destination") == true)
        try await controller.finishBroadcast()
    }

    @Test func `an engine that is killed is told`() async throws {
        let delegate = Delegate()
        let controller = try await place.controller()
        controller.delegate = delegate
        let events = controller.events
        try await controller.startBroadcast(countdown: 0)
        kill(try #require(try await place.takes().first).pid, SIGKILL)
        #expect(delegate.wait(for: "finished engineDied"))
        #expect(delegate.wait(for: "finished in ReplayKit's form engineDied"))
        guard case .finished(_, let error)? = await Self.all(events).last else {
            Issue.record("The events end with another one.")
            return
        }
        #expect(error?.code == .engineDied)
        #expect(!controller.isBroadcasting)
    }

    @Test func `a controller that is released leaves its broadcast, which is found again`() async throws {
        var controller: BroadcastController? = try await place.controller(["link": "https://example.org/watch"])
        try await controller?.startBroadcast(countdown: 0)
        try await controller?.pauseBroadcast()
        let take = controller?.take
        controller = nil
        let found = try #require(try await BroadcastController.find(app: place.app).first)
        #expect(found.take == take && found.isBroadcasting && found.isPaused)
        #expect(found.extensionIdentifier == "witness")
        #expect(found.broadcastURL?.absoluteString == "https://example.org/watch")
        let anew = await #expect(throws: BroadcastError.self) { try await found.startBroadcast() }
        #expect(anew?.code == .unavailable)
        try await found.resumeBroadcast()
        try await found.finishBroadcast()
        try await place.waitForNoTake()
        #expect(try await BroadcastController.find(app: place.app).isEmpty)
    }
}
