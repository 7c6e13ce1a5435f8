// Listens to an output: the server sends the peak of each piece instead of its samples.
import CPulse
import KinePlatform

/// Reports once that there is sound on an output. Used by the thread that runs the connection's loop.
final class PulsePeakStream: CallbackTarget {
    /// Above −60 dB.
    private static let audible: Float = 0.001
    private static let peaksPerSecond: UInt32 = 25

    /// The monitor of the output.
    let monitor: String
    private let onSound: () -> Void
    private var stream: OpaquePointer?

    /// Nil: the server refuses at once. Calls `onSound` once, in the loop, after it has closed the stream.
    init?(monitor: String, context: OpaquePointer, onSound: @escaping () -> Void) {
        self.monitor = monitor
        self.onSound = onSound
        var specification = pa_sample_spec(format: PA_SAMPLE_FLOAT32LE, rate: Self.peaksPerSecond, channels: 1)
        guard let stream = pa_stream_new(context, "Level", &specification, nil) else { return nil }
        self.stream = stream
        pa_stream_set_read_callback(stream, { _, _, data in PulsePeakStream.from(data).read() }, callbackData)
        var attributes = pa_buffer_attr(
            maxlength: UInt32.max, tlength: UInt32.max, prebuf: UInt32.max, minreq: UInt32.max,
            fragsize: UInt32(MemoryLayout<Float>.size))
        let flags =
            PA_STREAM_PEAK_DETECT.rawValue | PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_DONT_MOVE.rawValue
        guard pa_stream_connect_record(stream, monitor, &attributes, pa_stream_flags_t(rawValue: flags)) >= 0 else {
            close()
            return nil
        }
    }

    deinit { close() }

    func close() {
        guard let stream else { return }
        self.stream = nil
        pa_stream_set_read_callback(stream, nil, nil)
        pa_stream_disconnect(stream)
        pa_stream_unref(stream)
    }

    private func read() {
        var hasSound = false
        while let stream {
            var data: UnsafeRawPointer?
            var length = 0
            guard pa_stream_peek(stream, &data, &length) >= 0, length > 0 else { break }
            if let data {
                let peaks = UnsafeBufferPointer(
                    start: data.assumingMemoryBound(to: Float.self), count: length / MemoryLayout<Float>.size)
                hasSound = hasSound || peaks.contains { abs($0) > Self.audible }
            }
            pa_stream_drop(stream)
        }
        guard hasSound else { return }
        close()
        onSound()
    }
}
