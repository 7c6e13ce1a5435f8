// One record stream of an audio server: its samples, and sometimes the instant at which a frame was audible. Used by
// the thread that runs the connection's loop.
import CPulse
import KinePlatform

final class PulseRecordStream: CallbackTarget {
    let id: AudioStreamID
    let source: AudioSource
    /// The device's own samples a second.
    private(set) var rate = 48000
    private(set) var isOpen = false

    /// The channels of a delivered frame.
    private let channels: Int
    /// The server would convert channels without places to silence. They are requested as they are, and mixed here.
    private var mixer: ChannelMixer?
    private(set) var pace: AudioPace
    private let onPrivatePulseAudio: Bool
    /// Receives the stream's events on the loop's thread.
    private weak var owner: AudioSession?
    private var stream: OpaquePointer?
    private var readings = ClockReadings(rate: 48000)
    private var framesRead: Int64 = 0
    private var askedAt: Int64?
    private var answeredAt: Int64?
    /// The last requests. Their answers may come after the stream was closed, so they must be cancelled then.
    private var questions: [OpaquePointer] = []
    private var nextQuestion: Int64 = 0
    private var openedAt: Int64 = 0
    /// The least bytes to deliver.
    private var batch = 0

    /// Nanoseconds between two clock requests, and how long after the start they are more frequent.
    private static let questionInterval: Int64 = 2_500_000_000
    private static let firstInterval: Int64 = 400_000_000
    private static let settlingTime: Int64 = 5_000_000_000

    /// Opens the stream. Nil: the server refuses at once.
    ///
    /// - Parameter numberedChannels: how many the source has, if they have no places.
    init?(
        id: AudioStreamID, source: AudioSource, channels: Int, numberedChannels: Int?, pace: AudioPace,
        onPrivatePulseAudio: Bool,
        context: OpaquePointer, owner: AudioSession
    ) {
        self.id = id
        self.source = source
        self.channels = channels
        mixer = numberedChannels.map { ChannelMixer(from: $0, to: channels) }
        self.pace = pace
        self.onPrivatePulseAudio = onPrivatePulseAudio
        self.owner = owner
        var specification = pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE, rate: UInt32(rate), channels: UInt8(clamping: receivedChannels))
        guard let stream = pa_stream_new(context, "Recording", &specification, nil) else { return nil }
        self.stream = stream
        pa_stream_set_state_callback(stream, { _, data in PulseRecordStream.from(data).stateChanged() }, callbackData)
        pa_stream_set_read_callback(stream, { _, _, data in PulseRecordStream.from(data).read() }, callbackData)
        var attributes = attributes
        // The pieces determine the device's latency (ADJUST_LATENCY). The device keeps its own rate (FIX_RATE), so that
        // only our resampler is used. DONT_MOVE: this code, not the server, chooses the audio's source.
        var flags =
            PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_FIX_RATE.rawValue | PA_STREAM_DONT_MOVE.rawValue
        if mixer != nil { flags |= PA_STREAM_FIX_CHANNELS.rawValue }
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

    private var receivedChannels: Int { mixer?.received ?? channels }
    private var frameSize: Int { receivedChannels * MemoryLayout<Float>.size }

    /// The number of bytes of this many seconds.
    private func bytes(_ seconds: Double) -> Int { Int(seconds * Double(rate)) * frameSize }

    private var attributes: pa_buffer_attr {
        // Room for four seconds: a recorder that is suspended for a while loses nothing.
        pa_buffer_attr(
            maxlength: UInt32(bytes(4)), tlength: UInt32.max, prebuf: UInt32.max, minreq: UInt32.max,
            fragsize: UInt32(bytes(pace.fragment(onPrivatePulseAudio: onPrivatePulseAudio))))
    }

    /// Whether the clock is known, and no clock request is pending.
    var isSettled: Bool { readings.accepted != nil && askedAt == nil }

    /// Ends the stream without a call to the owner.
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

    /// Delivers audio at once: the take ends, and its last samples should come soon.
    func hurry() { batch = 1 }

    /// Changes the size of the server's pieces.
    func change(pace: AudioPace) {
        guard let stream, isOpen else { return }
        self.pace = pace
        setBatch()
        var attributes = attributes
        if let operation = pa_stream_set_buffer_attr(stream, &attributes, nil, nil) { pa_operation_unref(operation) }
    }

    private func stateChanged() {
        guard let stream else { return }
        switch pa_stream_get_state(stream) {
        case PA_STREAM_READY:
            if let specification = pa_stream_get_sample_spec(stream)?.pointee {
                rate = Int(specification.rate)
                if mixer != nil { mixer = ChannelMixer(from: Int(specification.channels), to: channels) }
            }
            readings = ClockReadings(rate: rate)
            isOpen = true
            openedAt = MonotonicClock.now()
            setBatch()
            owner?.streamOpened(self)
        case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
            close()
            owner?.streamEnded(self)
        default: break
        }
    }

    /// A device with short periods wakes this thread often. Delivers from half a fetch on; less can wait.
    private func setBatch() { batch = bytes(pace.interval / 2) }

    private func read() {
        // Audio waits until the clock is known.
        guard let stream, isOpen, readings.accepted != nil, pa_stream_readable_size(stream) >= batch else { return }
        drain()
        owner?.streamRests(self)
    }

    private func drain() {
        while let stream, isOpen {
            var data: UnsafeRawPointer?
            var length = 0
            guard pa_stream_peek(stream, &data, &length) >= 0, length > 0 else { return }
            let frames = length / frameSize
            let samples = data.map {
                UnsafeBufferPointer(start: $0.assumingMemoryBound(to: Float.self), count: frames * receivedChannels)
            }
            framesRead += Int64(frames)
            if let samples, let mixer {
                mixer.mix(samples) { owner?.stream(self, delivered: $0, frames: frames) }
            } else {
                owner?.stream(self, delivered: samples, frames: frames)
            }
            pa_stream_drop(stream)
        }
    }

    /// Whether to request the clock with the next audio, which was audible only just now: PipeWire does not count the
    /// time since its last piece.
    func wantsTime(at instant: Int64) -> Bool { isOpen && askedAt == nil && instant >= nextQuestion }

    /// Sends two requests at once. PulseAudio delays some of a monitor's audio in case the output rewinds: tens of
    /// milliseconds that change with the output's latency. Only the stream's description has that time.
    func askTime() {
        // Without audio, the clock of a stream is a guess.
        guard let stream, isOpen, askedAt == nil, framesRead > 0 || pa_stream_readable_size(stream) > 0 else { return }
        askedAt = MonotonicClock.now()
        answeredAt = nil
        let timing = pa_stream_update_timing_info(
            stream, { _, success, data in PulseRecordStream.from(data).timingAnswered(success != 0) }, callbackData)
        let description = pa_context_get_source_output_info(
            pa_stream_get_context(stream), pa_stream_get_index(stream),
            { _, info, end, data in
                // One item and then the end of the list; or an error if the stream is ending.
                if let info, end == 0 {
                    PulseRecordStream.from(data).descriptionAnswered(heldBack: Int64(info.pointee.buffer_usec))
                } else if end < 0 {
                    PulseRecordStream.from(data).askedAt = nil
                }
            }, callbackData)
        cancelQuestions()
        questions = [timing, description].compactMap(\.self)
        if questions.count < 2 { askedAt = nil }
    }

    /// Cancelling an answered request has no effect.
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
        // The age of the next frame: its time in this queue, in the server and in the device, and the answer's time. A
        // monitor is ahead of the listener by the output's latency (sink_usec). pa_stream_get_latency would be wrong:
        // it turns the negative values of a stream's first moments into zero.
        let waiting = (info.write_index - info.read_index) / Int64(frameSize)
        let micro = Int64(info.source_usec) + Int64(info.transport_usec) + heldBack - Int64(info.sink_usec)
        let latency = waiting * 1_000_000_000 / Int64(rate) + micro * 1000
        let isFirst = readings.accepted == nil
        let reading = AudioClockReading(frame: framesRead, instant: answered - latency)
        // After a refusal, the clock is requested again with the next audio.
        guard readings.judge(reading, roundTrip: answered - asked) == .accept,
            let instant = readings.instant(ofFrame: framesRead)
        else { return }
        nextQuestion =
            answered + (answered - openedAt < Self.settlingTime ? Self.firstInterval : Self.questionInterval)
        owner?.stream(self, told: AudioClockReading(frame: framesRead, instant: instant))
        if isFirst {
            drain()
            owner?.streamRests(self)
        }
    }
}
