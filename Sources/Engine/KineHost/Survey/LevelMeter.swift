// The levels of the audio that a person has chosen in the studio, before anything is recorded.
import KineMedia
import KinePlatform
import KinePulse
import KineWire
import Synchronization
import SystemPackage

/// Measures on the threads of the audio capture. Opening devices blocks, so a thread of its own does it.
final class LevelMeter: Sendable {
    /// The audio to measure.
    struct Choice: Sendable, Equatable {
        var audio = TakeConfiguration.AppAudio.none
        var microphone = TakeConfiguration.Microphone.none

        /// At most one for the audio, then at most one for the microphone.
        fileprivate var targets: [(isMicrophone: Bool, target: AudioTarget)] {
            [AudioTarget(audio), AudioTarget(microphone)].compactMap(\.self).map { ($0.isMicrophone, $0) }
        }
    }

    private let choices = Mailbox<Choice>()

    /// - Parameter report: gets the levels some ten times a second while they change, on any thread.
    init(report: @escaping @Sendable (SurveyLevels) -> Void) throws(Errno) {
        let choices = choices
        _ = try DedicatedThread(starting: "levels") {
            var capture: AudioCapture?
            while !choices.isOver {
                if let choice = choices.drain().last {
                    capture?.stop()
                    capture = Self.open(choice, report)
                }
                _ = WakeSignal.poll([choices.descriptor], until: nil)
            }
            capture?.stop()
        }
    }

    deinit { choices.close() }

    func measure(_ choice: Choice) { choices.post(choice) }

    private static func open(
        _ choice: Choice, _ report: @escaping @Sendable (SurveyLevels) -> Void
    ) -> AudioCapture? {
        report(SurveyLevels())
        let targets = choice.targets
        guard !targets.isEmpty else { return nil }
        do throws(AudioCapture.Error) {
            return try AudioCapture(
                targets: targets.map(\.target), channels: 1, pace: .meter,
                receiver: PeakReceiver(isMicrophone: targets.map(\.isMicrophone), report: report))
        } catch {
            report(SurveyLevels(problem: error.sentence))
            return nil
        }
    }
}

/// Keeps the largest sample of each target since the last report.
private final class PeakReceiver: AudioReceiver {
    private struct State {
        var targets: [AudioStreamID: Int] = [:]
        var peaks: [Float]
        var problem: String?
        var reported: SurveyLevels?
    }

    private let isMicrophone: [Bool]
    private let report: @Sendable (SurveyLevels) -> Void
    private let state: Mutex<State>

    init(isMicrophone: [Bool], report: @escaping @Sendable (SurveyLevels) -> Void) {
        (self.isMicrophone, self.report) = (isMicrophone, report)
        state = Mutex(State(peaks: isMicrophone.map { _ in 0 }))
    }

    func audioOpened(_ stream: AudioStreamID, target: Int, sampleRate: Int) {
        state.withLock { $0.targets[stream] = target }
    }

    func audio(_ stream: AudioStreamID, samples: Span<Float>) {
        var peak: Float = 0
        for index in samples.indices { peak = max(peak, abs(samples[index])) }
        state.withLock { state in
            guard let target = state.targets[stream] else { return }
            state.peaks[target] = max(state.peaks[target], peak)
        }
    }

    func audioMissing(_ stream: AudioStreamID, frames: Int) {}

    func audioTimed(_ stream: AudioStreamID, reading: AudioClockReading) {}

    func audioClosed(_ stream: AudioStreamID) { state.withLock { $0.targets[stream] = nil } }

    func audioSettled(now: Int64) {
        let levels = state.withLock { state -> SurveyLevels? in
            var levels = SurveyLevels(problem: state.problem)
            for (isMicrophone, peak) in zip(isMicrophone, state.peaks) {
                let level = AudioLevels.level(ofPeak: peak)
                if isMicrophone { levels.levels.microphone = level } else { levels.levels.app = level }
            }
            state.peaks = state.peaks.map { _ in 0 }
            defer { state.reported = levels }
            return levels == state.reported ? nil : levels
        }
        if let levels { report(levels) }
    }

    func audioWarning(_ warning: AudioWarning) {
        // Nothing is recorded yet.
        if case .unrecorded = warning { return }
        state.withLock { $0.problem = warning.sentence }
    }
}
