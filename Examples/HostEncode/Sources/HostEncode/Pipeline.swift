// From a sample to the server: fitted, encoded, published, and shown if wanted.
import KineCodecs
import KineMedia
import KinePublish
import KineRTMP
import KinecastExchange
import Synchronization

/// Works on the receiver's thread. A frame is encoded while it is lent, which takes a few milliseconds; samples wait only in the
/// publisher, which drops frames where the network is slow.
final class Pipeline<Encoder: VideoEncoder>: Sendable {
    /// The parts that one thread at a time may use.
    private struct Work {
        let encoder: Encoder
        let portrait = PortraitFrame()
        var audio: AudioTrack
        var timeline = OutputTimeline()
        var lastFrame: MediaTime?
        var lastKeyframe: MediaTime?
        var problems: Set<String> = []
        var isStarted = false
        var isFinished = false
    }

    private struct Counts {
        /// Frames with a time of their own that could be drawn.
        var drawn = 0
        var encoded = 0
        /// Frames that were received and not encoded.
        var skipped = 0
    }

    private let work: Mutex<Work>
    private let counts = Mutex(Counts())
    private let feedback: Feedback
    private let publisher: RTMPPublisher
    private let preview: Preview?
    private let changed = DamageRegion.full(size: PortraitFrame.size)

    /// From one keyframe to the next, at most: a viewer who joins waits so long.
    private static var keyframeInterval: MediaTime { .seconds(2) }

    /// `failed` is called when the publisher gives up for good.
    init(_ options: Options, failed: @escaping @Sendable (String) -> Void) throws {
        // Opened with a peak, so that its bitrate can follow the network.
        let encoder = try Encoder(
            VideoEncoderSettings(
                size: PortraitFrame.size, rateControl: .averageBitrate(Options.bitrate),
                peak: .init(bitrate: Options.bitrate), nominalFrameRate: Options.framesPerSecond,
                usesMacroblockInfo: false),
            continuing: nil)
        // Both encoders know them from the start.
        guard case .h264(let sets) = encoder.format?.parameterSets else {
            throw VideoEncoderError.cannotOpen(Encoder.codec, PortraitFrame.size)
        }
        let audio = try AudioTrack()
        let format = RTMPStreamFormat(
            video: .init(
                VideoFormat(parameterSets: .h264(sets), size: PortraitFrame.size),
                framesPerSecond: Double(Options.framesPerSecond), bitrate: Options.bitrate),
            audio: audio.format)
        let feedback = Feedback(failed: failed)
        self.feedback = feedback
        publisher = RTMPPublisher(try RTMPSettings(setupInfo: ["url": options.address]), format: format) {
            feedback.handle($0)
        }
        preview = options.showsWindow ? try Preview(sets, size: PortraitFrame.size) : nil
        work = Mutex(Work(encoder: encoder, audio: audio))
        if options.showsWindow, preview == nil { say("no window: DISPLAY names no X display that takes BGRX") }
    }

    /// So that a viewer sees at once what comes after a gap.
    func requestKeyframe() { feedback.requestKeyframe() }

    /// The receiver's handler.
    func receive(_ sample: borrowing SampleBuffer, _ type: SampleBufferType) {
        work.withLock { work in
            guard !work.isFinished else { return }
            do {
                switch type {
                case .video: try receive(frame: sample, &work)
                case .audioApp: try receive(audio: sample, &work)
                case .audioMic: break
                }
            } catch {
                complain("\(error)", &work)
            }
        }
    }

    private func receive(frame sample: borrowing SampleBuffer, _ work: inout Work) throws {
        var isEncoded = false
        defer { if !isEncoded { counts.withLock { $0.skipped += 1 } } }
        let time = work.timeline.output(of: sample.presentationTime, now: .now)
        // An extension that was started again begins with the newest frame, which may be the one before its end.
        guard work.lastFrame.map({ time > $0 }) ?? true else { return }
        guard sample.orientation == .up else {
            let orientation = sample.orientation.rawValue
            return complain("A frame has the orientation \(orientation), and this app turns none.", &work)
        }
        guard sample.withPixels({ work.portrait.draw($0) }) == true else {
            return complain("A frame does not fit; the manifest asks for I420 of 540×960 at most.", &work)
        }
        let requests = feedback.next()
        let drawn = counts.withLock { counts in
            counts.drawn += 1
            return counts.drawn
        }
        // A slow network may have asked for every second frame only.
        if let target = requests.target, drawn % max(1, target.frameDivisor) != 0 {
            if requests.needsKeyframe { feedback.requestKeyframe() }
            return
        }
        _ = work.encoder.setPeak(.init(bitrate: requests.target?.bitrate ?? Options.bitrate))
        let isDue = work.lastKeyframe.map { time - $0 >= Self.keyframeInterval } ?? true
        var output: [EncodedSample] = []
        do {
            try work.encoder.encode(
                work.portrait.frame, changed: changed, at: time, forceKeyframe: isDue || requests.needsKeyframe
            ) {
                // Neither encoder changes its format, which the server was told once.
                if case .sample(let unit) = $0 { output.append(unit) }
            }
        } catch {
            work.lastKeyframe = nil
            throw error
        }
        isEncoded = true
        counts.withLock { $0.encoded += 1 }
        work.lastFrame = time
        for unit in output {
            if unit.isKeyframe { work.lastKeyframe = unit.presentationTime }
            publish(unit, &work)
            preview?.show(unit)
        }
    }

    private func receive(audio sample: borrowing SampleBuffer, _ work: inout Work) throws {
        guard sample.format == .pcm(sampleRate: AudioTrack.sampleRate, channels: AudioTrack.channels) else {
            return complain("Audio of \(sample.format) is left out.", &work)
        }
        let time = work.timeline.output(of: sample.presentationTime, now: .now)
        var units: [EncodedSample] = []
        defer { for unit in units { publish(unit, &work) } }
        try sample.withBytes { bytes throws(AudioEncoderError) in
            try bytes.withUnsafeBytes { bytes throws(AudioEncoderError) in
                try work.audio.append(bytes.bindMemory(to: Float.self), at: time) { units.append($0) }
            }
        }
    }

    /// Connects with the first sample: a server may end a connection that brings nothing.
    private func publish(_ unit: EncodedSample, _ work: inout Work) {
        publisher.publish(unit)
        guard !work.isStarted else { return }
        work.isStarted = true
        Task { [publisher, feedback] in
            do throws(PublishFailure) {
                try await publisher.start()
            } catch { feedback.handle(.failed(error)) }
        }
    }

    /// Says each problem once.
    private func complain(_ problem: String, _ work: inout Work) {
        if work.problems.insert(problem).inserted { say("problem: \(problem)") }
    }

    /// Sends what waits, and tells the server of the end. What comes afterwards is ignored. Returns the reason if the server never
    /// took the stream.
    func finish() async -> String? {
        work.withLock { $0.isFinished = true }
        return await publisher.finish()?.description
    }

    /// One line for a person.
    func report(_ received: FrameReceiver.Counts) -> String {
        let (counts, status) = (counts.withLock { $0 }, feedback.status)
        let network =
            status.map { status in
                "dropped \(status.droppedFrames); sent \(status.sentBytes / 1000) kB, \(status.bitrate / 1000) kbit/s, "
                    + status.state.rawValue
            } ?? "not connected"
        return "frames: received \(received.frames), lost \(received.framesLost), skipped \(counts.skipped), "
            + "encoded \(counts.encoded), \(network)"
    }
}
