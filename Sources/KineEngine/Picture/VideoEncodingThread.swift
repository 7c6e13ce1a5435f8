// The thread between capture and those who take encoded pictures: one picture after the other through the encoder.
import KineCodecs
import KineImaging
import KineMedia
import KinePlatform

/// Encodes pictures in the order they are offered. The ring's slots bound the queue: capture cannot draw while all are here.
public final class VideoEncodingThread: Sendable {
    /// What the thread tells and asks; all are called on it.
    public struct Output: Sendable {
        /// The encoder is open. Once.
        public var ready: @Sendable (H264ParameterSets) -> Void
        /// A picture was read to its end, and its slot is one reader poorer.
        public var release: @Sendable (PictureRing.Picture) -> Void
        /// Takes each sample as soon as it is encoded. May block only where capture may be held up.
        public var sample: @Sendable (EncodedSample) -> Void
        /// Whether somebody who takes samples has lost some and needs a keyframe. Asked before each picture.
        public var needsKeyframe: @Sendable () -> Bool
        /// Called once, with a sentence, after which pictures are thrown away.
        public var failed: @Sendable (String) -> Void

        public init(
            ready: @escaping @Sendable (H264ParameterSets) -> Void = { _ in },
            release: @escaping @Sendable (PictureRing.Picture) -> Void,
            sample: @escaping @Sendable (EncodedSample) -> Void,
            needsKeyframe: @escaping @Sendable () -> Bool = { false }, failed: @escaping @Sendable (String) -> Void
        ) {
            self.ready = ready
            self.release = release
            self.sample = sample
            self.needsKeyframe = needsKeyframe
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
    }

    private let state: Monitor<State>
    private let thread: DedicatedThread

    /// Builds the encoder in the thread that will use it, at once or, without `isWanted`, after `prepare`.
    public init(
        settings: VideoEncoderSettings, keyframes: KeyframePolicy, isWanted: Bool = true, output: Output
    ) {
        let state = Monitor(State(isWanted: isWanted, keyframes: keyframes))
        self.state = state
        thread = DedicatedThread(name: "encode") {
            guard state.wait(for: { $0.isWanted ? true : $0.isFinished ? false : nil }) == true else { return }
            do throws(X264Encoder.Error) {
                let encoder = try X264Encoder(settings)
                output.ready(encoder.parameterSets)
                while let job = Self.next(state) { try Self.encode(job, encoder, state, output) }
            } catch {
                output.failed(error.description)
                while let job = Self.next(state) { output.release(job.picture) }
            }
        }
    }

    private static func encode(
        _ job: Job, _ encoder: X264Encoder, _ state: Monitor<State>, _ output: Output
    ) throws(X264Encoder.Error) {
        let planes = job.picture.planes
        let isForced = isKeyframe(job.time, followsGap: job.followsGap, state, output)
        var sample: EncodedSample
        do throws(X264Encoder.Error) {
            sample = try encoder.encode(planes, changed: job.picture.changed, at: job.time, forceKeyframe: isForced)
            for time in job.repeats {
                output.sample(sample)
                sample = try encoder.encode(
                    planes, changed: DamageRegion(size: planes.size), at: time,
                    forceKeyframe: isKeyframe(time, followsGap: false, state, output))
            }
        } catch {
            output.release(job.picture)
            throw error
        }
        // The slot first: whoever takes the sample may block.
        output.release(job.picture)
        output.sample(sample)
    }

    private static func isKeyframe(
        _ time: MediaTime, followsGap: Bool, _ state: Monitor<State>, _ output: Output
    ) -> Bool {
        let isNeeded = output.needsKeyframe()
        return state.withLock { state in
            let now = MonotonicClock.now()
            if isNeeded { _ = state.requests.ask(at: now) }
            let isAsked = state.requests.take(at: now)
            let isKeyframe = state.keyframes.needsKeyframe(at: time, isForced: isAsked || followsGap)
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

    /// Makes the next picture a keyframe, or the first that comes at the instant returned (CLOCK_MONOTONIC, nanoseconds) or
    /// after it: at most two a second are made like this.
    public func requestKeyframe(at now: Int64) -> Int64 { state.withLock { $0.requests.ask(at: now) } }

    /// Encodes what is queued, then ends the thread and waits for it.
    public func finish() {
        state.signal { $0.isFinished = true }
        thread.join()
    }
}
