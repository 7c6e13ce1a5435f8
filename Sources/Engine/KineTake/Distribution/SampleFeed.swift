// The samples of a take for one process outside the engine. The take makes the feed, since it knows the formats; an extension's
// supervisor, or a client's session, begins and ends it.
import KineMedia
import KineRings
import Synchronization
import SystemPackage

/// Sends a take's samples to one reader. The take never waits for it: only a slow reader loses samples.
///
/// Keep it until the reader's process is gone: without it, frames that the reader still reads are drawn over.
///
/// - Times are the recording's: nanoseconds since the take's first frame, without pauses. An access unit of audio has the time of
///   its first *decoded* sample; the encoder's priming comes first, so a take begins at −`primingSamples`/`sampleRate`.
/// - The first frame needs no other before it: it is a keyframe, or all of it is marked as damage. Audio begins with what is heard
///   when that frame is shown, and in a feed without video at once.
/// - In a pause nothing is sent. Samples that come in it are sent first when the take is resumed.
package final class SampleFeed: Sendable {
    package let sender: StreamSender
    /// The reader needs it to read the memory of `descriptors`.
    package let stream: StreamDescription

    private enum Phase {
        case made
        /// Audio from before the first frame is left out.
        case feeding(firstFrame: MediaTime?)
        /// The video has another format, which the reader does not follow.
        case outgrown
        case over
    }

    private struct State {
        var phase = Phase.made
        /// The last format that was sent to the reader; nil: the reader has the one in `stream`.
        var format: VideoFormat?
        /// Opened by a frame that was too large.
        var gap = DecodingGap.none
        /// The samples that came in the present pause; nil: the take is not paused.
        var held: [Sample]?

        var isOutgrown: Bool { if case .outgrown = phase { true } else { false } }

        mutating func admits(frameAt time: MediaTime, isEntry: Bool) -> Bool {
            guard case .feeding(let first) = phase, first != nil || isEntry else { return false }
            phase = .feeding(firstFrame: first ?? time)
            return true
        }

        func admits(audioUpTo end: MediaTime, hasVideo: Bool) -> Bool {
            guard case .feeding(let first) = phase else { return false }
            // The unit that ends where the frame begins is needed to decode the next one (the transform overlaps).
            return !hasVideo || first.map { end >= $0 } ?? false
        }
    }

    private enum Sample {
        case encoded(EncodedSample)
        case pcm([Float], SampleType, MediaTime, MediaTime)
    }

    /// The far end's limits, for this take's frames.
    struct Limits: Sendable {
        /// Bits a second; nil: no limit.
        var bitrate: Int?
        /// Bytes of an access unit; nil: no limit.
        var accessUnit: Int?
        /// Nanoseconds from one frame to the next while the screen stands still; nil: about a second.
        var stillInterval: Int64?
        /// Whether the format of the video may change.
        var followsFormat = false
    }

    /// Uncompressed frames; nil if they are not wanted.
    package let frames: FrameSink?
    let limits: Limits
    /// The audio that it gets.
    private let outputs: [AudioPlan.Output]
    private let state = Mutex(State())

    init(
        sender: StreamSender, stream: StreamDescription, frames: FrameSink?,
        tracks: [(track: Int, audio: AudioFormat)], limits: Limits = Limits()
    ) {
        self.limits = limits
        self.sender = sender
        self.stream = stream
        self.frames = frames
        outputs = tracks.map { AudioPlan.Output(track: $0.track, form: $0.audio.codec) }
    }

    /// To be passed with `stream`, in the order of `ExtensionRequest.start`. Owned by this object.
    package var descriptors: [FileDescriptor] {
        sender.descriptors + (frames.map { [$0.store.memory.descriptor] } ?? [])
    }

    /// The reader's protocol violation in the memory that it writes, if any. After one, nothing reaches it.
    package var violation: StreamSender.Error? {
        if let violation = frames?.violation { return violation }
        do throws(StreamSender.Error) {
            try sender.check()
            return nil
        } catch {
            return error
        }
    }

    /// Whether it gets nothing more because the video has another format, and its reader has read everything before.
    package var isOutgrown: Bool {
        state.withLock { $0.isOutgrown } && sender.counts.queuedBytes == 0
    }

    var wantsEncodedVideo: Bool { stream.video != nil }
    /// Whether it has the take's frames. The camera's do not count.
    package var hasVideo: Bool {
        switch frames?.origin {
        case .encoder, .conversion: true
        case .camera, nil: wantsEncodedVideo
        }
    }
    var hasAudio: Bool { !stream.audio.isEmpty }

    func begin(isPaused: Bool) {
        state.withLock { state in
            state.held = isPaused ? [] : nil
            if case .made = state.phase { state.phase = .feeding(firstFrame: nil) }
        }
    }

    func end() {
        state.withLock { state in
            state.phase = .over
            state.held = nil
        }
        frames?.end()
    }

    func pause() { state.withLock { $0.held = $0.held ?? [] } }

    /// Sends the samples that came in the pause.
    func resume() {
        state.withLock { state in
            for sample in state.held.take() ?? [] where !state.isOutgrown {
                switch sample {
                case .encoded(let sample): send(sample, &state)
                case .pcm(let samples, let type, let time, let duration):
                    samples.withUnsafeBufferPointer {
                        sender.sendAudio(type: type, interleaved: $0, at: time, duration: duration)
                    }
                }
            }
        }
    }

    // Samples are sent with the lock held, so that a pause begins and ends between two of them.

    /// A frame from the encoder. On the encoder's thread.
    func send(video sample: EncodedSample) {
        guard wantsEncodedVideo else { return }
        state.withLock { state in
            guard isWithinLimits(sample, &state),
                state.admits(frameAt: sample.presentationTime, isEntry: sample.isKeyframe)
            else { return }
            send(sample, &state)
        }
    }

    /// False for a frame that the far end would refuse, and for frames that cannot be decoded without it.
    private func isWithinLimits(_ sample: EncodedSample, _ state: inout State) -> Bool {
        guard let limit = limits.accessUnit else { return true }
        if sample.data.count > limit {
            state.gap = .unasked
        } else if sample.isKeyframe {
            state.gap = .none
        }
        return state.gap == .none
    }

    /// Whether a keyframe is needed because frames were lost or too large. True once for each loss.
    func consumeKeyframeRequest() -> Bool {
        let isTooLarge = state.withLock { $0.gap.consumeKeyframeRequest() }
        return sender.consumeKeyframeRequest() || isTooLarge
    }

    /// Offers an uncompressed frame. In a pause, or before `begin`, it only notes the changes. On any thread.
    func offer(slot: Int, at time: MediaTime, duration: MediaTime, changed: DamageRegion) {
        guard let frames else { return }
        state.withLock { state in
            if state.held == nil && state.admits(frameAt: time, isEntry: true) {
                frames.offer(slot: slot, at: time, duration: duration, changed: changed)
            } else {
                frames.note(changed)
            }
        }
    }

    /// An access unit of the take's audio. On the audio thread.
    func send(audio sample: EncodedSample, of output: AudioPlan.Output) {
        guard outputs.contains(output) else { return }
        state.withLock { state in
            let end = sample.presentationTime + sample.duration
            guard state.admits(audioUpTo: end, hasVideo: hasVideo) else { return }
            send(sample, &state)
        }
    }

    private func send(_ sample: EncodedSample, _ state: inout State) {
        guard state.held == nil else {
            state.held?.append(.encoded(sample))
            return
        }
        guard let video = stream.video, let format = sample.format, format != state.format ?? video.format else {
            sender.send(sample)
            return
        }
        if !limits.followsFormat {
            state.phase = .outgrown
            return
        }
        let change = StreamDescription.EncodedVideo(format, averageBitrate: video.averageBitrate)
        if sender.send(sample, after: change) { state.format = format }
    }

    /// Interleaved samples of the take's audio. On the audio thread.
    func send(
        pcm samples: Span<Float>, of output: AudioPlan.Output, type: SampleType, at time: MediaTime, duration: MediaTime
    ) {
        guard outputs.contains(output) else { return }
        samples.withUnsafeBufferPointer { samples in
            state.withLock { state in
                guard state.admits(audioUpTo: time + duration, hasVideo: hasVideo) else { return }
                if state.held == nil {
                    sender.sendAudio(type: type, interleaved: samples, at: time, duration: duration)
                } else {
                    state.held?.append(.pcm(Array(samples), type, time, duration))
                }
            }
        }
    }
}
