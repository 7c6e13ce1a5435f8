// Hears the beeps that a browser plays, and when.
import KineMeasure
import KinePulse
import Synchronization

/// Listens to a private audio server until it is stopped.
final class BeepListener: Sendable {
    /// Half a beep's strength: what a codec smears over the samples before its onset stays below it.
    private static let loudness: Float = 0.25

    private final class Receiver: AudioReceiver {
        struct State {
            var frame: Int64 = 0
            var reading: AudioClockReading?
            var quiet = 48000
            var beeps: [Int64] = []
        }

        let state = Mutex(State())

        func audioOpened(_ stream: AudioStreamID, target: Int, sampleRate: Int) {}
        func audioMissing(_ stream: AudioStreamID, frames: Int) { state.withLock { $0.frame += Int64(frames) } }
        func audioTimed(_ stream: AudioStreamID, reading: AudioClockReading) {
            state.withLock {
                $0.reading = reading
                $0.frame = reading.frame
            }
        }
        func audioClosed(_ stream: AudioStreamID) {}
        func audioSettled(now: Int64) {}
        func audioWarning(_ warning: AudioWarning) {}

        func audio(_ stream: AudioStreamID, samples: Span<Float>) {
            state.withLock { state in
                for index in 0..<samples.count {
                    if abs(samples[index]) < BeepListener.loudness {
                        state.quiet += 1
                    } else {
                        // A beep begins with its first loud sample after a twentieth of a second of quiet.
                        if state.quiet >= 2400, let reading = state.reading {
                            state.beeps.append(
                                reading.instant + (state.frame + Int64(index) - reading.frame) * 1_000_000_000 / 48000)
                        }
                        state.quiet = 0
                    }
                }
                state.frame += Int64(samples.count)
            }
        }
    }

    private let receiver = Receiver()
    private let capture: AudioCapture

    init(_ server: PrivateAudio) throws {
        let address = server.environment.lazy.compactMap { entry in
            entry.hasPrefix("PULSE_SERVER=") ? String(entry.dropFirst("PULSE_SERVER=".count)) : nil
        }.first
        capture = try AudioCapture(
            targets: [.defaultOutput], channels: 1, server: address, pace: .live, receiver: receiver)
    }

    func stop() { capture.stop() }

    /// The time at which each beep began: nanoseconds of CLOCK_MONOTONIC.
    var beeps: [Int64] { receiver.state.withLock { $0.beeps } }
}
