// The audio of a take: from the audio server to encoded samples on the take's timeline. The take holds this object, and the
// thread of the audio capture does the work.
import KineCapture
import KineCodecs
import KineMedia
import KinePlatform
import KinePulse
import Synchronization

package final class AudioPipeline: Sendable {
    /// The tracks of the file: none, one or two, known from the start.
    let tracks: [AudioFormat]

    private let plan: AudioPlan
    private let observer: any TakeObserver
    /// Nil: the take has no audio.
    private let running: Running?
    /// The sources that are off now.
    private let off: Mutex<Set<AudioSource>>

    private struct Running: Sendable {
        let worker: AudioWorker
        let capture: any AudioFeed
        /// The sources that are off at the start.
        let off: Set<AudioSource>
    }

    /// Nanoseconds that `finish` waits for the last audio of the devices.
    private static let finishingTimeout: Int64 = 800_000_000

    /// Connects to the audio server and opens the encoders; blocks for some ten milliseconds, five seconds at most.
    ///
    /// A missing server, and a missing encoder, is an error only if audio was asked for by name; otherwise there are no
    /// tracks, and `observer` gets a warning. `cancellation` ends the wait for the server.
    ///
    /// - Parameters:
    ///   - server: as in PULSE_SERVER, for a private server; nil asks the environment.
    ///   - isPrivate: the audio server is the take's own.
    ///   - isPattern: the pattern's beep replaces the machine's output.
    ///   - isRecorded: there is a file.
    ///   - requirements: the feeds'. If any feed wants audio, it is delivered some 60 ms after it was heard.
    init(
        configuration: TakeConfiguration.Audio, clock: TakeClock, server: String? = nil, isPrivate: Bool = false,
        isPattern: Bool = false,
        isRecorded: Bool = true, requirements: [AudioRequirements] = [], observer: any TakeObserver,
        cancellation: Cancellation? = nil
    ) throws(TakeError) {
        plan = AudioPlan(configuration, isRecorded: isRecorded, requirements: requirements)
        self.observer = observer
        let isLive = requirements.contains { [plan] in !plan.choices(for: $0).isEmpty }
        do throws(TakeError) {
            running =
                plan.tracks.isEmpty
                ? nil
                : try Self.open(
                    plan, configuration, clock: clock, server: server, isPrivate: isPrivate, isPattern: isPattern,
                    isLive: isLive, observer: observer, cancellation: cancellation)
        } catch .audio(.noServer(let fault)) where !plan.isRequired {
            observer.observe(.warning("No audio server answers (\(fault.words)), so this take has no audio."))
            running = nil
        } catch .audioEncoder(.missing(let library, let lack, let remedy)) where !plan.isRequired {
            observer.observe(
                .warning("\(library), which encodes audio, \(lack), so this take has no audio; \(remedy)."))
            running = nil
        }
        tracks = running?.worker.recordedFormats ?? []
        off = Mutex(running?.off ?? [])
    }

    private static func open(
        _ plan: AudioPlan, _ configuration: TakeConfiguration.Audio, clock: TakeClock, server: String?, isPrivate: Bool,
        isPattern: Bool, isLive: Bool, observer: any TakeObserver, cancellation: Cancellation?
    ) throws(TakeError) -> Running {
        let worker: AudioWorker
        do throws(AudioEncoderError) {
            worker = try AudioWorker(
                plan: plan, configuration: configuration, clock: clock, isLive: isLive, observer: observer)
        } catch {
            throw .audioEncoder(error)
        }
        let channels = configuration.channels
        let pace: AudioPace = isLive ? .live : .file
        let run = { (off: Set<AudioSource>) throws(AudioCapture.Error) -> Running in
            let silent = Set(off.flatMap { plan.targets(of: $0) })
            // The pattern always has audio.
            worker.awaitAudio(of: isPattern ? [] : plan.awaited.subtracting(silent))
            let capture: any AudioFeed =
                isPattern
                ? try PatternAudio(channels: channels, pace: pace, receiver: worker)
                : try AudioCapture(
                    targets: plan.targets, off: silent, channels: channels, server: server, isPrivate: isPrivate,
                    pace: pace, receiver: worker, cancellation: cancellation)
            return Running(worker: worker, capture: capture, off: off)
        }
        do throws(AudioCapture.Error) {
            do throws(AudioCapture.Error) {
                return try run(configuration.isMicrophoneOff ? [.microphone] : [])
            } catch .missing(let audio) where configuration.isMicrophoneOptional && audio.target.isMicrophone {
                // A later request to record the microphone may find one.
                observer.observe(.warning(AudioWarning.missing(audio).sentence))
                return try run([.microphone])
            }
        } catch {
            throw .audio(error)
        }
    }

    /// The audio that a feed with these requirements gets, and its tracks. Late requirements are met only by existing
    /// tracks.
    func tracks(for requirements: AudioRequirements) -> [(track: Int, audio: AudioFormat)] {
        guard let worker = running?.worker else { return [] }
        return plan.choices(for: requirements).compactMap { output in
            worker.formats[output].map { (track: output.track, audio: $0) }
        }
    }

    /// The audio that a feed with these requirements lacks because it came after the tracks were made.
    package func missing(for requirements: AudioRequirements) -> [SampleType] { plan.missing(for: requirements) }

    /// Begins to deliver. Audio from before the take's origin is left out; audio that has not come is silence. The observer gets
    /// `audioArrived` once every device that is recorded from the start has delivered.
    func start(into sink: any AudioSink) {
        guard let worker = running?.worker else { return observer.observe(.audioArrived) }
        worker.start(into: sink)
    }

    /// The devices that the take still waits for: they have delivered no audio yet.
    package var awaited: [AudioTarget] { running?.worker.awaited ?? [] }

    /// Delivers everything up to the media time of `end` (CLOCK_MONOTONIC, nanoseconds), the last access unit filled up
    /// with silence, and ends the threads. Waits for the devices' last audio, 0.8 s at most. No callback comes after it
    /// returns.
    func finish(at end: Int64) {
        guard let running, running.worker.prepareToFinish(at: end) else { return }
        running.capture.hurry()
        running.worker.waitForAudio(until: MonotonicClock.now() + Self.finishingTimeout)
        running.capture.stop()
        running.worker.finish(at: end)
    }

    /// Sets the pace of capture. Without listeners audio is fetched in large pieces, so that the machine can sleep.
    func listen(_ somebodyListens: Bool) {
        running?.worker.listen(somebodyListens)
        running?.capture.change(pace: somebodyListens ? .live : .file)
    }

    /// Begins or ends `TakeEvent.audioLevels`. The pace of the capture stays as it is: of a large piece of audio there is one event, with
    /// the highest peaks of all of it.
    package func measureLevels(_ isOn: Bool) { running?.worker.measureLevels(isOn) }

    /// False in a take that began without this source.
    package func has(_ source: AudioSource) -> Bool {
        running?.capture is AudioCapture && !plan.targets(of: source).isEmpty
    }

    /// Starts or stops recording a source. Returns false in a take that began without it.
    package func set(_ source: AudioSource, isOn: Bool) -> Bool {
        guard let running, has(source) else { return false }
        let targets = plan.targets(of: source)
        for target in targets { running.capture.set(target: target, isOn: isOn) }
        if !isOn { running.worker.stopAwaiting { targets.contains($0) } }
        off.withLock { $0 = isOn ? $0.subtracting([source]) : $0.union([source]) }
        return true
    }

    /// Whether a source is recorded now. Nil in a take that began without it.
    package func isOn(_ source: AudioSource) -> Bool? { has(source) ? off.withLock { !$0.contains(source) } : nil }

    /// The names of the outputs that the take can record. Nil if it began without the audio of an output.
    package var outputs: [String]? {
        let isOutput = plan.targets(of: .app).allSatisfy { plan.targets[$0].isOutput }
        return has(.app) && isOutput ? serverCapture?.outputs : nil
    }

    /// Records this output, one of `outputs`, instead of the current one.
    package func setOutput(_ name: String) {
        for target in plan.targets(of: .app) { serverCapture?.change(target: target, to: .output(name)) }
    }

    /// The capture of an audio server; nil for the test pattern's audio.
    private var serverCapture: AudioCapture? { running?.capture as? AudioCapture }

    /// Frames of all tracks that went through an encoder.
    var encodedFrames: Int { running?.worker.encodedFrames ?? 0 }

    /// Ends the threads without delivering the remaining audio.
    func cancel() { running?.capture.stop() }
}
