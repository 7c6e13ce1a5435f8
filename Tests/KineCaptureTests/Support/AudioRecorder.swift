// Keeps what an audio capture delivers, for tests to wait for and to judge.
import AudioTesting
import CoreTesting
import Glibc
import KinePlatform
import Testing

@testable import KinePulse

/// Collects the samples of a capture.
final class AudioRecorder: AudioReceiver {
    struct Stream {
        var target: Int
        var rate: Int
        var frames: [Float] = []
        var readings: [AudioClockReading] = []
        var isClosed = false

        /// The instant at which a loud burst began, after `start`.
        func onset(after start: Int64) -> Int64? {
            for (index, sample) in frames.enumerated() where abs(sample) > 0.5 {
                let instant = instant(of: Int64(index))
                if instant > start { return instant }
            }
            return nil
        }

        func instant(of frame: Int64) -> Int64 {
            let reading = readings.last { $0.frame <= frame } ?? readings[0]
            return reading.instant + (frame - reading.frame) * 1_000_000_000 / Int64(rate)
        }
    }

    struct State {
        var streams: [AudioStreamID: Stream] = [:]
        var order: [AudioStreamID] = []
        var warnings: [AudioWarning] = []
        var settled = 0
    }

    let state = Monitor(State())

    func audioOpened(_ stream: AudioStreamID, target: Int, sampleRate: Int) {
        state.signal {
            $0.streams[stream] = Stream(target: target, rate: sampleRate)
            $0.order.append(stream)
        }
    }
    func audio(_ stream: AudioStreamID, samples: Span<Float>) {
        state.signal { state in
            for index in stride(from: 0, to: samples.count, by: 2) {
                state.streams[stream]?.frames.append(samples[index])
            }
        }
    }
    func audioMissing(_ stream: AudioStreamID, frames: Int) {
        state.signal { $0.streams[stream]?.frames.append(contentsOf: repeatElement(0, count: frames)) }
    }
    func audioTimed(_ stream: AudioStreamID, reading: AudioClockReading) {
        state.signal { $0.streams[stream]?.readings.append(reading) }
    }
    func audioClosed(_ stream: AudioStreamID) { state.signal { $0.streams[stream]?.isClosed = true } }
    func audioSettled(now: Int64) { state.signal { $0.settled += 1 } }
    func audioWarning(_ warning: AudioWarning) { state.signal { $0.warnings.append(warning) } }

    /// Waits until `body` finds something in the state.
    func waitFor<Result>(
        _ what: String, _ body: (State) -> Result?
    ) throws -> Result {
        let found = state.wait(until: WaitLimit.deadline()) { body($0) }
        guard let found else {
            throw TestAudioServer.Failure(
                description: "waited in vain for \(what); warnings: \(state.withLock { $0.warnings })")
        }
        return found
    }
}

extension AudioRecorder {
    /// Waits until the captured audio has passed a click, and judges its place. The bounds hold on a quiet machine: an audio
    /// server that is kept from running loses samples, and its clock is a guess.
    func judge(click round: Int, heard: Int64, within milliseconds: Double = 10) throws {
        let found = try waitFor("sound behind click \(round)") { state -> Int64?? in
            if let onset = state.streams.values.compactMap({ $0.onset(after: heard - 400_000_000) }).first {
                return .some(onset)
            }
            let isPast = state.streams.values.contains {
                !$0.readings.isEmpty && $0.instant(of: Int64($0.frames.count)) > heard + 1_000_000_000
            }
            return isPast ? .some(nil) : nil
        }
        Margin.atLeast(1, found == nil ? 0 : 1, "clicks", "a click that is found")
        if let found { Margin.atMost(milliseconds, abs(Double(found - heard)) / 1e6, "ms", "a click's place") }
    }
}
