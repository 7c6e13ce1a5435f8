// The sound of a take: from the sound server to encoded samples on the take's timeline. The capture's thread does all
// the work; this is what the engine holds of it.
import KineCapture
import KineCodecs
import KineControl
import KineMedia
import KinePlatform
import KineRelay

public final class AudioPipeline: Sendable {
    public struct Error: Swift.Error, Equatable, CustomStringConvertible {
        /// The command's exit status.
        public var exitStatus: Int32
        /// One sentence: what happened, on what, and what to do.
        public var description: String
    }

    /// The tracks of the file: none, one or two, known from the start.
    public let tracks: [AudioTrackFormat]

    private let plan: AudioPlan
    private let configuration: TakeConfiguration.Audio
    private let worker: AudioWorker?
    private let capture: (any SoundFeed)?

    /// Nanoseconds that `finish` waits for the last sound of the devices.
    private static let finishingPatience: Int64 = 800_000_000

    /// Connects to the sound server and opens the encoders; blocks for some ten milliseconds, five seconds at most.
    ///
    /// A missing sound server, and a missing libavcodec, is an error only where sound was asked for by name; otherwise there are
    /// no tracks and one warning. `cancellation` ends the wait for the server. `isPattern`: the pattern's beep stands for what the machine plays. `server` as in PULSE_SERVER, for a
    /// private server; nil asks the environment. `onSample` and `onWarning` are called on the sound thread, in order, and
    /// within `finish` on the thread that calls it; they must not block.
    /// An access unit's time is that of its first decoded sample: the first one's lies the priming samples before zero.
    ///
    /// `isRecorded`: there is a file, whose samples come through `onSample`. `wishes`: what extensions want to hear; where any
    /// wants anything, sound is fetched in small pieces and comes through `listeners` within some 60 ms of being heard.
    public init(
        configuration: TakeConfiguration.Audio, clock: TakeClock, server: String? = nil, isPattern: Bool = false,
        isRecorded: Bool = true, wishes: [SoundWish] = [], listeners: SoundListeners? = nil,
        onSample: @escaping @Sendable (EncodedSample) -> Void, onWarning: @escaping @Sendable (String) -> Void,
        cancellation: Cancellation? = nil
    ) throws(AudioPipeline.Error) {
        let plan = AudioPlan(configuration, isRecorded: isRecorded, wishes: wishes)
        self.configuration = configuration
        guard !plan.tracks.isEmpty else {
            (tracks, worker, capture, self.plan) = ([], nil, nil, plan)
            return
        }
        let isLive = wishes.contains { !plan.choices(for: $0).isEmpty }
        do {
            let worker = try AudioWorker(
                plan: plan, configuration: configuration, clock: clock, isLive: isLive, listeners: listeners,
                onSample: onSample, onWarning: onWarning)
            let pace: SoundPace = isLive ? .live : .file
            if isPattern {
                capture = try PatternSound(channels: configuration.channels, pace: pace, receiver: worker)
            } else {
                capture = try SoundCapture(
                    targets: plan.targets, channels: configuration.channels, server: server, pace: pace,
                    receiver: worker, cancellation: cancellation)
            }
            tracks = zip(plan.tracks, worker.formats).compactMap { $0.isRecorded ? $1 : nil }
            self.worker = worker
            self.plan = plan
        } catch SoundCapture.Error.noServer(let reason) where !plan.isRequired {
            onWarning("No sound server answers (\(reason)), so this take has no sound.")
            (tracks, worker, capture, self.plan) = ([], nil, nil, plan)
        } catch AACEncoder.Error.missing where !plan.isRequired {
            onWarning(
                "libavcodec, which encodes sound, is not installed or has no AAC encoder, so this take has no sound; install "
                    + "Debian's libavcodec59.")
            (tracks, worker, capture, self.plan) = ([], nil, nil, plan)
        } catch {
            throw Error(exitStatus: ExitStatus.unavailable, description: "\(error)")
        }
    }

    /// The sounds that an extension with these wishes gets, and the track of each. Wishes that were not among those at the
    /// beginning are met where somebody else has the same.
    func sounds(for wish: SoundWish) -> [(track: Int, sound: ExtensionStart.Sound)] {
        guard let worker else { return [] }
        return plan.choices(for: wish).compactMap { choice in
            let track = plan.tracks[choice.track]
            switch choice.form {
            case .aac:
                return worker.formats[choice.track].map { (choice.track, ExtensionStart.Sound($0)) }
            case .pcm where track.isPlain:
                return (
                    choice.track,
                    ExtensionStart.Sound(
                        type: track.type, form: .pcm, sampleRate: configuration.sampleRate,
                        channels: configuration.channels)
                )
            case .pcm: return nil
            }
        }
    }

    /// Begins to deliver. Sound from before the take's origin is left out; where none has come yet there is silence.
    public func start() { worker?.start() }

    /// Delivers everything up to the media time of `end` (CLOCK_MONOTONIC, nanoseconds), the last access unit filled up
    /// with silence, and ends the threads. Waits for the devices' last sound, 0.8 s at most. No callback comes after it
    /// returns.
    public func finish(at end: Int64) {
        guard let worker, let capture, worker.claimFinish() else { return }
        worker.prepareToFinish(at: end)
        capture.hurry()
        worker.waitForSound(until: MonotonicClock.now() + Self.finishingPatience)
        capture.stop()
        worker.finish(at: end)
    }

    /// Whether somebody listens. Without, sound is fetched in large pieces again, and the machine sleeps.
    func listen(_ somebodyListens: Bool) { capture?.change(pace: somebodyListens ? .live : .file) }

    /// Frames that libavcodec encoded, of all tracks.
    var encodedFrames: Int { worker?.encodedFrames ?? 0 }

    /// Ends the threads without delivering what is under way.
    public func cancel() { capture?.stop() }
}

extension ExtensionStart.Sound {
    fileprivate init(_ format: AudioTrackFormat) {
        self.init(
            type: format.type, form: .aac, sampleRate: format.sampleRate, channels: format.channels,
            audioSpecificConfig: format.audioSpecificConfig, samplesPerAccessUnit: format.samplesPerAccessUnit,
            primingSamples: format.primingSamples, bitrate: format.bitrate)
    }
}
