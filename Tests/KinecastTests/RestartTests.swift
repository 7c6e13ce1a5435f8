// An app that runs again finds what its earlier process recorded.
import CoreTesting
import FoundationEssentials
import KineClient
import KineMeasure
import KineMedia
import KineWire
import Testing

@testable import Kinecast

@Suite(.tags(.real)) struct RestartTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// A recorder as a process of the app makes it.
    private func recorder() throws -> ScreenRecorder {
        let recorder = ScreenRecorder(
            app: AppIdentity(identifier: "org.example.Restart"),
            locator: EngineLocator(named: try Tool.sibling("kinecast-engine")),
            store: RecordingStore(directory: URL(filePath: folder.file("recordings"))))
        recorder.scope = .virtual(PixelSize(width: 320, height: 240))
        return recorder
    }

    /// The process is gone: its connection ends, and nobody asks for anything more.
    private func endProcess(of recorder: ScreenRecorder) {
        recorder.contents.withLock { contents in
            if case .recording(let active) = contents.state { active.session.close() }
        }
    }

    @Test func `a recording that outlives its app is taken up, paused and stopped by the next process`() async throws {
        let first = try recorder()
        let start = try await first.startRecording(outlivesApp: true)
        endProcess(of: first)
        let second = try recorder()
        #expect(try await second.unsavedRecordings().isEmpty, "it is still being written")
        #expect(try await second.resumeControl()?.take == start.take)
        #expect(second.isRecording)
        let twice = await #expect(throws: RecordingError.self) { try await second.resumeControl() }
        #expect(twice?.code == .alreadyRecording)
        try await second.pauseRecording()
        try await second.resumeRecording()
        #expect(try await second.mark("Second half") > .zero)
        let preview = try await second.stopRecording()
        #expect(preview.size == start.size)
        #expect(try RecordedVideo(path: try #require(preview.url).path).size == start.size)
    }
}
