// An audio stream that is silent but for beeps, each begun so that it is heard at a given instant.
import CPulse
import Glibc
import KineMeasure
import KinePlatform

/// Plays to the default sink of the PulseAudio server that the environment names. "Heard" is what the server says of the
/// sink: for a null sink, when its monitor has the sample.
final class Beeper: Sendable {
    private static let rate = AudioConnection.rate
    /// How many estimates are kept: half a second of them, so that a sink whose latency changes is believed soon.
    private static let memory = 33

    private struct State {
        /// When beeps are to be heard, in order, in nanoseconds of CLOCK_MONOTONIC.
        var instants: [Int64] = []
        /// Samples given to the server.
        var written: Int64 = 0
        /// The latest estimates of when sample 0 is heard; their median is believed, since each one is off by what the
        /// server's answer took to arrive.
        var origins: [Int64] = []
        /// How many there have been.
        var estimates = 0
        /// Samples left of the beep that is heard, and its phase.
        var remaining = 0
        var phase = 0
    }

    private let state = Monitor(State())
    private let connection: AudioConnection

    /// Connects and begins to play silence. Throws where no server answers.
    init() throws(AudioConnection.Error) {
        connection = try AudioConnection()
        // libpulse's thread calls back until the process ends, also after whoever made this has let it go.
        let itself = Unmanaged.passRetained(self).toOpaque()
        connection.lock()
        defer { connection.unlock() }
        // 60 ms in flight: short enough to be asked often, long enough to survive a busy machine.
        let flags = pa_stream_flags(
            PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_AUTO_TIMING_UPDATE.rawValue
                | PA_STREAM_INTERPOLATE_TIMING.rawValue)
        _ = try connection.openStream("flash and beep", latency: 60, flags: flags) { stream in
            pa_stream_set_write_callback(
                stream,
                { stream, bytes, itself in
                    guard let stream, let itself else { return }
                    Unmanaged<Beeper>.fromOpaque(itself).takeUnretainedValue().write(bytes, to: stream)
                }, itself)
            // A machine that stood still too long leaves a gap in the audio, and all after it is heard later.
            pa_stream_set_underflow_callback(
                stream,
                { _, itself in
                    guard let itself else { return }
                    Unmanaged<Beeper>.fromOpaque(itself).takeUnretainedValue().state.withLock { $0.origins.removeAll() }
                }, itself)
        }
    }

    /// Waits until the sink's latency is known well, at most until `deadline`: the first answers of a server that has just
    /// begun to play are wrong.
    func settle(deadline: Int64) {
        _ = state.wait(until: deadline) { $0.estimates > 2 * Beeper.memory ? true : nil }
    }

    /// Plays a beep that is heard at `instant`, at least 300 ms ahead and later than all before.
    func schedule(at instant: Int64) { state.withLock { $0.instants.append(instant) } }

    private func write(_ bytes: Int, to stream: OpaquePointer) {
        var latency: pa_usec_t = 0
        var negative: Int32 = 0
        let known = pa_stream_get_latency(stream, &latency, &negative) == 0
        let now = MonotonicClock.now()
        let count = bytes / 4
        let samples = state.signal { state in
            if known {
                let ahead = Int64(latency) * (negative != 0 ? -1000 : 1000)
                state.estimates += 1
                state.origins.append(now + ahead - Beeper.nanoseconds(state.written))
                if state.origins.count > Beeper.memory { state.origins.removeFirst() }
            }
            return Beeper.fill(count, &state)
        }
        samples.withUnsafeBytes { _ = pa_stream_write(stream, $0.baseAddress, $0.count, nil, 0, PA_SEEK_RELATIVE) }
    }

    private static func fill(_ count: Int, _ state: inout State) -> [Float] {
        var samples = [Float](repeating: 0, count: count)
        let origin = state.origins.sorted()[safe: state.origins.count / 2]
        var next: Int64?
        func sample(of instant: Int64) -> Int64? {
            origin.map { ((instant - $0) * Int64(rate) + 500_000_000) / 1_000_000_000 }
        }
        next = state.instants.first.flatMap(sample)
        for index in 0..<count {
            if let start = next, state.written + Int64(index) >= start {
                state.instants.removeFirst()
                state.remaining = Int(FlashScene.length * Int64(rate) / 1_000_000_000)
                state.phase = 0
                next = state.instants.first.flatMap(sample)
            }
            guard state.remaining > 0 else { continue }
            samples[index] = AudioConnection.beep(at: state.phase)
            state.phase += 1
            state.remaining -= 1
        }
        state.written += Int64(count)
        return samples
    }

    private static func nanoseconds(_ samples: Int64) -> Int64 { samples * 1_000_000_000 / Int64(rate) }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
