// The thread between capture and the sinks of encoded video: one frame after the other through the encoder.
import KineCodecs
import KineImaging
import KineMedia
import KinePlatform
import SystemPackage

/// Receives encoded video. All methods are called on the encoder's thread.
protocol EncodedFrameSink: AnyObject, Sendable {
    /// The format of the first samples. Called once, before the first. Each keyframe has its own.
    func begin(_ format: VideoFormat)
    /// Called with each sample as soon as it is encoded. May block only if capture may be held up.
    func receive(_ sample: EncodedSample, for audience: SampleAudience)
    /// Whether samples were lost and a keyframe is needed. Asked before each frame.
    func consumeKeyframeRequest() -> Bool
    /// A frame was left out to limit the frame rate. Show it again at that CLOCK_MONOTONIC instant if no other comes.
    func frameLeftOut(until instant: Int64)
    /// Called once, with a sentence. From then on frames are discarded.
    func encoderFailed(_ message: String)
}

/// A video encoder that a take can use. The engine's host lists those that there are, since this target links none.
package struct VideoEncoderKind: Sendable {
    package let codec: VideoCodec
    /// Opens the encoder, encodes all frames of a take, and returns when there are no more.
    fileprivate let run:
        @Sendable (EncodingPlan, Monitor<VideoEncodingThread.State>, FrameCanvas, any EncodedFrameSink)
            throws(VideoEncoderError) -> Void

    package init<Encoder: VideoEncoder>(_ encoder: Encoder.Type) {
        codec = Encoder.codec
        run = { (plan, state, canvas, sink) throws(VideoEncoderError) in
            var loop = try EncodingLoop<Encoder>(plan: plan, state: state, canvas: canvas, sink: sink)
            try loop.run()
        }
    }
}

/// Encodes frames in order of arrival. The ring's slots bound the queue: capture cannot draw while all are here.
final class VideoEncodingThread: Sendable {
    fileprivate struct Job: Sendable {
        let frame: FrameRing.Frame
        let time: MediaTime
        let repeats: [MediaTime]
        /// Frames before it were never encoded, so more than `changed` differs from the last encoded one.
        let followsGap: Bool
    }

    fileprivate struct State {
        var jobs: [Job] = []
        /// A sink wants encoded video. The encoder takes its memory only then.
        var isWanted: Bool
        var isFinished = false
        var hasGap = false
        var keyframes: KeyframePolicy
        var requests = KeyframeRequests()
        var encoding = EncodingRequest.none
        /// Bytes of the largest access unit that the destinations added so far take; nil: no limit beyond the plan's.
        var largestAccessUnit: Int?
    }

    /// The codec of the frames.
    let codec: VideoCodec
    private let state: Monitor<State>
    private let canvas: FrameCanvas
    /// Nil if no thread can be created: the take then has no encoder.
    private let thread: DedicatedThread?

    /// Opens the encoder in the thread that will use it, at once or, without `isWanted`, after `prepare`.
    init(
        _ encoder: VideoEncoderKind, plan: EncodingPlan, keyframes: KeyframePolicy,
        isWanted: Bool = true, canvas: FrameCanvas, sink: any EncodedFrameSink
    ) {
        codec = encoder.codec
        let state = Monitor(State(isWanted: isWanted, keyframes: keyframes))
        self.state = state
        self.canvas = canvas
        do throws(Errno) {
            thread = try DedicatedThread(starting: "encode") {
                guard state.wait(for: { $0.isWanted ? true : $0.isFinished ? false : nil }) == true else { return }
                do throws(VideoEncoderError) {
                    try encoder.run(plan, state, canvas, sink)
                } catch {
                    sink.encoderFailed(error.description)
                    while let job = Self.next(state) { canvas.release(job.frame) }
                }
            }
        } catch {
            thread = nil
            sink.encoderFailed(DedicatedThread.explanation(of: error, thread: "encode"))
        }
    }

    fileprivate static func next(_ state: Monitor<State>) -> Job? {
        state.wait { state -> Job?? in
            if !state.jobs.isEmpty { return .some(state.jobs.removeFirst()) }
            return state.isFinished ? .some(nil) : nil
        } ?? nil
    }

    /// Queues a frame. `time` is since the take's first frame; at `repeats` it is shown again, unchanged.
    func encode(_ frame: FrameRing.Frame, at time: MediaTime, repeats: [MediaTime]) {
        guard thread != nil else { return canvas.release(frame) }
        state.signal { state in
            state.jobs.append(Job(frame: frame, time: time, repeats: repeats, followsGap: state.hasGap))
            state.hasGap = false
        }
    }

    /// A frame is not encoded, since no sink wants it. The next encoded frame will be a keyframe.
    func leaveOut() { state.withLock { $0.hasGap = true } }

    /// Opens the encoder if it is not open yet.
    func prepare() {
        if !state.withLock({ $0.isWanted }) { state.signal { $0.isWanted = true } }
    }

    /// Limits the time between keyframes from now on.
    func shortenKeyframeInterval(to interval: MediaTime) {
        state.withLock { $0.keyframes.shorten(to: interval) }
    }

    /// From the next frame on, limits extensions to `request`; also the recording, unless it keeps its quality.
    func adjust(_ request: EncodingRequest) { state.withLock { $0.encoding = request } }

    /// Limits access units for extensions to that many bytes, from the next bitrate change on. A limit is never lifted.
    func limitAccessUnits(to bytes: Int) {
        state.withLock { $0.largestAccessUnit = min($0.largestAccessUnit ?? .max, bytes) }
    }

    /// Makes the next frame a keyframe, or the first one at or after the returned instant (CLOCK_MONOTONIC,
    /// nanoseconds): `KeyframeRequests` limits the number of such keyframes.
    func requestKeyframe(_ reason: KeyframeRequests.Reason, at now: Int64) -> Int64 {
        state.withLock { $0.requests.ask(reason, at: now) }
    }

    /// Encodes the queued frames, then ends the thread and waits for it.
    func finish() {
        state.signal { $0.isFinished = true }
        thread?.join()
    }
}

private struct EncodingLoop<Encoder: VideoEncoder> {
    private let encoder: AdjustableEncoder<Encoder>
    private let state: Monitor<VideoEncodingThread.State>
    private let canvas: FrameCanvas
    private let sink: any EncodedFrameSink
    /// Samples that are delivered once their frame's slot is released.
    private var encoded: [(sample: EncodedSample, audience: SampleAudience)] = []
    /// The last frame was left out, and `frameLeftOut` was called.
    private var hasAskedForFrame = false

    init(
        plan: EncodingPlan, state: Monitor<VideoEncodingThread.State>, canvas: FrameCanvas, sink: any EncodedFrameSink
    ) throws(VideoEncoderError) {
        self.state = state
        self.canvas = canvas
        self.sink = sink
        encoder = try AdjustableEncoder(plan) { sink.begin($0) }
    }

    mutating func run() throws(VideoEncoderError) {
        while let job = VideoEncodingThread.next(state) { try encode(job) }
        try encoder.finish { encoded.append(($0, $1)) }
        deliver()
    }

    private mutating func encode(_ job: VideoEncodingThread.Job) throws(VideoEncoderError) {
        var isSent: Bool
        do throws(VideoEncoderError) {
            let (encoding, largest) = state.withLock { ($0.encoding, $0.largestAccessUnit) }
            if let largest { encoder.limitAccessUnits(to: largest) }
            try encoder.adjust(encoding) { encoded.append(($0, $1)) }
            isSent = try encode(
                job.frame, changed: job.frame.changed, at: job.time,
                mustBegin: job.followsGap || encoder.needsKeyframe)
            for time in job.repeats {
                deliver()
                isSent = try encode(
                    job.frame, changed: DamageRegion(size: job.frame.planes.size), at: time, mustBegin: false)
            }
        } catch {
            canvas.release(job.frame)
            throw error
        }
        // The slot first: delivering the samples may block.
        canvas.release(job.frame)
        deliver()
        askForFrame(afterLeavingOut: !isSent, at: job.repeats.last ?? job.time)
    }

    private mutating func encode(
        _ frame: FrameRing.Frame, changed: DamageRegion, at time: MediaTime, mustBegin: Bool
    ) throws(VideoEncoderError) -> Bool {
        try encoder.encode(
            frame.planes, changed: changed, at: time, isKeyframe: isKeyframe(time, isForced: mustBegin)
        ) { encoded.append(($0, $1)) }
    }

    private mutating func deliver() {
        for (sample, audience) in encoded { sink.receive(sample, for: audience) }
        encoded.removeAll(keepingCapacity: true)
    }

    /// Requests another frame if one was left out: the frame at which the screen stands still must be encoded.
    private mutating func askForFrame(afterLeavingOut isLeftOut: Bool, at time: MediaTime) {
        let hadAsked = hasAskedForFrame
        hasAskedForFrame = isLeftOut
        guard isLeftOut, !hadAsked, let earliest = encoder.earliest else { return }
        sink.frameLeftOut(until: MonotonicClock.now() + max(0, earliest - time.nanoseconds))
    }

    private func isKeyframe(_ time: MediaTime, isForced: Bool) -> Bool {
        let isNeeded = sink.consumeKeyframeRequest()
        return state.withLock { state in
            let now = MonotonicClock.now()
            if isNeeded { _ = state.requests.ask(.lost, at: now) }
            let isAsked = state.requests.grant(at: now)
            let isKeyframe = state.keyframes.needsKeyframe(at: time, isForced: isAsked || isForced)
            if isKeyframe { state.requests.answer() }
            return isKeyframe
        }
    }
}
