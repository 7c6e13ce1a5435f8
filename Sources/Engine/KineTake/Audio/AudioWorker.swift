// The receiver between the capture and the assembler. It gives each stream its lane, and advances the assembler when
// audio came or enough time passed.
import KineCodecs
import KineMedia
import KinePlatform
import KinePulse

final class AudioWorker: AudioReceiver {
    enum Phase {
        /// Some audio is kept, since the take may begin at any moment.
        case opening
        case delivering
        /// Audio up to this instant is still wanted. `isComplete`: all audio up to there has come.
        case ending(at: Int64, isComplete: Bool)
        /// An encoder failed: the take goes on without further audio.
        case broken
        /// The end came before the start, or after a failure.
        case over
    }

    struct State {
        var phase = Phase.opening
        let assembler: AudioAssembler
        var lanes: [AudioStreamID: AudioLane] = [:]
        /// The mixers of microphones with two channels.
        var microphones: [AudioStreamID: MicrophoneChannels] = [:]
        /// Indices of the targets that the take still waits for.
        var awaited: Set<Int> = []
        /// The streams of those targets.
        var awaitedStreams: [AudioStreamID: Int] = [:]
        /// Microphones whose silence has not been reported.
        var unreported: Set<AudioStreamID> = []

        /// The outputs of all tracks.
        var outputs: [AudioTrackOutput] { assembler.tracks.flatMap(\.outputs) }
    }

    /// Seconds of a microphone's digital silence after which a warning is sent.
    static let longestSilence = 10

    /// The formats of the plan's tracks, in each form that is made.
    let formats: [AudioPlan.Output: AudioFormat]
    /// Those of the file's tracks.
    let recordedFormats: [AudioFormat]
    private let plan: AudioPlan
    private let grid: SampleGrid
    private let channels: Int
    private let microphoneChannels: TakeConfiguration.MicrophoneChannels
    private let clock: TakeClock
    private let observer: any TakeObserver
    private let wasLiveFromTheStart: Bool
    // Only the audio thread holds it for longer than a moment; `finish` is called after that thread's end.
    let state: Monitor<State>

    init(
        plan: AudioPlan, configuration: TakeConfiguration.Audio, clock: TakeClock, isLive: Bool,
        observer: any TakeObserver
    ) throws(AudioEncoderError) {
        self.plan = plan
        self.clock = clock
        self.observer = observer
        wasLiveFromTheStart = isLive
        grid = SampleGrid(rate: configuration.sampleRate)
        channels = configuration.channels
        microphoneChannels = configuration.microphoneChannels
        let tracks = try plan.tracks.indices.map { index throws(AudioEncoderError) in
            AudioTrack(
                channels: configuration.channels, softClips: plan.tracks[index].isMixed,
                outputs: try AudioTrackOutput.open(track: index, plan.tracks[index], configuration))
        }
        let outputs = tracks.flatMap(\.outputs)
        formats = Dictionary(uniqueKeysWithValues: outputs.map { ($0.output, $0.format) })
        recordedFormats = outputs.filter(\.isRecorded).map(\.format)
        let sources = [AudioSource.app, .microphone].compactMap { source in
            plan.track(of: source).map { (source, $0) }
        }
        let assembler = AudioAssembler(
            grid: grid, tracks: tracks, margin: isLive ? AudioAssembler.liveMargin : AudioAssembler.margin,
            meter: AudioMeter(tracks: Dictionary(uniqueKeysWithValues: sources)))
        state = Monitor(State(assembler: assembler))
    }

    /// Frames of all tracks that went through an encoder.
    var encodedFrames: Int { state.withLock { $0.outputs.reduce(0) { $0 + $1.encodedFrames } } }

    /// Peaks of the sources that were computed for meters.
    var computedPeaks: Int { state.withLock { $0.assembler.meter.computedPeaks } }

    /// As `AudioPipeline.measureLevels`.
    func measureLevels(_ isOn: Bool) { state.withLock { $0.assembler.meter.set(isOn: isOn) } }

    func start(into sink: any AudioSink) {
        state.withLock { state in
            for output in state.outputs { output.sink = sink }
            state.phase = .delivering
        }
    }

    /// Call it before the capture begins.
    func awaitAudio(of targets: Set<Int>) {
        state.withLock { $0.awaited = targets }
        if targets.isEmpty { observer.observe(.audioArrived) }
    }

    var awaited: [AudioTarget] { state.withLock { state in state.awaited.sorted().map { plan.targets[$0] } } }

    /// Stops waiting for the targets for whose indices `isEnough` is true.
    func stopAwaiting(_ isEnough: (Int) -> Bool) {
        let isComplete = state.withLock { state in
            guard !state.awaited.isEmpty else { return false }
            state.awaited = state.awaited.filter { !isEnough($0) }
            return state.awaited.isEmpty
        }
        if isComplete { observer.observe(.audioArrived) }
    }

    /// Holds back less audio while a feed has audio, so that it is delivered sooner.
    func listen(_ somebodyListens: Bool) {
        guard !wasLiveFromTheStart else { return }
        state.withLock {
            $0.assembler.margin = somebodyListens ? AudioAssembler.liveMargin : AudioAssembler.margin
        }
    }

    /// Sets the end of the audio. Returns false if it was called before.
    func prepareToFinish(at end: Int64) -> Bool {
        state.withLock { state in
            switch state.phase {
            case .opening, .broken: state.phase = .over
            case .delivering: state.phase = .ending(at: end, isComplete: false)
            case .ending, .over: return false
            }
            return true
        }
    }

    /// Waits until all audio up to the end has come. Call it after `prepareToFinish`.
    func waitForAudio(until deadline: Int64) {
        _ = state.wait(until: deadline) { state -> Bool? in
            if case .ending(_, isComplete: false) = state.phase { nil } else { true }
        }
    }

    /// Delivers the remaining audio. Call it when the capture has stopped.
    func finish(at end: Int64) {
        state.withLock { state in
            guard advance(&state, to: end) else { return }
            do { try state.assembler.finish() } catch { observer.observe(.warning("\(error)")) }
        }
    }

    /// False if nothing is delivered.
    private func advance(_ state: inout State, to instant: Int64) -> Bool {
        switch state.phase {
        case .opening, .broken, .over: return false
        case .delivering, .ending: break
        }
        do {
            try state.assembler.advance(to: instant, timeline: clock.snapshot)
            return true
        } catch {
            state.phase = .broken
            // Audio that is not delivered any more must not pile up.
            state.lanes = [:]
            for track in state.assembler.tracks { track.lanes = [] }
            observer.observe(.warning("\(error)"))
            return false
        }
    }

    // MARK: On the audio thread

    func audioOpened(_ stream: AudioStreamID, target: Int, sampleRate: Int) {
        let tracks = plan.tracks.indices.filter { plan.tracks[$0].targets.contains(target) }
        guard !tracks.isEmpty else { return }
        do {
            let lane = try AudioLane(
                deviceRate: sampleRate, grid: grid, channels: channels,
                source: plan.microphones.contains(target) ? .microphone : .app)
            state.withLock { state in
                if case .broken = state.phase { return }
                state.lanes[stream] = lane
                if state.awaited.contains(target) { state.awaitedStreams[stream] = target }
                if plan.microphones.contains(target) {
                    state.unreported.insert(stream)
                    if channels == 2 {
                        state.microphones[stream] = MicrophoneChannels(microphoneChannels, rate: sampleRate)
                    }
                }
                for track in tracks { state.assembler.tracks[track].lanes.append(lane) }
            }
        } catch {
            observer.observe(.warning("\(error)"))
        }
    }

    func audio(_ stream: AudioStreamID, samples: Span<Float>) {
        let (delivered, isSilent) = state.withLock { state -> (Int?, Bool) in
            guard let lane = state.lanes[stream] else { return (nil, false) }
            if state.microphones[stream] != nil {
                var mixed = (0..<samples.count).map { samples[$0] }
                state.microphones[stream]?.mix(&mixed)
                lane.append(mixed.span)
            } else {
                lane.append(samples)
            }
            let isSilent =
                lane.silentFrames >= Self.longestSilence * lane.deviceRate && state.unreported.remove(stream) != nil
            return (state.awaitedStreams.removeValue(forKey: stream), isSilent)
        }
        if let delivered { stopAwaiting { $0 == delivered } }
        if isSilent { audioWarning(.silentMicrophone(seconds: Self.longestSilence)) }
    }

    func audioMissing(_ stream: AudioStreamID, frames: Int) {
        state.withLock { $0.lanes[stream]?.appendMissing(frames: frames) }
    }

    func audioTimed(_ stream: AudioStreamID, reading: AudioClockReading) {
        state.withLock { $0.lanes[stream]?.timed(instant: reading.instant) }
    }

    func audioClosed(_ stream: AudioStreamID) {
        state.withLock { state in
            state.lanes.removeValue(forKey: stream)?.isClosed = true
            state.unreported.remove(stream)
            state.microphones.removeValue(forKey: stream)
        }
    }

    func audioSettled(now: Int64) {
        var levels: AudioLevels?
        let isWaitOver = state.withLock { state -> Bool in
            let assembler = state.assembler
            switch state.phase {
            case .opening: assembler.discard(before: now - AudioAssembler.prelude)
            case .delivering:
                let isDelivered = advance(&state, to: assembler.horizon(now: now))
                levels = isDelivered ? assembler.meter.report(at: assembler.cursor) : assembler.meter.reportSilence()
            case .ending(let end, isComplete: false):
                guard advance(&state, to: min(assembler.horizon(now: now), end)) else { return true }
                guard assembler.isComplete(upTo: end) else { break }
                state.phase = .ending(at: end, isComplete: true)
                return true
            case .ending, .broken, .over: break
            }
            return false
        }
        if let levels { observer.observe(.audioLevels(levels)) }
        if isWaitOver { state.signal { _ in } }
    }

    func audioWarning(_ warning: AudioWarning) {
        observer.observe(.warning(warning.sentence))
        if case .unrecorded(let audio) = warning { observer.observe(.audioUnrecorded(audio)) }
        switch warning {
        case .serverLost: stopAwaiting { _ in true }
        case .missing(let missing): stopAwaiting { plan.targets[$0] == missing.target }
        case .gone(let target): stopAwaiting { plan.targets[$0] == target }
        case .microphoneReplaced, .microphoneChanges, .inaudible, .unrecorded, .silentMicrophone: break
        }
    }
}
