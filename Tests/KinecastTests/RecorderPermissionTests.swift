// An app's recorder that has to be allowed first, by a person at a notification server.
import CoreTesting
import DesktopTesting
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import Kinecast

@Suite(.tags(.real)) struct RecorderPermissionTests {
    private static let app = AppIdentity(identifier: "org.example.Asking", name: "Asking")
    private let bus: TestBus
    private let daemon: NotificationDaemon
    private let screen: PrivateScreen
    private let engine: TestEngine
    private let folder: TemporaryDirectory
    private let recorder: ScreenRecorder

    init() throws {
        bus = try TestBus()
        daemon = try NotificationDaemon(bus)
        screen = try PrivateScreen(size: PixelSize(width: 320, height: 240))
        engine = try TestEngine(
            to: Self.app.identifier,
            environment: ["DISPLAY=\(screen.name)", "DBUS_SESSION_BUS_ADDRESS=\(bus.address)"])
        folder = try TemporaryDirectory()
        recorder = ScreenRecorder(
            app: Self.app, locator: engine.locator,
            store: RecordingStore(directory: URL(filePath: folder.file("recordings"))))
        recorder.scope = .screen
    }

    /// Answers the question when it comes.
    private func answer(_ key: String) throws -> DedicatedThread {
        let daemon = daemon
        return try DedicatedThread(starting: "person") {
            let question = try? daemon.wait("the question") { $0.actions.contains(key) }
            if let question { daemon.press(key, of: question.id) }
        }
    }

    @Test func `what the person denies is userDeclined, and leaves no file`() async throws {
        let person = try answer("decline")
        let error = await #expect(throws: RecordingError.self) { try await recorder.startRecording() }
        person.join()
        #expect(error?.code == .userDeclined)
        #expect(!recorder.isRecording)
        #expect(((try? FileManager.default.contentsOfDirectory(atPath: folder.file("recordings"))) ?? []).isEmpty)
        #expect(try engine.store.list().first?.screen == .declined)
    }

    @Test func `a recording that begins while the screen is locked says so before its start returns`() async throws {
        let saver = try TestScreenSaver(bus)
        saver.activate(true)
        let person = try answer("allow")
        var locks = recorder.events.compactMap { if case .screenLocked(let isLocked) = $0 { isLocked } else { nil } }
            .makeAsyncIterator()
        try await recorder.startRecording()
        person.join()
        #expect(recorder.isPaused)
        #expect(await locks.next() == true)
        saver.activate(false)
        #expect(await locks.next() == false)
        try await wait(for: "the recording to go on") { !recorder.isPaused }
        try await recorder.pauseRecording()
        #expect(recorder.isPaused)
        try await recorder.resumeRecording()
        #expect(!recorder.isPaused)
        try await recorder.discardRecording()
        #expect(!recorder.isPaused)
    }

    @Test func `what the person allows begins, and is ended by them with an error of its own`() async throws {
        let person = try answer("allow")
        try await recorder.startRecording()
        person.join()
        let events = recorder.events
        let indicator = try daemon.wait("the indicator") { $0.title == "Asking is recording the screen" }
        daemon.press("stop", of: indicator.id)
        for await event in events {
            guard case .stopped(let preview, let error) = event else { continue }
            #expect(error?.code == .userStopped)
            #expect(preview?.url != nil)
            break
        }
        #expect(!recorder.isRecording)
    }

    @Test func `a microphone that the person denies is off again, with a sentence`() async throws {
        recorder.scope = .virtual(PixelSize(width: 320, height: 240))
        try await recorder.startRecording()
        let events = recorder.events
        let person = try answer("decline")
        recorder.isMicrophoneEnabled = true
        for await event in events {
            guard case .warning(let sentence) = event else { continue }
            #expect(sentence.contains("did not allow"))
            break
        }
        person.join()
        #expect(!recorder.isMicrophoneEnabled)
        try await recorder.discardRecording()
    }
}
