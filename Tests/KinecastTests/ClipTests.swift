// An app that keeps its last moments, with real engines and private screens.
import CoreTesting
import FoundationEssentials
import Glibc
import KineClient
import KineMeasure
import KineMedia
import KineTakes
import KineWire
import Testing

@testable import Kinecast

@Suite(.tags(.real)) struct ClipTests {
    private let folder: TemporaryDirectory
    private let recorder: ScreenRecorder

    init() throws {
        folder = try TemporaryDirectory()
        recorder = ScreenRecorder(
            app: AppIdentity(identifier: "org.example.Clips", name: "Clips"),
            locator: EngineLocator(named: try Tool.sibling("kinecast-engine")),
            store: RecordingStore(directory: URL(filePath: folder.file("recordings"))))
        recorder.scope = .virtual(PixelSize(width: 320, height: 240))
    }

    private func url(_ name: String) -> URL { URL(filePath: folder.file(name)) }

    private func record(of take: String) async throws -> TakeRecord {
        try #require(try await KnownTakes.list().running.first { $0.id == take })
    }

    /// Waits until the take has that much of recorded time.
    private func wait(_ seconds: Double, of take: String) async throws {
        let session = try await EngineSession.attach(to: take)
        try await CoreTesting.wait(for: "\(seconds) s") {
            try await session.status().progress.duration.seconds >= seconds
        }
    }

    @Test func `clips are saved again and again while the buffer goes on, and a still screen has its full length`()
        async throws
    {
        #expect(!recorder.isClipBuffering)
        let start = try await recorder.startClipBuffering(.seconds(10))
        #expect(recorder.isClipBuffering && !recorder.isRecording)
        #expect(start.size == PixelSize(width: 320, height: 240))
        #expect(try await record(of: start.take).clipBuffer == .seconds(10))
        try await wait(3.5, of: start.take)
        // Nothing moves on the private screen: the clip begins when it was asked to.
        let clip = try await recorder.exportClip(to: url("a.mp4"), duration: .seconds(3))
        #expect(clip.duration == .seconds(3) && clip.beginning == .asAsked && clip.url.path == url("a.mp4").path)
        #expect(clip.start >= .seconds(0.5))
        let video = try RecordedVideo(path: clip.url.path)
        #expect(video.size == start.size && abs(video.duration - 3) < 0.001)
        let all = try await recorder.exportClip(to: url("b.mp4"), duration: .seconds(1000))
        guard case .later(let missing) = all.beginning else {
            Issue.record("\(all)")
            return
        }
        #expect(all.duration + missing == .seconds(1000))
        try await recorder.stopClipBuffering()
        #expect(!recorder.isClipBuffering)
        try await CoreTesting.wait(for: "the take's end") {
            !(try await KnownTakes.list().running.contains { $0.id == start.take })
        }
    }

    @Test func `wrong use is a typed error, and the buffer goes on`() async throws {
        let idle = await #expect(throws: RecordingError.self) { try await recorder.exportClip(to: url("a.mp4")) }
        #expect(idle?.code == .notBuffering)
        let never = await #expect(throws: RecordingError.self) { try await recorder.stopClipBuffering() }
        #expect(never?.code == .notBuffering)
        for length in [Duration.zero, .seconds(-1), .seconds(1801), .seconds(1e12)] {
            let error = await #expect(throws: RecordingError.self) { try await recorder.startClipBuffering(length) }
            #expect(error?.code == .invalidParameter)
        }
        let start = try await recorder.startClipBuffering()
        let twice = await #expect(throws: RecordingError.self) { try await recorder.startClipBuffering() }
        #expect(twice?.code == .alreadyBuffering)
        let web = try #require(URL(string: "https://example.org/a.mp4"))
        for (url, duration, code) in [
            (web, nil, RecordingError.Code.invalidParameter), (url("a.mp4"), .zero, .invalidParameter),
            (url("nowhere/a.mp4"), .seconds(1), .failedToSave),
        ] as [(URL, Duration?, RecordingError.Code)] {
            let error = await #expect(throws: RecordingError.self) {
                try await recorder.exportClip(to: url, duration: duration)
            }
            #expect(error?.code == code)
        }
        _ = try await recorder.exportClip(to: url("a.mp4"))
        let exists = await #expect(throws: RecordingError.self) { try await recorder.exportClip(to: url("a.mp4")) }
        #expect(exists?.code == .failedToSave)
        _ = try await recorder.exportClip(to: url("a.mp4"), replacing: true)
        #expect(try await record(of: start.take).id == start.take)
        try await recorder.stopClipBuffering()
    }

    @Test func `of many clips at the same moment one is written at a time, and the others are refused`() async throws {
        let start = try await recorder.startClipBuffering()
        try await wait(1, of: start.take)
        let results = await withTaskGroup(of: Result<Clip, RecordingError>.self) { group in
            for number in 0..<20 {
                group.addTask {
                    do throws(RecordingError) {
                        return .success(try await recorder.exportClip(to: url("\(number).mp4")))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let failures = results.compactMap { if case .failure(let error) = $0 { error.code } else { nil } }
        // Those that begin while another is being written; on a slow machine none may.
        #expect(Set(failures).isSubset(of: [.exportInProgress]) && failures.count < 20)
        try await recorder.stopClipBuffering()
    }

    @Test func `a recording that was started with a buffer gives clips too`() async throws {
        recorder.recordingClipBuffer = .seconds(5)
        let start = try await recorder.startRecording()
        try await wait(1, of: start.take)
        let clip = try await recorder.exportClip(to: url("a.mp4"), duration: .seconds(0.5))
        #expect(clip.duration >= .seconds(0.5))
        #expect(try await recorder.stopRecording().url != nil)
        recorder.recordingClipBuffer = nil
        try await recorder.startRecording()
        let error = await #expect(throws: RecordingError.self) { try await recorder.exportClip(to: url("b.mp4")) }
        #expect(error?.code == .notBuffering)
        try await recorder.discardRecording()
    }

    @Test func `a buffer whose engine dies, or that somebody stops, is told as an event`() async throws {
        let events = recorder.events
        let first = try await recorder.startClipBuffering()
        kill(try await record(of: first.take).pid, SIGKILL)
        for await event in events {
            guard case .clipBufferingStopped(let error) = event else { continue }
            #expect(error?.code == .engineDied)
            break
        }
        #expect(!recorder.isClipBuffering)
        let second = try await recorder.startClipBuffering()
        let later = recorder.events
        _ = try await EngineSession.attach(to: second.take).stop()
        for await event in later {
            guard case .clipBufferingStopped(let error) = event else { continue }
            #expect(error == nil)
            break
        }
        #expect(!recorder.isClipBuffering)
    }
}
