// A connection to the audio server that the environment names, with libpulse's thread to run it.
import CPulse

/// libpulse's own objects are used with the lock held, or on its thread.
final class AudioConnection: Sendable {
    struct Error: Swift.Error, CustomStringConvertible {
        let description: String
    }

    /// Samples a second; one channel of 32-bit floats.
    static let rate = 48000

    // Sendable: both live as long as the process and libpulse's threaded main loop guards them.
    private nonisolated(unsafe) let loop: OpaquePointer
    private nonisolated(unsafe) let context: OpaquePointer

    /// Connects. Throws where no server answers.
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
        lock()
        defer { unlock() }
        guard pa_context_connect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0,
            wait(
                until: { pa_context_get_state(context) == PA_CONTEXT_READY },
                orFailure: { pa_context_get_state(context).rawValue >= PA_CONTEXT_FAILED.rawValue })
        else {
            throw Error(description: "No PulseAudio server answers: start one, or set PULSE_SERVER to its socket.")
        }
    }

    func lock() { pa_threaded_mainloop_lock(loop) }
    func unlock() { pa_threaded_mainloop_unlock(loop) }

    /// Opens a stream to the default output, with the lock held.
    ///
    /// - Parameters:
    ///   - latency: milliseconds of audio in flight; nil: as many as the server likes.
    ///   - prepare: sets the stream's callbacks before it is connected.
    func openStream(
        _ name: String, latency: Int?, flags: pa_stream_flags, prepare: (OpaquePointer) -> Void = { _ in }
    ) throws(Error) -> OpaquePointer {
        var format = pa_sample_spec(format: PA_SAMPLE_FLOAT32LE, rate: UInt32(Self.rate), channels: 1)
        guard let stream = pa_stream_new(context, name, &format, nil) else {
            throw Error(description: "PulseAudio refused a stream of 48 kHz mono floats.")
        }
        pa_stream_set_state_callback(
            stream, { _, loop in pa_threaded_mainloop_signal(OpaquePointer(loop), 0) },
            UnsafeMutableRawPointer(loop))
        prepare(stream)
        let bytes = latency.map { UInt32(Self.rate * 4 * $0 / 1000) }
        var buffering = pa_buffer_attr(
            maxlength: .max, tlength: bytes ?? .max, prebuf: .max, minreq: bytes.map { $0 / 4 } ?? .max, fragsize: .max)
        guard pa_stream_connect_playback(stream, nil, &buffering, flags, nil, nil) >= 0,
            wait(
                until: { pa_stream_get_state(stream) == PA_STREAM_READY },
                orFailure: { pa_stream_get_state(stream).rawValue >= PA_STREAM_FAILED.rawValue })
        else { throw Error(description: "PulseAudio has no sink to play to: load module-null-sink or plug one in.") }
        return stream
    }

    private func wait(until done: () -> Bool, orFailure failed: () -> Bool) -> Bool {
        while !done() {
            if failed() { return false }
            pa_threaded_mainloop_wait(loop)
        }
        return true
    }

    /// A square wave of 1 kHz: its first sample is at full strength, so that the onset is sharp.
    static func beep(at sample: Int) -> Float { sample / (rate / 2000) % 2 == 0 ? 0.5 : -0.5 }
}
