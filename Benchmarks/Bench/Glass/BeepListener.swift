// Hears the beeps that a browser plays, and when.
import KineCapture
import KineMeasure
import KinePlatform
import Synchronization

/// Listens to a private sound server until it is stopped.
final class BeepListener: Sendable {
    /// Half a beep's strength: what a codec smears over the samples before its onset stays below it.
    private static let loudness: Float = 0.25

    private final class Ear: SoundReceiver {
        struct State {
            var frame: Int64 = 0
            var reading: SoundClockReading?
            var quiet = 48000
            var beeps: [Int64] = []
        }

        let state = Mutex(State())

        func soundOpened(_ stream: SoundStreamID, target: Int, sampleRate: Int) {}
        func soundMissing(_ stream: SoundStreamID, frames: Int) { state.withLock { $0.frame += Int64(frames) } }
        func soundTimed(_ stream: SoundStreamID, reading: SoundClockReading) {
            state.withLock {
                $0.reading = reading
                $0.frame = reading.frame
            }
        }
        func soundClosed(_ stream: SoundStreamID) {}
        func soundSettled(now: Int64) {}
        func soundWarning(_ warning: AudioWarning) {}

        func sound(_ stream: SoundStreamID, samples: Span<Float>) {
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

    private let ear = Ear()
    private let capture: SoundCapture

    init(_ server: PrivateSound) throws {
        let address = server.environment.lazy.compactMap { entry in
            entry.hasPrefix("PULSE_SERVER=") ? String(entry.dropFirst("PULSE_SERVER=".count)) : nil
        }.first
        capture = try SoundCapture(targets: [.defaultOutput], channels: 1, server: address, pace: .live, receiver: ear)
    }

    func stop() { capture.stop() }

    /// When each beep began to be heard: nanoseconds of CLOCK_MONOTONIC.
    var beeps: [Int64] { ear.state.withLock { $0.beeps } }
}
