// The receiver between the capture and the assembler: gives each stream its lane, and moves the tracks on whenever
// sound came or enough time passed.
import KineCapture
import KineCodecs
import KineControl
import KineMedia
import KinePlatform

final class AudioWorker: SoundReceiver {
    private struct State {
        var assembler: SoundAssembler
        var outputs: [SoundOutput]
        var lanes: [SoundStreamID: SoundLane] = [:]
        var isStarted = false
        var isClaimed = false
        var end: Int64?
        var hasReachedEnd = false
        /// An encoder failed; the take goes on without further sound.
        var isBroken = false
    }

    /// For each track of the plan, what its encoder makes.
    let formats: [AudioTrackFormat?]
    private let plan: AudioPlan
    private let grid: SampleGrid
    private let channels: Int
    private let clock: TakeClock
    private let onWarning: @Sendable (String) -> Void
    // Held by the sound thread alone while the take runs, so it never waits; `finish` takes over when that thread is
    // gone.
    private let state: Monitor<State>

    init(
        plan: AudioPlan, configuration: TakeConfiguration.Audio, clock: TakeClock, isLive: Bool,
        listeners: SoundListeners?, onSample: @escaping @Sendable (EncodedSample) -> Void,
        onWarning: @escaping @Sendable (String) -> Void
    ) throws(AACEncoder.Error) {
        self.plan = plan
        self.clock = clock
        self.onWarning = onWarning
        grid = SampleGrid(rate: configuration.sampleRate)
        channels = configuration.channels
        var tracks: [SoundTrack] = []
        var outputs: [SoundOutput] = []
        for (index, track) in plan.tracks.enumerated() {
            let isRecorded = track.isRecorded
            let output = try SoundOutput(
                track: track, configuration: configuration,
                encoded: { sample in
                    if isRecorded { onSample(sample) }
                    listeners?.encoded(index, sample)
                }, plain: { listeners?.plain(index, track.type, $0, $1, $2) })
            outputs.append(output)
            tracks.append(
                SoundTrack(
                    channels: configuration.channels, frameLength: output.frameLength, softClips: track.isMixed
                ) { frame throws(AACEncoder.Error) in try output.take(frame) })
        }
        formats = outputs.map(\.format)
        let assembler = SoundAssembler(
            grid: grid, tracks: tracks, margin: isLive ? SoundAssembler.liveMargin : SoundAssembler.margin)
        state = Monitor(State(assembler: assembler, outputs: outputs))
    }

    /// Frames that libavcodec encoded, of all tracks.
    var encodedFrames: Int { state.withLock { $0.outputs.reduce(0) { $0 + $1.encodedFrames } } }

    func start() { state.withLock { $0.isStarted = true } }

    /// True for the first caller only.
    func claimFinish() -> Bool {
        state.withLock { state in
            defer { state.isClaimed = true }
            return !state.isClaimed
        }
    }

    func prepareToFinish(at end: Int64) { state.withLock { $0.end = end } }

    func waitForSound(until deadline: Int64) {
        _ = state.wait(until: deadline) { $0.hasReachedEnd || !$0.isStarted ? true : nil }
    }

    /// Delivers the rest. Only when the capture has stopped.
    func finish(at end: Int64) {
        state.withLock { state in
            guard state.isStarted else { return }
            advance(&state, to: end)
            guard !state.isBroken else { return }
            do {
                try state.assembler.finish()
                for output in state.outputs { try output.finish() }
            } catch { onWarning("\(error)") }
        }
    }

    private func advance(_ state: inout State, to instant: Int64) {
        guard !state.isBroken else { return }
        do {
            try state.assembler.advance(to: instant, timeline: clock.snapshot)
        } catch {
            state.isBroken = true
            // Nobody takes it any more: it must not pile up.
            state.lanes = [:]
            for track in state.assembler.tracks { track.lanes = [] }
            onWarning("\(error)")
        }
    }

    /// Seconds of sound that wait to be encoded, of all devices together.
    var waitingSeconds: Double {
        state.withLock { state in
            state.assembler.tracks.flatMap(\.lanes).reduce(0) { $0 + Double($1.store.end - $1.store.start) }
                / Double(grid.rate)
        }
    }

    func soundOpened(_ stream: SoundStreamID, target: Int, sampleRate: Int) {
        let tracks = plan.tracks.indices.filter { plan.tracks[$0].targets.contains(target) }
        guard !tracks.isEmpty else { return }
        do {
            let lane = try SoundLane(deviceRate: sampleRate, grid: grid, channels: channels)
            state.withLock {
                guard !$0.isBroken else { return }
                $0.lanes[stream] = lane
                for track in tracks { $0.assembler.tracks[track].lanes.append(lane) }
            }
        } catch {
            onWarning("\(error)")
        }
    }

    func sound(_ stream: SoundStreamID, samples: Span<Float>) {
        state.withLock { $0.lanes[stream]?.append(samples) }
    }

    func soundMissing(_ stream: SoundStreamID, frames: Int) {
        state.withLock { $0.lanes[stream]?.appendMissing(frames: frames) }
    }

    func soundTimed(_ stream: SoundStreamID, reading: SoundClockReading) {
        state.withLock { $0.lanes[stream]?.timed(instant: reading.instant) }
    }

    func soundClosed(_ stream: SoundStreamID) {
        state.withLock { $0.lanes.removeValue(forKey: stream)?.isClosed = true }
    }

    func soundSettled(now: Int64) {
        let isComplete = state.withLock { state in
            guard state.isStarted else {
                state.assembler.discard(before: now - SoundAssembler.prelude)
                return false
            }
            advance(&state, to: min(state.assembler.horizon(now: now), state.end ?? .max))
            return state.end.map { state.assembler.isComplete(upTo: $0) } ?? false
        }
        guard isComplete else { return }
        state.signal { $0.hasReachedEnd = true }
    }

    func soundWarning(_ sentence: String) { onWarning(sentence) }
}
