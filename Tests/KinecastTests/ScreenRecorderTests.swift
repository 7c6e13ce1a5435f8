// An app's recorder with a real engine and a private screen.
import CoreTesting
import FoundationEssentials
import Glibc
import KineClient
import KineMeasure
import KineMedia
import KineWire
import Testing

@testable import Kinecast

@Suite(.tags(.real)) struct ScreenRecorderTests {
    private let folder: TemporaryDirectory
    private let engine: TestEngine
    private let recorder: ScreenRecorder
    private static let app = AppIdentity(identifier: "org.example.Tests", name: "Tests")

    init() throws {
        folder = try TemporaryDirectory()
        engine = try TestEngine(granting: [.microphone], to: Self.app.identifier)
        recorder = ScreenRecorder(
            app: Self.app, locator: engine.locator,
            store: RecordingStore(directory: URL(filePath: folder.file("recordings"))))
        recorder.scope = .virtual(PixelSize(width: 320, height: 240))
    }

    private func files() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.file("recordings"))) ?? []
    }

    /// What the delegate is told of an end.
    private final class Delegate: ScreenRecorderDelegate {
        let stops: AsyncStream<(RecordingPreview?, RecordingError?)>
        private let continuation: AsyncStream<(RecordingPreview?, RecordingError?)>.Continuation

        init() { (stops, continuation) = AsyncStream.makeStream() }

        func screenRecorder(
            _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: RecordingError?
        ) {
            continuation.yield((preview, error))
        }
    }

    /// A part of an app's user interface, with ReplayKit's method as apps have it.
    @MainActor private final class InterfaceDelegate: ScreenRecorderDelegate {
        let calls: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation

        init() { (calls, continuation) = AsyncStream.makeStream() }

        func screenRecorder(
            _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: (any Error)?
        ) {
            MainActor.assertIsolated()
            continuation.yield("ReplayKit's \(preview == nil ? "without" : "with") a preview")
        }

        func screenRecorder(
            _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: RecordingError?
        ) async {
            MainActor.assertIsolated()
            continuation.yield("Kinecast's \(preview == nil ? "without" : "with") a preview")
        }

        func screenRecorder(_ screenRecorder: ScreenRecorder, didStopClipBufferingWith error: RecordingError?) {}
        func screenRecorderDidChangeAvailability(_ screenRecorder: ScreenRecorder) {}
        func screenRecorder(_ screenRecorder: ScreenRecorder, didChangeScreenLock isLocked: Bool) {}
    }

    @Test func `another part is shown while a recording runs, in the same size`() async throws {
        let none = await #expect(throws: RecordingError.self) { try await recorder.switchScope(to: .screen) }
        #expect(none?.code == .notRecording)
        try await recorder.startRecording()
        try await recorder.switchScope(to: .region(PixelRect(x: 10, y: 20, width: 160, height: 100)))
        for (scope, words) in [
            (CaptureScope.virtual(PixelSize(width: 64, height: 64)), "cannot show “Private screen 64×64”"),
            (.windowTitled("Nothing"), "No window of this display has \"Nothing\""),
            (.windowTitled(""), "title"), (.focusedWindow, "focus"),
        ] {
            let error = await #expect(throws: RecordingError.self) { try await recorder.switchScope(to: scope) }
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        }
        try await recorder.switchScope(to: .screen)
        let preview = try await recorder.stopRecording()
        #expect(try RecordedVideo(path: try #require(preview.url).path).size == PixelSize(width: 320, height: 240))
        #expect(recorder.scope == .virtual(PixelSize(width: 320, height: 240)))
    }

    @Test(arguments: [0, 5, 20, 80, 300])
    func `a start that is cancelled leaves no take behind, though it was to outlive the app`(milliseconds: Int)
        async throws
    {
        let recorder = recorder
        let start = Task { try await recorder.startRecording(outlivesApp: true) }
        try await Task.sleep(for: .milliseconds(milliseconds))
        start.cancel()
        // It may have begun before.
        if case .success = await start.result { try await recorder.discardRecording() }
        try await wait(for: "the take's end") { try await KnownTakes.list().running.isEmpty }
        #expect(!recorder.isRecording && files() == [])
    }

    @Test func `a recording is started, seen in the registry as the app's, and stopped`() async throws {
        #expect(await recorder.isAvailable)
        let start = try await recorder.startRecording()
        #expect(recorder.isRecording)
        #expect(start.size == PixelSize(width: 320, height: 240))
        #expect(start.environment.contains { $0.hasPrefix("DISPLAY=") })
        let record = try #require(try await KnownTakes.list().running.first { $0.id == start.take })
        #expect(record.app == Self.app)
        let preview = try await recorder.stopRecording()
        #expect(!recorder.isRecording)
        #expect(preview.size == start.size)
        #expect(try RecordedVideo(path: try #require(preview.url).path).size == start.size)
        try await preview.save(to: URL(filePath: folder.file("kept.mp4")))
        #expect(files() == [])
    }

    @Test func `wrong use is a typed error, and the recorder works on`() async throws {
        let idle = await #expect(throws: RecordingError.self) { try await recorder.stopRecording() }
        #expect(idle?.code == .notRecording)
        try await recorder.startRecording()
        let twice = await #expect(throws: RecordingError.self) { try await recorder.startRecording() }
        #expect(twice?.code == .alreadyRecording)
        let unpaused = await #expect(throws: RecordingError.self) { try await recorder.resumeRecording() }
        #expect(unpaused?.message == "The take is not paused; pause it first.")
        try await recorder.discardRecording()
        #expect(files() == [])
        recorder.framesPerSecond = 0
        let impossible = await #expect(throws: RecordingError.self) { try await recorder.startRecording() }
        #expect(impossible?.code == .invalidParameter)
        recorder.framesPerSecond = 30
        recorder.scope = .ownWindow
        let windowless = await #expect(throws: RecordingError.self) { try await recorder.startRecording() }
        #expect(windowless?.code == .noWindow)
        #expect(!recorder.isRecording)
        recorder.scope = .virtual(PixelSize(width: 320, height: 240))
        try await recorder.startRecording()
        let saved = URL(filePath: folder.file("saved.mp4"))
        try await recorder.stopRecording(to: saved)
        #expect(FileManager.default.fileExists(atPath: saved.path))
    }

    @Test func `an app's errors name no option of the command line`() async throws {
        let engine = try TestEngine(
            granting: [.screen], to: Self.app.identifier, environment: ["DISPLAY=", "WAYLAND_DISPLAY="])
        let recorder = ScreenRecorder(app: Self.app, locator: engine.locator, store: recorder.store)
        recorder.scope = .screen
        let error = await #expect(throws: RecordingError.self) { try await recorder.startRecording() }
        #expect(
            error?.message
                == "There is no display: DISPLAY is not set. Run inside a graphical session, or record a virtual screen."
        )
        #expect(error?.code == .unavailable)
        for alternative in Alternative.allCases {
            let failure = TakeFailure(exitStatus: 69, message: "It is not there; make it.", alternative: alternative)
            let message = RecordingError(failure, hasBegun: false).message
            #expect(message.hasPrefix("It is not there; make it") && message.hasSuffix(".") && !message.contains("--"))
        }
    }

    @Test func `a place that cannot be written leaves the preview in the error`() async throws {
        try await recorder.startRecording()
        let error = await #expect(throws: RecordingError.self) {
            try await recorder.stopRecording(to: URL(filePath: folder.file("nowhere/a.mp4")))
        }
        #expect(error?.code == .failedToSave)
        let kept = try #require(error?.preview?.url)
        #expect(FileManager.default.fileExists(atPath: kept.path))
    }

    @Test func `a take that somebody else stops is told with its preview`() async throws {
        let delegate = await InterfaceDelegate()
        recorder.delegate = delegate
        let start = try await recorder.startRecording()
        let events = recorder.events
        _ = try await EngineSession.attach(to: start.take).stop()
        for await event in events {
            guard case .stopped(let preview, let error) = event else { continue }
            #expect(error == nil)
            #expect(preview?.url != nil)
            break
        }
        var calls = delegate.calls.makeAsyncIterator()
        #expect(await calls.next() == "Kinecast's with a preview")
        #expect(await calls.next() == "ReplayKit's with a preview")
        #expect(!recorder.isRecording)
    }

    @Test func `a microphone that is turned on where there is none is an event, and the recording goes on`()
        async throws
    {
        try await recorder.startRecording()
        let events = recorder.events
        recorder.isMicrophoneEnabled = true
        for await event in events {
            guard case .warning(let sentence) = event else { continue }
            #expect(sentence.contains("microphone") && !sentence.contains("allow"))
            break
        }
        _ = try await recorder.stopRecording()
    }

    @Test func `a recording begins without the microphone that it wants where there is none, and warns`() async throws {
        let events = recorder.events
        recorder.isMicrophoneEnabled = true
        try await recorder.startRecording()
        for await event in events {
            guard case .warning(let sentence) = event else { continue }
            #expect(sentence == "The audio server has no microphone; plug one in, or record without it.")
            break
        }
        _ = try await recorder.stopRecording()
    }

    @Test func `a camera that does not exist is refused in a sentence, before the recording and in it`() async throws {
        recorder.enableCamera()
        #expect(recorder.isCameraEnabled)
        recorder.camera?.device = "No such camera"
        let error = await #expect(throws: RecordingError.self) { try await recorder.startRecording() }
        #expect(error?.description.hasPrefix("There is no camera called No such camera") == true)
        recorder.enableCamera(false)
        #expect(recorder.camera == nil)
        let events = recorder.events
        try await recorder.startRecording()
        recorder.camera = Camera(device: "No such camera")
        for await event in events {
            guard case .warning(let sentence) = event else { continue }
            #expect(sentence.hasPrefix("There is no camera called No such camera"))
            break
        }
        #expect(!recorder.isCameraEnabled)
        _ = try await recorder.stopRecording()
    }

    @Test func `an engine that is killed is told with a file that plays`() async throws {
        let delegate = Delegate()
        recorder.delegate = delegate
        let start = try await recorder.startRecording()
        let record = try #require(try await KnownTakes.list().running.first { $0.id == start.take })
        // Until something of it is in the file.
        try await wait(for: "a byte of the file") {
            (try? await EngineSession.attach(to: record.id).status())?.progress.bytes ?? 0 > 0
        }
        kill(record.pid, SIGKILL)
        for await (preview, error) in delegate.stops {
            #expect(error?.code == .engineDied)
            #expect(try RecordedVideo(path: try #require(preview?.url).path).size == start.size)
            break
        }
        #expect(try await KnownTakes.list().dead.allSatisfy { $0.id != start.take })
    }
}
