// Samples in the app's own hands, from a real engine with a private screen.
import CoreTesting
import KineClient
import KineMeasure
import KineMedia
import KinePlatform
import KineRings
import KineWire
import Synchronization
import Testing

@testable import Kinecast

@Suite(.tags(.real)) struct CaptureTests {
    private static let size = PixelSize(width: 320, height: 240)
    private let engine: TestEngine
    private let recorder: ScreenRecorder

    init() throws {
        engine = try TestEngine(granting: [.microphone], to: "org.example.Tests")
        recorder = ScreenRecorder(app: AppIdentity(identifier: "org.example.Tests"), locator: engine.locator)
        recorder.scope = .virtual(Self.size)
    }

    /// What a handler was lent.
    private final class Lent: Sendable {
        let formats = Monitor<[SampleBufferType: SampleFormat]>([:])

        func wait(for count: Int) -> [SampleBufferType: SampleFormat]? {
            formats.wait(until: WaitLimit.deadline()) { $0.count == count ? $0 : nil }
        }
    }

    @Test func `a handler is lent frames and the app's audio, and no file is written`() async throws {
        let lent = Lent()
        let start = try await recorder.startCapture { sample, type in
            lent.formats.signal { $0[type] = sample.format }
            if type == .video {
                let matches = sample.withPixels { $0.visibleSize == Self.size && $0.format == .i420 }
                #expect(matches == true)
            } else {
                #expect(sample.byteCount > 0)
            }
        }
        #expect(recorder.isRecording)
        #expect(
            lent.wait(for: 2) == [
                .video: .raw(.i420, size: Self.size), .audioApp: .pcm(sampleRate: 48000, channels: 2),
            ])
        // The microphone's samples come while it is on.
        recorder.isMicrophoneEnabled = true
        #expect(lent.wait(for: 3)?[.audioMic] == .pcm(sampleRate: 48000, channels: 2))
        let record = try #require(try await KnownTakes.list().running.first { $0.id == start.take })
        #expect(record.output == nil)
        // A capture is no recording.
        let error = await #expect(throws: RecordingError.self) { try await recorder.stopRecording() }
        #expect(error?.code == .notRecording)
        try await recorder.stopCapture()
        #expect(!recorder.isRecording)
    }

    @Test func `the camera of a recording is previewed as it sees, whichever it is, until the preview ends`()
        async throws
    {
        let previewed = Monitor(0)
        let frames = PixelSize(width: 160, height: 120)
        try await recorder.startCapture { _, _ in }
        let preview = try await recorder.previewCamera(fitting: frames) { sample, type in
            let isCamera = sample.withPixels { pixels in
                pixels.visibleSize == frames && pixels.format == .bgra
            }
            #expect(type == .video && isCamera == true)
            previewed.signal { $0 += 1 }
        }
        recorder.camera = Camera(device: "pattern", layout: CameraLayout(shape: .circle, isMirrored: true))
        let deadline = WaitLimit.deadline()
        #expect(previewed.wait(until: deadline) { $0 >= 5 ? true : nil } == true)
        recorder.camera?.layout.x = 0
        let before = previewed.withLock { $0 }
        #expect(previewed.wait(until: deadline) { $0 >= before + 5 ? true : nil } == true)
        preview.stop()
        // Another one can follow.
        let second = try await recorder.previewCamera(fitting: frames) { _, _ in previewed.signal { $0 += 1 } }
        let stopped = previewed.withLock { $0 }
        #expect(previewed.wait(until: deadline) { $0 >= stopped + 5 ? true : nil } == true)
        second.stop()
        try await recorder.stopCapture()
        let error = await #expect(throws: RecordingError.self) { _ = try await recorder.previewCamera { _, _ in } }
        #expect(error?.code == .notRecording)
    }

    @Test func `a capture's levels come until it ends`() async throws {
        try await recorder.startCapture { _, _ in }
        var levels = try await recorder.audioLevels().makeAsyncIterator()
        // Nothing plays on the private screen.
        let first = await levels.next()
        #expect(first?.app == 0)
        try await recorder.stopCapture()
        while await levels.next() != nil {}
        let error = await #expect(throws: RecordingError.self) { _ = try await recorder.audioLevels() }
        #expect(error?.code == .notRecording)
    }

    @Test func `a loop can read a sample until it asks for the next`() async throws {
        var earlier: CapturedSample?
        var count = 0
        for await sample in try await recorder.startCapture() {
            if let earlier {
                let error = #expect(throws: RecordingError.self) { try earlier.withSample { _ in } }
                #expect(error?.code == .sampleIsGone)
            }
            #expect(try sample.withSample { $0.type } == sample.type)
            earlier = sample
            count += 1
            if count == 5 { try await recorder.stopCapture() }
        }
        #expect(count >= 5)
    }

    @Test func `a loop that is cancelled ends, and the capture can be stopped`() async throws {
        let samples = try await recorder.startCapture()
        let loop = Task { for await _ in samples {} }
        loop.cancel()
        await loop.value
        try await recorder.stopCapture()
    }

    @Test func `a client that came later gets the samples it asks for, scaled, beside the recording`() async throws {
        let folder = try TemporaryDirectory()
        let configuration = TakeConfiguration(
            source: .pattern(Self.size), output: folder.file("a.mp4"))
        let engine = EngineLocator(named: try Tool.sibling("kinecast-engine"))
        let owner = try await EngineSession.start(configuration, locator: engine)
        var take: TakeStarted?
        for await event in owner.events {
            guard case .engine(.started(let started)) = event else { continue }
            take = started
            break
        }
        let guest = try await EngineSession.attach(to: try #require(take).id)
        let small = PixelSize(width: 160, height: 120)
        let request = SampleRequest(
            video: .raw(pixelFormat: .nv12, maximumSize: small, framesPerSecond: nil), appAudio: .aac)
        let lent = Lent()
        let ended = Monitor(false)
        try FeedReader.start(try await guest.receiveSamples(request), thread: "capture") { sample, type in
            lent.formats.signal { $0[type] = sample.format }
        } ended: {
            ended.signal { $0 = true }
        }
        let formats = try #require(lent.wait(for: 2))
        #expect(formats[.video] == .raw(.nv12, size: small))
        guard case .aac = formats[.audioApp] else {
            Issue.record("The audio is not AAC.")
            return
        }
        let again = await #expect(throws: ClientError.self) { try await guest.receiveSamples(request) }
        let isRefused = if case .refused? = again { true } else { false }
        #expect(isRefused)
        guard case .finished = try await owner.stop() else {
            Issue.record("The take was not finished.")
            return
        }
        #expect(ended.wait(until: WaitLimit.deadline()) { $0 ? true : nil } == true)
    }
}
