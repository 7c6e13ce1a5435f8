import KineMedia
import KinePlatform
import KineRings
import KineServices
import KineWire
// Drives a handler in a test as an engine does: through the real shared memory, the real control channel and the
// handler's own thread, but in the test's process and without a display, an audio device or an encoder.
import KinecastExtension
import SystemPackage

/// A broadcast with a test's handler.
///
///     let rehearsal = try await ExtensionRehearsal(Uploader.self)
///     try await rehearsal.start(setupInfo: ["url": "https://…"])
///     try await rehearsal.sendFrames(30)
///     #expect(await rehearsal.finish() == .finished)
///
/// Each method returns when the handler has handled everything that was sent. The rehearsal runs on `BroadcastActor`,
/// like handlers: a test with that attribute can read `handler` directly. A blocked handler blocks the test.
@BroadcastActor
public final class ExtensionRehearsal<Handler: BroadcastSampleHandler> {
    public enum Error: Swift.Error, Sendable, Equatable, CustomStringConvertible {
        /// The shared memory or the socket cannot be created. With the error's sentence.
        case cannotBegin(String)
        /// The handler ended the broadcast, or could not start it. With its sentence.
        case failed(String)
        /// The handler exceeded the time for this step.
        case notInTime(String)

        public nonisolated var description: String {
            switch self {
            case .cannotBegin(let sentence), .failed(let sentence): sentence
            case .notInTime(let what): "The handler did not \(what) in time; let it return sooner."
            }
        }
    }

    public enum Ending: Sendable, Equatable {
        /// `broadcastFinished` has returned in time.
        case finished
        /// `finishBroadcastWithError` was called. With the handler's sentence.
        case failed(String)
        /// `broadcastFinished` has not returned in time; an engine would end the process.
        case endedByForce
    }

    public let handler: Handler
    /// The handler's reports in order: links, states, warnings, requests for keyframes, start and end. Without
    /// heartbeats and statistics, which depend on the clock.
    public private(set) var reports: [ExtensionReport] = []

    private let feed: RehearsalFeed
    private let sender: StreamSender
    private let frames: FrameMemory?
    private let engine: SupervisorConnection
    private let engineWake: WakePoint
    private let runner: BroadcastRunner
    private var encoded: PatternStream?
    private var free: FrameSlots = []
    private var framesSent = 0
    private var audioSent: [SampleType: Int] = [:]

    /// Creates a handler, and the memory and socket that connect it.
    public init(_ type: Handler.Type = Handler.self, feed: RehearsalFeed = RehearsalFeed()) throws(Error) {
        self.feed = feed
        var layout: FrameSlotLayout?
        switch feed.video {
        case .raw(let format, let size):
            layout = FrameSlotLayout(pixelFormat: format, visibleSize: size, slotCount: 3)
            free = [0, 1, 2]
        case .encoded(let size): encoded = PatternStream(size: size)
        case nil: break
        }
        let session: BroadcastSession
        do {
            frames = try layout.map { try FrameMemory(layout: $0) }
            sender = try StreamSender(
                video: encoded != nil, frames: layout, sampleRingBytes: feed.sampleRingBytes)
            let ends = try SupervisorConnection.pair()
            engine = ends.near
            session = try BroadcastSession(adopting: ends.farEnd)
        } catch {
            throw .cannotBegin("\(error)")
        }
        engineWake = WakePoint(descriptor: engine.descriptor.rawValue)
        handler = type.init()
        let runner = BroadcastRunner(handler: handler, session: session)
        self.runner = runner
        _ = DedicatedThread(name: "control") {
            var loop = ControlLoop(session)
            loop.run()
        }
        Task { @BroadcastActor in await runner.run() }
    }

    /// Starts the broadcast, and returns when `broadcastStarted` has. Throws if that threw, or took longer than `timeout`.
    public func start(setupInfo: [String: String] = [:], timeout: Duration = .seconds(30)) async throws(Error) {
        let start = ExtensionStart(
            service: "rehearsal", setupInfo: setupInfo,
            stream: StreamDescription(
                framesPerSecond: feed.framesPerSecond,
                video: encoded.map { StreamDescription.EncodedVideo($0.format) }, frames: frames?.layout,
                audio: feed.audio, sampleRingBytes: sender.sampleRingBytes), memoryLimit: ServiceManifest.memoryLimit)
        try send(.start(start), descriptors: sender.descriptors + (frames.map { [$0.descriptor] } ?? []))
        switch await wait(for: .started, timeout: timeout) {
        case .finished: return
        case .failed(let sentence): throw .failed(sentence)
        case .endedByForce: throw .notInTime("return from broadcastStarted")
        }
    }

    /// Sends `count` frames of a moving pattern, each after the handler has handled the previous one. Encoded frames
    /// have a keyframe at the start and every second.
    public func sendFrames(_ count: Int = 1) async throws(Error) {
        for _ in 0..<count {
            let number = framesSent
            if encoded != nil {
                let isKeyframe = number % max(1, feed.framesPerSecond) == 0 || sender.consumeKeyframeRequest()
                let data = encoded?.next(isKeyframe: isKeyframe) ?? []
                framesSent += 1
                try await send(
                    EncodedSample(
                        type: .video, presentationTime: time(ofFrame: number), duration: frameDuration,
                        isKeyframe: isKeyframe, data: data))
            } else {
                try await sendFrame { $0.drawPattern(number) }
            }
        }
    }

    /// Sends an uncompressed frame, which `draw` draws over an old one. `damage`: the parts that differ from the
    /// previous frame; nil: all.
    public func sendFrame(
        at time: MediaTime? = nil, damage: [PixelRect]? = nil, orientation: Orientation = .up,
        draw: (RehearsalFrame) -> Void
    ) async throws(Error) {
        guard let frames else { return }
        do throws(StreamSender.Error) {
            for slot in try sender.reclaim() { free.insert(slot) }
            guard let slot = free.first(where: { _ in true }) else { return }
            draw(RehearsalFrame(layout: frames.layout, base: frames.slot(slot)))
            var region = DamageRegion(size: frames.layout.size)
            if let damage { for rect in damage { region.insert(rect) } } else { region.insertAll() }
            free.remove(slot)
            let freed = try sender.offer(
                slot: slot, at: time ?? self.time(ofFrame: framesSent), duration: frameDuration, damage: region,
                orientation: orientation)
            for slot in freed { free.insert(slot) }
        } catch {
            throw .failed(error.description)
        }
        framesSent += 1
        try await settle()
    }

    /// Sends audio of this length in the feed's format, at least one piece of it.
    public func sendAudio(_ type: SampleBufferType, duration length: Duration) async throws(Error) {
        guard let audio = feed.audio.first(where: { $0.type == type }) else { return }
        let block = RehearsalFeed.samplesPerAccessUnit
        let duration = MediaTime(ticks: Int64(block), timescale: Int32(RehearsalFeed.sampleRate))
        for _ in 0..<max(1, Int(MediaTime(length).seconds * Double(RehearsalFeed.sampleRate) / Double(block))) {
            let first = audioSent[type, default: 0]
            audioSent[type] = first + block
            let time = MediaTime(ticks: Int64(first), timescale: Int32(RehearsalFeed.sampleRate))
            if audio.codec == .aac {
                try await send(
                    EncodedSample(
                        type: type, presentationTime: time, duration: duration, isKeyframe: true,
                        data: RehearsalFeed.silence))
            } else {
                // A triangle wave of 375 Hz (128 samples) with an amplitude of a half.
                let wave = (0..<block * RehearsalFeed.channels).map { index in
                    abs(Float((first + index / RehearsalFeed.channels) % 128) - 64) / 64 - 0.5
                }
                wave.withUnsafeBufferPointer {
                    sender.sendAudio(type: type, interleaved: $0, at: time, duration: duration)
                }
                try await settle()
            }
        }
    }

    /// Sends an access unit that the test provides. With a format, a keyframe begins frames of that format.
    public func send(_ sample: EncodedSample) async throws(Error) {
        sender.send(sample, after: sample.format.map { StreamDescription.EncodedVideo($0) })
        try await settle()
    }

    public func pause() async throws(Error) { try await pass(.pause(after: sender.position)) }

    public func resume() async throws(Error) { try await pass(.resume(after: sender.position)) }

    public func annotate(_ applicationInfo: [String: String]) async throws(Error) {
        try await pass(.annotate(applicationInfo, after: sender.position))
    }

    /// Reports the recorded screen as locked or unlocked.
    public func screenLocked(_ isLocked: Bool) async throws(Error) {
        try await pass(.screenLocked(isLocked, after: sender.position))
    }

    /// Ends the broadcast as an engine does: `broadcastFinished` may take as long as `timeout`.
    public func finish(timeout: Duration = .seconds(5)) async -> Ending {
        // Sending fails if the handler has ended the broadcast; `wait` detects that.
        try? send(.finish(after: sender.position, seconds: MediaTime(timeout).seconds))
        return await wait(for: .finished, timeout: timeout)
    }

    /// Closes the engine's end as if the engine had died, and returns when the handler has handled everything.
    public func engineDies() async {
        engine.close()
        while !runner.hasEnded { await runner.settle() }
    }

    private var frameDuration: MediaTime { time(ofFrame: 1) }

    private func time(ofFrame number: Int) -> MediaTime {
        MediaTime(ticks: Int64(number), timescale: Int32(max(1, feed.framesPerSecond)))
    }

    /// Waits until the handler has handled everything. Throws if it has ended the broadcast.
    private func settle() async throws(Error) {
        await runner.settle()
        collect()
        if let failure { throw .failed(failure) }
    }

    /// Sends a request, and waits until the handler has handled it.
    private func pass(_ request: ExtensionRequest) async throws(Error) {
        try send(request)
        try await settle()
    }

    private func send(_ request: ExtensionRequest, descriptors: [FileDescriptor] = []) throws(Error) {
        do {
            try engine.send(request, descriptors: descriptors)
        } catch {
            collect()
            throw failure.map { .failed($0) } ?? .cannotBegin(error.description)
        }
    }

    private func collect() {
        guard let arrived = try? engine.readAvailable() else { return }
        for report in arrived {
            switch report {
            case .heartbeat, .statistics: break
            default: reports.append(report)
            }
        }
    }

    /// The handler's sentence if it has failed.
    private var failure: String? {
        for case .failed(let sentence, _) in reports { return sentence }
        return nil
    }

    /// Waits for a report, which may already be there. Returns `.finished` once it is.
    private func wait(for report: ExtensionReport, timeout: Duration) async -> Ending {
        let deadline = MonotonicClock.now() + MediaTime(timeout).nanoseconds
        while true {
            collect()
            if reports.contains(report) { return .finished }
            if let failure { return .failed(failure) }
            guard !engine.isClosed, MonotonicClock.now() < deadline else { return .endedByForce }
            await engineWake.wait(until: deadline)
        }
    }
}
