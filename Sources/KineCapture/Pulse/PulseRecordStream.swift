// One record stream of an audio server: samples in large pieces, and from time to time the instant at which a frame was heard.
// Used by the thread that runs the connection's loop.
import CPulse
import KinePlatform

final class PulseRecordStream {
    /// Receives the events of a stream, on the loop's thread.
    protocol Owner: AnyObject {
        func streamOpened(_ stream: PulseRecordStream)
        /// Borrowed interleaved samples, or nil where the server lost `frames` of them.
        func stream(_ stream: PulseRecordStream, delivered samples: UnsafeBufferPointer<Float>?, frames: Int)
        func stream(_ stream: PulseRecordStream, told reading: AudioClockReading)
        /// A run of deliveries is over.
        func streamRests(_ stream: PulseRecordStream)
        /// The stream is over: its device or its application is gone, or the connection.
        func streamEnded(_ stream: PulseRecordStream)
    }

    let id: AudioStreamID
    let source: AudioSource
    /// Samples a second, the device's own.
    private(set) var rate = 48000
    private(set) var isOpen = false

    private let channels: Int
    /// Seconds of audio in one piece, as asked for.
    private(set) var fragment: Double
    private weak var owner: (any Owner)?
    private var stream: OpaquePointer?
    private var readings = ClockReadings(rate: 48000)
    private var framesRead: Int64 = 0
    private var askedAt: Int64?
    private var answeredAt: Int64?
    /// The last questions. Their answers may come after the stream was closed, so it has to cancel them.
    private var questions: [OpaquePointer] = []
    private var nextQuestion: Int64 = 0
    private var openedAt: Int64 = 0
    private var batch = 0

    /// Nanoseconds between two questions about the clock. For a while after the start they follow one another.
    private static let questionInterval: Int64 = 2_500_000_000
    private static let settlingTime: Int64 = 5_000_000_000

    /// Opens the stream. `fragment`: seconds of audio in one piece. Nil: the server refuses at once.
    init?(
        id: AudioStreamID, source: AudioSource, channels: Int, fragment: Double, context: OpaquePointer,
        owner: any Owner
    ) {
        self.id = id
        self.source = source
        self.channels = channels
        self.fragment = fragment
        self.owner = owner
        var specification = pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE, rate: UInt32(rate), channels: UInt8(clamping: channels))
        guard let stream = pa_stream_new(context, "Recording", &specification, nil) else { return nil }
        self.stream = stream
        let unretained = Unmanaged.passUnretained(self).toOpaque()
        pa_stream_set_state_callback(stream, { _, data in PulseRecordStream.from(data)?.stateChanged() }, unretained)
        pa_stream_set_read_callback(stream, { _, _, data in PulseRecordStream.from(data)?.read() }, unretained)
        var attributes = Self.attributes(fragment: fragment, rate: rate, channels: channels)
        // Large pieces (ADJUST_LATENCY) let server and recorder sleep. The device's own rate (FIX_RATE): there is one
        // resampler on the way, ours. DONT_MOVE: where the audio comes from is decided here, not by the server.
        let flags =
            PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_FIX_RATE.rawValue | PA_STREAM_DONT_MOVE.rawValue
        let device: String?
        switch source {
        case .source(let name): device = name
        case .playback(let index, _):
            device = nil
            pa_stream_set_monitor_stream(stream, index)
        }
        guard pa_stream_connect_record(stream, device, &attributes, pa_stream_flags_t(rawValue: flags)) >= 0 else {
            close()
            return nil
        }
    }

    deinit { close() }

    private static func from(_ userdata: UnsafeMutableRawPointer?) -> PulseRecordStream? {
        userdata.map { Unmanaged<PulseRecordStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func attributes(fragment: Double, rate: Int, channels: Int) -> pa_buffer_attr {
        let bytesPerSecond = Double(rate * channels * MemoryLayout<Float>.size)
        let whole = UInt32(fragment * Double(rate)) * UInt32(channels * MemoryLayout<Float>.size)
        // Room for four seconds: a recorder that does not run for a while loses nothing.
        return pa_buffer_attr(
            maxlength: UInt32(bytesPerSecond * 4), tlength: UInt32.max, prebuf: UInt32.max, minreq: UInt32.max,
            fragsize: whole)
    }

    /// Ends the stream. The owner is not called.
    func close() {
        guard let stream else { return }
        self.stream = nil
        isOpen = false
        cancelQuestions()
        pa_stream_set_state_callback(stream, nil, nil)
        pa_stream_set_read_callback(stream, nil, nil)
        pa_stream_disconnect(stream)
        pa_stream_unref(stream)
    }

    /// Asks for small pieces from now on: the take ends, and its last samples should come soon.
    func hurry() {
        change(fragment: min(fragment, 0.02))
        batch = 1
    }

    /// Asks for pieces of so many seconds from now on.
    func change(fragment: Double) {
        guard let stream, isOpen else { return }
        self.fragment = fragment
        setBatch()
        var attributes = Self.attributes(fragment: fragment, rate: rate, channels: channels)
        if let operation = pa_stream_set_buffer_attr(stream, &attributes, nil, nil) { pa_operation_unref(operation) }
    }

    private func stateChanged() {
        guard let stream else { return }
        switch pa_stream_get_state(stream) {
        case PA_STREAM_READY:
            if let specification = pa_stream_get_sample_spec(stream) { rate = Int(specification.pointee.rate) }
            readings = ClockReadings(rate: rate)
            isOpen = true
            openedAt = MonotonicClock.now()
            setBatch()
            owner?.streamOpened(self)
            askTime()
        case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
            close()
            owner?.streamEnded(self)
        default: break
        }
    }

    /// A device with short periods wakes us often. Half a fragment is worth the work; less can wait.
    private func setBatch() { batch = Int(fragment * Double(rate)) / 2 * channels * MemoryLayout<Float>.size }

    private func read() {
        guard let stream, isOpen else { return }
        let now = MonotonicClock.now()
        if readings.accepted == nil {
            if askedAt == nil { askTime() }
            return
        }
        guard pa_stream_readable_size(stream) >= batch else { return }
        drain()
        if now >= nextQuestion { askTime() }
        owner?.streamRests(self)
    }

    private func drain() {
        let frameSize = channels * MemoryLayout<Float>.size
        while let stream, isOpen {
            var data: UnsafeRawPointer?
            var length = 0
            guard pa_stream_peek(stream, &data, &length) >= 0, length > 0 else { return }
            let frames = length / frameSize
            let samples = data.map {
                UnsafeBufferPointer(start: $0.assumingMemoryBound(to: Float.self), count: frames * channels)
            }
            framesRead += Int64(frames)
            owner?.stream(self, delivered: samples, frames: frames)
            pa_stream_drop(stream)
        }
    }

    /// Asks two questions at once. PulseAudio holds some of a monitor's audio back in case the output rewinds: tens of
    /// milliseconds, changing with the output's latency. Only the stream's description has that time.
    private func askTime() {
        guard let stream, isOpen, askedAt == nil else { return }
        askedAt = MonotonicClock.now()
        answeredAt = nil
        let unretained = Unmanaged.passUnretained(self).toOpaque()
        let timing = pa_stream_update_timing_info(
            stream, { _, success, data in PulseRecordStream.from(data)?.timingAnswered(success != 0) }, unretained)
        let description = pa_context_get_source_output_info(
            pa_stream_get_context(stream), pa_stream_get_index(stream),
            { _, info, end, data in
                // One item and then the end of the list; or an error, where the stream is just going.
                if let info, end == 0 {
                    PulseRecordStream.from(data)?.descriptionAnswered(heldBack: Int64(info.pointee.buffer_usec))
                } else if end < 0 {
                    PulseRecordStream.from(data)?.askedAt = nil
                }
            }, unretained)
        cancelQuestions()
        questions = [timing, description].compactMap(\.self)
        if questions.count < 2 { askedAt = nil }
    }

    /// Cancelling an answered question has no effect.
    private func cancelQuestions() {
        for question in questions {
            pa_operation_cancel(question)
            pa_operation_unref(question)
        }
        questions = []
    }

    private func timingAnswered(_ success: Bool) { answeredAt = success ? MonotonicClock.now() : nil }

    /// `heldBack`: microseconds of audio between the device and the stream's queue.
    private func descriptionAnswered(heldBack: Int64) {
        guard let stream, isOpen, let asked = askedAt else { return }
        askedAt = nil
        guard let answered = answeredAt, let info = pa_stream_get_timing_info(stream)?.pointee,
            info.write_index_corrupt == 0, info.read_index_corrupt == 0
        else { return }
        // The next frame was heard as long ago as it has waited here, in the server and in the device, and as the answer took.
        // A monitor is ahead of the listener by the output's latency (sink_usec). pa_stream_get_latency would not do: it
        // makes zero of the negative values of a stream's first moments.
        let waiting = (info.write_index - info.read_index) / Int64(channels * MemoryLayout<Float>.size)
        let micro = Int64(info.source_usec) + Int64(info.transport_usec) + heldBack - Int64(info.sink_usec)
        let latency = waiting * 1_000_000_000 / Int64(rate) + micro * 1000
        let isFirst = readings.accepted == nil
        let reading = AudioClockReading(frame: framesRead, instant: answered - latency)
        switch readings.judge(reading, roundTrip: answered - asked) {
        case .askAgain: askTime()
        case .accept:
            nextQuestion = answered - openedAt < Self.settlingTime ? answered : answered + Self.questionInterval
            owner?.stream(self, told: reading)
            if isFirst {
                drain()
                owner?.streamRests(self)
            }
        }
    }
}
