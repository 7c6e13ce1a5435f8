// Beeps as programs play sounds that know nothing of clocks: each has a stream of its own, which is given all of it at once.
import CPulse

/// Plays to the default output of the server that the environment names.
final class PlainPlayer {
    private let connection: AudioConnection
    /// Milliseconds that each stream asks for; nil: the server's own choice.
    private let latency: Int?
    private var stream: OpaquePointer?

    init(latency: Int?) throws(AudioConnection.Error) {
        connection = try AudioConnection()
        self.latency = latency
    }

    /// Opens the stream of the next beep.
    func open() throws(AudioConnection.Error) {
        connection.lock()
        defer { connection.unlock() }
        stream = try connection.openStream("beep", latency: latency, flags: PA_STREAM_ADJUST_LATENCY)
    }

    /// Begins to play a beep on the stream that was opened, which ends with it.
    func play(nanoseconds: Int64) {
        guard let stream else { return }
        self.stream = nil
        let samples = (0..<Int(nanoseconds) * AudioConnection.rate / 1_000_000_000).map(AudioConnection.beep)
        connection.lock()
        defer { connection.unlock() }
        samples.withUnsafeBytes { _ = pa_stream_write(stream, $0.baseAddress, $0.count, nil, 0, PA_SEEK_RELATIVE) }
        // Without it the server would wait until its buffer is full.
        let drained = pa_stream_drain(
            stream,
            { stream, _, _ in
                guard let stream else { return }
                pa_stream_set_state_callback(stream, nil, nil)
                pa_stream_disconnect(stream)
                pa_stream_unref(stream)
            }, nil)
        if let drained { pa_operation_unref(drained) }
    }
}
