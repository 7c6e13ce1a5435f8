// An audio stream that is silent but for beeps, each begun so that it is heard at a given instant.
import CPulse
import Glibc
import KineMeasure
import KinePlatform

/// Plays to the default sink of the PulseAudio server that the environment names. "Heard" is what the server says of the
/// sink: for a null sink, when its monitor has the sample.
final class Beeper: Sendable {
    struct Error: Swift.Error, CustomStringConvertible {
        let description: String
    }

    /// Samples a second; one channel of 32-bit floats.
    static let rate = 48000
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
    // Sendable: the three live as long as the process and libpulse's threaded main loop guards them.
    private nonisolated(unsafe) var loop: OpaquePointer?
    private nonisolated(unsafe) var context: OpaquePointer?
    private nonisolated(unsafe) var stream: OpaquePointer?

    /// Connects and begins to play silence. Throws where no server answers.
    init() throws(Error) {
        guard let loop = pa_threaded_mainloop_new(), let api = pa_threaded_mainloop_get_api(loop),
            let context = pa_context_new(api, "kinecast-scene")
        else { throw Error(description: "libpulse could not be started: the process is out of memory.") }
        self.loop = loop
        self.context = context
        pa_context_set_state_callback(
            context, { _, loop in pa_threaded_mainloop_signal(OpaquePointer(loop), 0) },
            UnsafeMutableRawPointer(loop))
        pa_threaded_mainloop_start(loop)
        pa_threaded_mainloop_lock(loop)
        defer { pa_threaded_mainloop_unlock(loop) }
        guard pa_context_connect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0,
            Beeper.wait(
                loop, until: { pa_context_get_state(context) == PA_CONTEXT_READY },
                orFailure: { pa_context_get_state(context).rawValue >= PA_CONTEXT_FAILED.rawValue })
        else {
            throw Error(description: "No PulseAudio server answers: start one, or set PULSE_SERVER to its socket.")
        }
        try connectStream(loop, context)
    }

    private func connectStream(_ loop: OpaquePointer, _ context: OpaquePointer) throws(Error) {
        var format = pa_sample_spec(format: PA_SAMPLE_FLOAT32LE, rate: UInt32(Beeper.rate), channels: 1)
        guard let stream = pa_stream_new(context, "flash and beep", &format, nil) else {
            throw Error(description: "PulseAudio refused a stream of 48 kHz mono floats.")
        }
        self.stream = stream
        // libpulse's thread calls back until the process ends, also after whoever made this has let it go.
        let itself = Unmanaged.passRetained(self).toOpaque()
        pa_stream_set_state_callback(
            stream, { _, loop in pa_threaded_mainloop_signal(OpaquePointer(loop), 0) },
            UnsafeMutableRawPointer(loop))
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
        // 60 ms in flight: short enough to be asked often, long enough to survive a busy machine.
        let bytes = UInt32(Beeper.rate * 4 * 60 / 1000)
        var buffering = pa_buffer_attr(
            maxlength: .max, tlength: bytes, prebuf: .max, minreq: bytes / 4, fragsize: .max)
        let flags = pa_stream_flags(
            PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_AUTO_TIMING_UPDATE.rawValue
                | PA_STREAM_INTERPOLATE_TIMING.rawValue)
        guard pa_stream_connect_playback(stream, nil, &buffering, flags, nil, nil) >= 0,
            Beeper.wait(
                loop, until: { pa_stream_get_state(stream) == PA_STREAM_READY },
                orFailure: { pa_stream_get_state(stream).rawValue >= PA_STREAM_FAILED.rawValue })
        else { throw Error(description: "PulseAudio has no sink to play to: load module-null-sink or plug one in.") }
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
            // A square wave of 1 kHz: its first sample is at full strength, so that the onset is sharp.
            samples[index] = state.phase / (rate / 2000) % 2 == 0 ? 0.5 : -0.5
            state.phase += 1
            state.remaining -= 1
        }
        state.written += Int64(count)
        return samples
    }

    private static func nanoseconds(_ samples: Int64) -> Int64 { samples * 1_000_000_000 / Int64(rate) }

    private static func wait(_ loop: OpaquePointer, until done: () -> Bool, orFailure failed: () -> Bool) -> Bool {
        while !done() {
            if failed() { return false }
            pa_threaded_mainloop_wait(loop)
        }
        return true
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
