// Handlers as in an extension's process: with a real socket, real shared memory and their own thread.
import Glibc
import KineMedia
import KineRings
import KineWire
import KinecastExtension
import KinecastExtensionTesting
import Synchronization
import Testing

@Suite @BroadcastActor struct BroadcastTests {
    @Test func `callbacks come in order, one at a time, on one thread that is not the main thread`() async throws {
        let feed = RehearsalFeed(appAudio: .pcm, micAudio: .aac)
        let rehearsal = try ExtensionRehearsal(RecordingHandler.self, feed: feed)
        try await rehearsal.start(setupInfo: ["url": "a", "sleep": "yes"])
        try await rehearsal.sendFrames(2)
        try await rehearsal.sendAudio(.audioApp, duration: .seconds(0.02))
        try await rehearsal.sendAudio(.audioMic, duration: .seconds(0.02))
        try await rehearsal.pause()
        try await rehearsal.resume()
        try await rehearsal.annotate(["title": "b"])
        try await rehearsal.sendFrames(1)
        #expect(await rehearsal.finish() == .finished)
        #expect(
            rehearsal.handler.calls == [
                "started a", "video", "video", "audioApp", "audioMic", "paused", "resumed", "annotated b", "video",
                "finished",
            ])
        #expect(!rehearsal.handler.hasOverlapped)
        #expect(rehearsal.handler.threads.count == 1)
        let main = await MainActor.run { UInt(pthread_self()) }
        #expect(!rehearsal.handler.threads.contains(main))
    }

    @Test func `a broadcast that does not start ends with its sentence`() async throws {
        let rehearsal = try ExtensionRehearsal(RecordingHandler.self)
        await #expect(throws: ExtensionRehearsal<RecordingHandler>.Error.failed(Refusal().description)) {
            try await rehearsal.start(setupInfo: ["refuse": "yes"])
        }
        #expect(rehearsal.handler.calls == ["started "])
    }

    /// Ends the broadcast at the third sample, from another thread.
    final class Quitter: RecordingHandler {
        override func processSampleBuffer(
            _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
        ) async {
            await super.processSampleBuffer(sampleBuffer, with: sampleBufferType)
            guard calls.count == 4 else { return }
            await Task.detached { self.finishBroadcastWithError(Refusal()) }.value
            finishBroadcastWithError(Refusal(description: "not told"))
        }
    }

    @Test func `a handler that has failed is not called any more`() async throws {
        let rehearsal = try ExtensionRehearsal(Quitter.self)
        try await rehearsal.start()
        await #expect(throws: ExtensionRehearsal<Quitter>.Error.failed(Refusal().description)) {
            try await rehearsal.sendFrames(10)
        }
        #expect(await rehearsal.finish() == .failed(Refusal().description))
        #expect(rehearsal.handler.calls == ["started ", "video", "video", "video"])
    }

    /// Asks for less before the engine has said whether it understands that, and again afterwards.
    final class Miser: RecordingHandler {
        required init() {
            super.init()
            requestEncoding(averageBitrate: 900_000)
        }

        override func processSampleBuffer(
            _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
        ) async {
            await super.processSampleBuffer(sampleBuffer, with: sampleBufferType)
            switch calls.count {
            case 2, 3: requestEncoding(averageBitrate: -5, maximumFrameRate: 10)
            case 4: requestEncoding()
            default: break
            }
        }
    }

    @Test func `a handler's encoding request is sent when it changes`() async throws {
        let rehearsal = try ExtensionRehearsal(
            Miser.self, feed: RehearsalFeed(video: .encoded(PixelSize(width: 64, height: 48))))
        try await rehearsal.start()
        try await rehearsal.sendFrames(4)
        #expect(await rehearsal.finish() == .finished)
        let wishes = rehearsal.reports.compactMap { report -> EncodingRequest? in
            if case .encoding(let request) = report { return request }
            return nil
        }
        #expect(
            wishes == [
                EncodingRequest(averageBitrate: 900_000), EncodingRequest(averageBitrate: 1, maximumFrameRate: 10),
                .none,
            ])
    }

    @Test func `a handler without encoded frames sends no encoding request`() async throws {
        let rehearsal = try ExtensionRehearsal(Miser.self)
        try await rehearsal.start()
        try await rehearsal.sendFrames(4)
        #expect(await rehearsal.finish() == .finished)
        #expect(!rehearsal.reports.contains { if case .encoding = $0 { true } else { false } })
    }

    final class Caller: RecordingHandler {
        override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
            report(isLive: false)
            report(isLive: false)
            try await super.broadcastStarted(withSetupInfo: setupInfo)
        }

        override func processSampleBuffer(
            _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
        ) async {
            await super.processSampleBuffer(sampleBuffer, with: sampleBufferType)
            switch calls.count {
            case 2: report(isLive: false, reason: "The port is closed.")
            case 3: report(isLive: false)
            case 4, 5: report(isLive: true)
            default: report(isLive: false)
            }
        }
    }

    @Test func `whether a broadcast arrives is reported before the start ends, and when it changes`()
        async throws
    {
        let rehearsal = try ExtensionRehearsal(Caller.self)
        try await rehearsal.start()
        try await rehearsal.sendFrames(6)
        #expect(await rehearsal.finish() == .finished)
        #expect(
            rehearsal.reports.prefix(5) == [
                .live(false, reason: nil), .started, .live(false, reason: "The port is closed."),
                .live(true, reason: nil), .live(false, reason: nil),
            ])
    }

    @Test func `the broadcast finishes when the engine dies`() async throws {
        let rehearsal = try ExtensionRehearsal(RecordingHandler.self)
        try await rehearsal.start()
        try await rehearsal.sendFrames(1)
        await rehearsal.engineDies()
        #expect(rehearsal.handler.calls == ["started ", "video", "finished"])
    }

    final class Sluggard: RecordingHandler {
        override func broadcastFinished() async {
            await super.broadcastFinished()
            // Longer than any machine needs to notice the end of 50 ms.
            try? await Task.sleep(for: .seconds(600))
        }
    }

    @Test func `finishing takes only its time`() async throws {
        let rehearsal = try ExtensionRehearsal(Sluggard.self)
        try await rehearsal.start()
        #expect(await rehearsal.finish(timeout: .seconds(0.05)) == .endedByForce)
        #expect(rehearsal.handler.calls.last == "finished")
    }

    final class Talker: BroadcastSampleHandler {
        private(set) var known: BroadcastContext?
        override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
            known = context
            announce(link: "http://127.0.0.1:1/")
            report(state: "connected")
            warn("The key expires today; make another.")
            requestKeyframe()
            viewers = 2
            addSentBytes(5)
        }
    }

    @Test func `a handler's reports reach the engine, and it knows the formats`() async throws {
        var feed = RehearsalFeed(
            video: .encoded(PixelSize(width: 64, height: 48)), appAudio: .aac, micAudio: .pcm)
        feed.framesPerSecond = 25
        let rehearsal = try ExtensionRehearsal(Talker.self, feed: feed)
        try await rehearsal.start()
        #expect(
            rehearsal.reports == [
                .links(BroadcastLinks(page: "http://127.0.0.1:1/")), .state("connected"),
                .warning("The key expires today; make another."),
                .needsKeyframe, .started,
            ])
        let context = try #require(rehearsal.handler.known)
        #expect(context.framesPerSecond == 25)
        guard case .encoded(let format) = context.video else {
            Issue.record("no encoded pictures")
            return
        }
        #expect(format.size == PixelSize(width: 64, height: 48))
        guard case .aac(let track) = context.audioApp else {
            Issue.record("no AAC")
            return
        }
        #expect(track.configuration == [0x11, 0x90])
        #expect(context.audioMic == .pcm(sampleRate: 48000, channels: 2))
    }
}
