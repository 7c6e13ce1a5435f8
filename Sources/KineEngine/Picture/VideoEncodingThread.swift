// The thread between capture and the readers of encoded pictures: one picture after the other through the encoder.
import KineCodecs
import KineImaging
import KineMedia
import KinePlatform
import KineRelay
import SystemPackage

/// Encodes pictures in the order they are offered. The ring's slots bound the queue: capture cannot draw while all are here.
public final class VideoEncodingThread: Sendable {
    /// What the thread tells and asks; all are called on it.
    public struct Output: Sendable {
        /// The encoder is open. Once.
        public var ready: @Sendable (H264ParameterSets) -> Void
        /// A picture was read to its end, and its slot is one reader poorer.
        public var release: @Sendable (PictureRing.Picture) -> Void
        /// Takes each sample as soon as it is encoded. May block only where capture may be held up.
        public var sample: @Sendable (EncodedSample, SampleAudience) -> Void
        /// Whether somebody who takes samples has lost some and needs a keyframe. Asked before each picture.
        public var needsKeyframe: @Sendable () -> Bool
        /// A picture was left out to keep to a frame rate: it should be shown once more at that instant of CLOCK_MONOTONIC, if
        /// no other comes.
        public var needsPicture: @Sendable (Int64) -> Void
        /// Called once, with a sentence, after which pictures are thrown away.
        public var failed: @Sendable (String) -> Void

        public init(
            ready: @escaping @Sendable (H264ParameterSets) -> Void = { _ in },
            release: @escaping @Sendable (PictureRing.Picture) -> Void,
            sample: @escaping @Sendable (EncodedSample, SampleAudience) -> Void,
            needsKeyframe: @escaping @Sendable () -> Bool = { false },
            needsPicture: @escaping @Sendable (Int64) -> Void = { _ in }, failed: @escaping @Sendable (String) -> Void
        ) {
            self.ready = ready
            self.release = release
            self.sample = sample
            self.needsKeyframe = needsKeyframe
            self.needsPicture = needsPicture
            self.failed = failed
        }
    }

    private struct Job: Sendable {
        let picture: PictureRing.Picture
        let time: MediaTime
        let repeats: [MediaTime]
        /// Pictures before it were never encoded, so what changed is not all that differs from the last one encoded.
        let followsGap: Bool
    }

    private struct State {
        var jobs: [Job] = []
        /// Somebody wants an encoder. It takes its memory only then.
        var isWanted: Bool
        var isFinished = false
        var hasGap = false
        var keyframes: KeyframePolicy
        var requests = KeyframeRequests()
        var encoding = EncodingRequest.none
        /// The last picture was left out, and it is known.
        var isPictureAsked = false
    }

    private let state: Monitor<State>
    private let output: Output
    /// Nil where the process may have no more threads: it is then as if there were no encoder.
    private let thread: DedicatedThread?

    /// Builds the encoder in the thread that will use it, at once or, without `isWanted`, after `prepare`.
    init(plan: EncodingPlan, keyframes: KeyframePolicy, isWanted: Bool = true, output: Output) {
        let state = Monitor(State(isWanted: isWanted, keyframes: keyframes))
        self.state = state
        self.output = output
        do throws(Errno) {
            thread = try DedicatedThread(starting: "encode") {
                guard state.wait(for: { $0.isWanted ? true : $0.isFinished ? false : nil }) == true else { return }
                do throws(X264Encoder.Error) {
                    let encoder = try AdjustableEncoder(plan)
                    output.ready(encoder.parameterSets)
                    while let job = Self.next(state) { try Self.encode(job, encoder, state, output) }
                } catch {
                    output.failed(error.description)
                    while let job = Self.next(state) { output.release(job.picture) }
                }
            }
        } catch {
            thread = nil
            output.failed(DedicatedThread.explanation(of: error, thread: "encode"))
        }
    }

    private static func encode(
        _ job: Job, _ encoder: AdjustableEncoder, _ state: Monitor<State>, _ output: Output
    ) throws(X264Encoder.Error) {
        let planes = job.picture.planes
        var made: AdjustableEncoder.Output
        do throws(X264Encoder.Error) {
            encoder.adjust(state.withLock { $0.encoding })
            var isForced = isKeyframe(
                job.time, isForced: job.followsGap || encoder.needsKeyframe, state, output)
            made = try encoder.encode(planes, changed: job.picture.changed, at: job.time, isKeyframe: isForced)
            for time in job.repeats {
                deliver(made, output)
                isForced = isKeyframe(time, isForced: false, state, output)
                made = try encoder.encode(
                    planes, changed: DamageRegion(size: planes.size), at: time, isKeyframe: isForced)
            }
        } catch {
            output.release(job.picture)
            throw error
        }
        // The slot first: delivering the sample may block.
        output.release(job.picture)
        deliver(made, output)
        let isLeftOut = !made.contains { $0.audience.contains(.extensions) }
        ask(afterLeavingOut: isLeftOut, at: job.repeats.last ?? job.time, encoder, state, output)
    }

    private static func deliver(_ made: AdjustableEncoder.Output, _ output: Output) {
        for (sample, audience) in made { output.sample(sample, audience) }
    }

    /// The last picture before the screen stands still must not be one that was left out.
    private static func ask(
        afterLeavingOut isLeftOut: Bool, at time: MediaTime, _ encoder: AdjustableEncoder, _ state: Monitor<State>,
        _ output: Output
    ) {
        let wasAsked = state.withLock { state in
            defer { state.isPictureAsked = isLeftOut }
            return state.isPictureAsked
        }
        guard isLeftOut, !wasAsked, let earliest = encoder.earliest else { return }
        output.needsPicture(MonotonicClock.now() + max(0, earliest - time.nanoseconds))
    }

    private static func isKeyframe(
        _ time: MediaTime, isForced: Bool, _ state: Monitor<State>, _ output: Output
    ) -> Bool {
        let isNeeded = output.needsKeyframe()
        return state.withLock { state in
            let now = MonotonicClock.now()
            if isNeeded { _ = state.requests.ask(.lost, at: now) }
            let isAsked = state.requests.take(at: now)
            let isKeyframe = state.keyframes.needsKeyframe(at: time, isForced: isAsked || isForced)
            if isKeyframe { state.requests.cameByItself() }
            return isKeyframe
        }
    }

    private static func next(_ state: Monitor<State>) -> Job? {
        state.wait { state -> Job?? in
            if !state.jobs.isEmpty { return .some(state.jobs.removeFirst()) }
            return state.isFinished ? .some(nil) : nil
        } ?? nil
    }

    /// Queues a picture. `time` is since the take's first picture; at `repeats` it is shown again, unchanged.
    public func encode(_ picture: PictureRing.Picture, at time: MediaTime, repeats: [MediaTime]) {
        guard thread != nil else { return output.release(picture) }
        state.signal { state in
            state.jobs.append(Job(picture: picture, time: time, repeats: repeats, followsGap: state.hasGap))
            state.hasGap = false
        }
    }

    /// A picture is not encoded, since nobody wants it. The next one that is will be a keyframe.
    public func leaveOut() { state.withLock { $0.hasGap = true } }

    /// Has the encoder opened, if it is not yet.
    public func prepare() {
        if !state.withLock({ $0.isWanted }) { state.signal { $0.isWanted = true } }
    }

    /// From now on keyframes are at most so far apart.
    public func shortenKeyframeInterval(to interval: MediaTime) {
        state.withLock { $0.keyframes.shorten(to: interval) }
    }

    /// From the next picture on, extensions get no more than `request` says, and the recording neither unless it keeps its
    /// quality.
    func adjust(_ request: EncodingRequest) { state.withLock { $0.encoding = request } }

    /// Makes the next picture a keyframe, or the first that comes at the instant returned (CLOCK_MONOTONIC, nanoseconds) or
    /// after it: there are limits to how many are made like this.
    func requestKeyframe(_ reason: KeyframeRequests.Reason, at now: Int64) -> Int64 {
        state.withLock { $0.requests.ask(reason, at: now) }
    }

    /// Encodes what is queued, then ends the thread and waits for it.
    public func finish() {
        state.signal { $0.isFinished = true }
        thread?.join()
    }
}
