// What one running extension is fed with. Made by the take, which knows the formats; begun and ended by who supervises the
// extension's process.
import KineMedia
import KineRelay
import Synchronization
import SystemPackage

/// The samples of a take on their way to one process. It is never waited for: what it is too slow for, it alone loses.
///
/// Nothing is sent in a pause. What was on its way when the pause began comes first when the take is resumed.
///
/// Keep it until the process is gone: the pictures that the process may be looking at are drawn over once this object is.
///
/// Times are those of the recording: nanoseconds since the take's first picture, pauses taken out. The first sample is a
/// picture that needs no other before it (a keyframe, or one with all of it marked as damage), and sound begins with the
/// one that is heard when that picture is shown; an extension without pictures gets sound at once. As in the file, an access
/// unit's time is that of its first *decoded* sample. An AAC decoder gives out the encoder's priming first, so the access
/// unit of a take's beginning has the time −`primingSamples`/`sampleRate`, and who wants times from zero adds that much.
public final class ExtensionFeed: Sendable {
    public let sender: StreamSender
    /// What to tell the extension, with `descriptors`.
    public let start: ExtensionStart

    private enum Phase {
        case made, feeding, over
    }

    private struct State {
        var phase = Phase.made
        /// The first picture that was sent; sound from before it is left out.
        var firstPicture: MediaTime?
        var isPaused = false
        /// A picture was too large: nothing can be decoded before the next keyframe.
        var needsKeyframe = false
        /// It has not been asked for yet.
        var wantsKeyframe = false
        /// What came in a pause.
        var held: [Sample] = []

        mutating func admits(pictureAt time: MediaTime, isEntry: Bool) -> Bool {
            guard phase == .feeding, firstPicture != nil || isEntry else { return false }
            if firstPicture == nil { firstPicture = time }
            return true
        }

        func admits(soundUpTo end: MediaTime, hasVideo: Bool) -> Bool {
            // The one that ends just when the picture begins is needed to decode the next (the transform overlaps).
            phase == .feeding && (!hasVideo || firstPicture.map { end >= $0 } ?? false)
        }
    }

    private enum Sample {
        case encoded(EncodedSample)
        case plain([Float], SampleType, MediaTime, MediaTime)
    }

    /// Uncompressed pictures: where they come from.
    struct Pictures: Sendable {
        let reader: PictureReader
        let memory: PictureMemory
        /// nil: the encoder's own.
        let group: ConvertedPictures?
        /// At most so many; nil: every one.
        let framesPerSecond: Int?
    }

    /// What the far end expects, for this take's pictures.
    struct Limits: Sendable {
        /// Bits a second; nil: no limit.
        var bitrate: Int?
        /// Bytes of an access unit; nil: no limit.
        var accessUnit: Int?
        /// Nanoseconds from one picture to the next while the screen stands still; nil: about a second.
        var stillInterval: Int64?
    }

    let pictures: Pictures?
    let limits: Limits
    private let encodedTracks: [Int]
    private let plainTracks: [Int]
    private let state = Mutex(State())

    init(
        sender: StreamSender, start: ExtensionStart, pictures: Pictures?,
        tracks: [(track: Int, sound: ExtensionStart.Sound)], limits: Limits = Limits()
    ) {
        self.limits = limits
        self.sender = sender
        self.start = start
        self.pictures = pictures
        encodedTracks = tracks.filter { $0.sound.form == .aac }.map(\.track)
        plainTracks = tracks.filter { $0.sound.form == .pcm }.map(\.track)
    }

    /// To be passed with `start`, in the order that it wants. Owned by this object.
    public var descriptors: [FileDescriptor] {
        sender.descriptors + (pictures.map { [$0.memory.descriptor] } ?? [])
    }

    /// What the extension wrote into its shared memory that it cannot mean. It is to be ended; nothing reaches it any more.
    public var misbehaviour: StreamSender.Error? {
        if let misbehaviour = pictures?.reader.misbehaviour { return misbehaviour }
        do throws(StreamSender.Error) {
            try sender.check()
            return nil
        } catch {
            return error
        }
    }

    /// It wants the encoder's pictures.
    var isEncoded: Bool { start.video != nil }
    var hasVideo: Bool { isEncoded || pictures != nil }

    func begin(isPaused: Bool) {
        state.withLock { state in
            state.isPaused = isPaused
            if state.phase == .made { state.phase = .feeding }
        }
    }

    func end() {
        state.withLock { state in
            state.phase = .over
            state.held = []
        }
        pictures?.reader.end()
    }

    func pause() { state.withLock { $0.isPaused = true } }

    /// Sends what came in the pause.
    func resume() {
        state.withLock { state in
            state.isPaused = false
            for sample in state.held {
                switch sample {
                case .encoded(let sample): sender.send(sample)
                case .plain(let samples, let type, let time, let duration):
                    samples.withUnsafeBufferPointer {
                        sender.sendSound(type: type, interleaved: $0, at: time, duration: duration)
                    }
                }
            }
            state.held = []
        }
    }

    // What is sent is sent with the lock held, so that a pause and its end are between samples.

    /// A picture from the encoder. On the encoder's thread.
    func send(picture sample: EncodedSample) {
        guard isEncoded else { return }
        state.withLock { state in
            guard isTaken(sample, &state),
                state.admits(pictureAt: sample.presentationTime, isEntry: sample.isKeyframe)
            else { return }
            send(sample, &state)
        }
    }

    /// False for a picture that the far end would refuse, and for what cannot be decoded without it.
    private func isTaken(_ sample: EncodedSample, _ state: inout State) -> Bool {
        guard let limit = limits.accessUnit else { return true }
        if sample.data.count > limit {
            (state.needsKeyframe, state.wantsKeyframe) = (true, true)
        } else if sample.isKeyframe {
            (state.needsKeyframe, state.wantsKeyframe) = (false, false)
        }
        return !state.needsKeyframe
    }

    /// Whether a keyframe is needed because pictures were lost or too large. Says so once for each time.
    func takeKeyframeRequest() -> Bool {
        let wants = state.withLock { state in
            defer { state.wantsKeyframe = false }
            return state.wantsKeyframe
        }
        return sender.takeKeyframeRequest() || wants
    }

    /// An uncompressed picture is offered, or noted where this is not the time. On any thread.
    func offer(slot: Int, at time: MediaTime, duration: MediaTime, changed: DamageRegion) {
        guard let reader = pictures?.reader else { return }
        state.withLock { state in
            if !state.isPaused && state.admits(pictureAt: time, isEntry: true) {
                reader.offer(slot: slot, at: time, duration: duration, changed: changed)
            } else {
                reader.note(changed)
            }
        }
    }

    /// An access unit of the take's sound. On the sound thread.
    func send(sound sample: EncodedSample, of track: Int) {
        guard encodedTracks.contains(track) else { return }
        state.withLock { state in
            let end = sample.presentationTime + sample.duration
            guard state.admits(soundUpTo: end, hasVideo: hasVideo) else { return }
            send(sample, &state)
        }
    }

    private func send(_ sample: EncodedSample, _ state: inout State) {
        if state.isPaused {
            state.held.append(.encoded(sample))
        } else {
            sender.send(sample)
        }
    }

    /// Plain samples of the take's sound. On the sound thread.
    func send(
        plain samples: Span<Float>, of track: Int, type: SampleType, at time: MediaTime, duration: MediaTime
    ) {
        guard plainTracks.contains(track) else { return }
        samples.withUnsafeBufferPointer { samples in
            state.withLock { state in
                guard state.admits(soundUpTo: time + duration, hasVideo: hasVideo) else { return }
                if state.isPaused {
                    state.held.append(.plain(Array(samples), type, time, duration))
                } else {
                    sender.sendSound(type: type, interleaved: samples, at: time, duration: duration)
                }
            }
        }
    }
}
