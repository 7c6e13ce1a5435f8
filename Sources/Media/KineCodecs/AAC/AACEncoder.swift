// AAC-LC by libavcodec: takes frames of samples, returns access units. AudioTrackEncoder adds times and handles silence.
import CFFmpeg
import KineMedia

/// One libavcodec AAC-LC encoder. Not Sendable: only the thread that feeds it may use it.
public final class AACEncoder: AudioEncoder {
    public let format: AudioFormat
    /// One for the look-ahead, one for the transform's overlap, and two for the block switching decision, which remembers
    /// earlier energies. The psychoacoustic model contains only silence then as well.
    public let settlingFrames: Int? = 4
    private var encodedFrames: Int64 = 0

    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var packet: UnsafeMutablePointer<AVPacket>?

    /// Opens the encoder, for 44100 and 48000 Hz among others, and for one or two channels. `bitrate`: bits a second,
    /// for all channels together.
    public init(for type: SampleType, sampleRate: Int, channels: Int, bitrate: Int) throws(AudioEncoderError) {
        guard kine_load_ffmpeg() != 0 else { throw .missingAAC }
        // The errors thrown here contain all that the library would write to standard error.
        av_log_set_level(AV_LOG_FATAL)
        guard let codec = avcodec_find_encoder_by_name("aac"), let context = avcodec_alloc_context3(codec)
        else { throw .missingAAC }
        Self.configure(context, sampleRate, channels, bitrate)
        let status = avcodec_open2(context, codec, nil)
        let frame = av_frame_alloc()
        let packet = av_packet_alloc()
        self.context = context
        self.frame = frame
        self.packet = packet
        format = AudioFormat(
            type: type, codec: .aac, sampleRate: sampleRate, channels: channels, bitrate: bitrate,
            configuration: Array(
                UnsafeBufferPointer(start: context.pointee.extradata, count: Int(context.pointee.extradata_size))),
            samplesPerAccessUnit: Int(context.pointee.frame_size),
            primingSamples: Int(context.pointee.initial_padding))
        var code = status
        if status >= 0, let frame, packet != nil { code = Self.allocate(frame, for: context) }
        guard code >= 0, frame != nil, packet != nil else {
            throw .refusedAAC(sampleRate: sampleRate, channels: channels, bitrate: bitrate, code: code)
        }
    }

    private static func configure(
        _ context: UnsafeMutablePointer<AVCodecContext>, _ sampleRate: Int, _ channels: Int, _ bitrate: Int
    ) {
        context.pointee.sample_rate = Int32(clamping: sampleRate)
        context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        context.pointee.bit_rate = Int64(bitrate)
        context.pointee.profile = FF_PROFILE_AAC_LOW
        av_channel_layout_default(&context.pointee.ch_layout, Int32(clamping: channels))
        // BITEXACT omits the fill element with the library's version from the first access unit.
        context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
        // "fast" costs less than half of the default two-loop search; FFmpeg's manual recommends it at these bitrates.
        av_opt_set(context.pointee.priv_data, "aac_coder", "fast", 0)
    }

    /// Allocates the buffer of `frame` for one frame of samples. A negative result is libavutil's error.
    private static func allocate(
        _ frame: UnsafeMutablePointer<AVFrame>, for context: UnsafeMutablePointer<AVCodecContext>
    ) -> Int32 {
        frame.pointee.nb_samples = context.pointee.frame_size
        frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        av_channel_layout_copy(&frame.pointee.ch_layout, &context.pointee.ch_layout)
        return av_frame_get_buffer(frame, 0)
    }

    deinit {
        av_packet_free(&packet)
        av_frame_free(&frame)
        avcodec_free_context(&context)
    }

    /// An access unit is a raw_data_block (ISO/IEC 14496-3, 4.4.2.1): none for the first frame, then one for each frame.
    public func encode(
        interleaved: Span<Float>, deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(AudioEncoderError) {
        let (count, channels) = (format.samplesPerAccessUnit, format.channels)
        precondition(interleaved.count == count * channels, "a frame has \(count) samples a channel")
        guard let frame else { return }
        // The encoder may still use the last frame's buffer; this call then takes a new one from the frame's pool.
        let writable = av_frame_make_writable(frame)
        guard writable >= 0 else { throw .failedAAC(code: writable) }
        for channel in 0..<channels {
            guard let bytes = frame.pointee.extended_data[channel] else { continue }
            bytes.withMemoryRebound(to: Float.self, capacity: count) { plane in
                interleaved.withUnsafeBufferPointer { samples in
                    for index in 0..<count { plane[index] = samples[index * channels + channel] }
                }
            }
        }
        // libavcodec requires increasing times. They are not read back.
        frame.pointee.pts = encodedFrames * Int64(count)
        encodedFrames += 1
        try send(frame, deliver: deliver)
    }

    /// Delivers the delayed access units. No frame can be encoded afterwards.
    public func finish(deliver: (UnsafeRawBufferPointer) -> Void) throws(AudioEncoderError) {
        try send(nil, deliver: deliver)
    }

    private func send(
        _ frame: UnsafeMutablePointer<AVFrame>?, deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(AudioEncoderError) {
        let sent = avcodec_send_frame(context, frame)
        guard sent >= 0 else { throw .failedAAC(code: sent) }
        while true {
            let received = avcodec_receive_packet(context, packet)
            if received == kine_averror_again() || received == kine_averror_eof() { return }
            guard received >= 0, let packet else { throw .failedAAC(code: received) }
            deliver(UnsafeRawBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
            av_packet_unref(packet)
        }
    }
}
