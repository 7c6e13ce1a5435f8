// The test pattern's audio: a beep at every full second of CLOCK_MONOTONIC, as long as the pattern's square is lit.
import KineMedia
import KinePlatform
import KinePulse
import SystemPackage

/// Synthetic audio that needs no server: one stereo or mono stream at 48 kHz for target 0.
public final class PatternAudio: AudioFeed {
    private struct State {
        var isStopping = false
        var interval: Int64
    }

    private let state: Monitor<State>
    private let thread: DedicatedThread

    private static let sampleRate: Int64 = 48000
    /// Hertz.
    private static let pitch = 1000.0
    /// A fraction of full scale.
    private static let level: Float = 0.25
    private static let hurriedInterval: Int64 = 20_000_000

    /// Throws if the process may have no more threads.
    public init(
        channels: Int, pace: AudioPace = .file, receiver: any AudioReceiver
    ) throws(AudioCapture.Error) {
        let state = Monitor(State(interval: Int64(pace.interval * 1e9)))
        self.state = state
        do throws(Errno) {
            thread = try DedicatedThread(starting: "audio") {
                Self.run(state, channels: channels, receiver: receiver)
            }
        } catch {
            throw .noThread(error)
        }
    }

    /// The beep cannot be turned off.
    public func set(target: Int, isOn: Bool) {}

    public func hurry() { state.signal { $0.interval = min($0.interval, Self.hurriedInterval) } }

    public func change(pace: AudioPace) { state.signal { $0.interval = Int64(pace.interval * 1e9) } }

    public func stop() {
        let isFirst = state.signal { state -> Bool in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        if isFirst { thread.join() }
    }

    deinit { stop() }

    private static func run(_ state: Monitor<State>, channels: Int, receiver: any AudioReceiver) {
        let stream = AudioStreamID(rawValue: 0)
        receiver.audioOpened(stream, target: 0, sampleRate: Int(sampleRate))
        let tone = Tone(channels: channels)
        let begin = MonotonicClock.now()
        var position: Int64 = 0
        while !state.withLock({ $0.isStopping }) {
            let now = MonotonicClock.now()
            // All samples up to now, as a device would deliver them.
            let end = MediaTime(nanoseconds: now - begin).ticks(timescale: Int32(sampleRate))
            if end > position {
                let first = begin + MediaTime(ticks: position, timescale: Int32(sampleRate)).nanoseconds
                receiver.audioTimed(stream, reading: AudioClockReading(frame: position, instant: first))
                let samples = tone.samples(frames: Int(end - position), from: first)
                receiver.audio(stream, samples: samples.span)
                position = end
            }
            receiver.audioSettled(now: now)
            let interval = state.withLock { $0.interval }
            _ = state.wait(until: now + interval) { $0.isStopping || $0.interval < interval ? true : nil }
        }
        receiver.audioClosed(stream)
    }

    /// One period of the tone, so that no sine is computed during a recording.
    private struct Tone {
        let channels: Int
        private let period: [Float]

        init(channels: Int) {
            self.channels = channels
            let length = Int(Double(sampleRate) / pitch)
            period = (0..<length).map { level * Self.sine(Double($0) / Double(length)) }
        }

        func samples(frames: Int, from instant: Int64) -> [Float] {
            var result = [Float](repeating: 0, count: frames * channels)
            for frame in 0..<frames {
                let time = instant + Int64(frame) * 1_000_000_000 / sampleRate
                guard time % 1_000_000_000 < PatternSource.flashLength else { continue }
                let value = period[Int(time % 1_000_000_000 * sampleRate / 1_000_000_000) % period.count]
                for channel in 0..<channels { result[frame * channels + channel] = value }
            }
            return result
        }

        /// A sine of `turns` in 0…1, approximated by parabolas through its zeros and extremes: good enough for a beep.
        private static func sine(_ turns: Double) -> Float {
            let half = turns < 0.5 ? turns * 2 : turns * 2 - 1
            let bow = Float(4 * half * (1 - half))
            return turns < 0.5 ? bow : -bow
        }
    }
}
