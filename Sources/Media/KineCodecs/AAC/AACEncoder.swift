// AAC-LC by libavcodec: takes frames of samples, returns access units. AACTrackEncoder adds times and handles silence.
import CFFmpeg
import KineMedia

/// One libavcodec AAC-LC encoder. Not Sendable: only the thread that feeds it may use it.
public final class AACEncoder {
    public enum Error: Swift.Error, Equatable {
        /// This build of libavcodec has no AAC encoder.
        case missing
        /// The encoder refuses these settings; `code` is libavutil's.
        case refused(sampleRate: Int, channels: Int, bitrate: Int, code: Int32)
        /// Encoding failed; `code` is libavutil's.
        case failed(code: Int32)
    }

    public let sampleRate: Int
    public let channels: Int
    private let bitrate: Int
    /// AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    public let audioSpecificConfig: [UInt8]
    /// 1024: samples a channel in one frame and one access unit.
    public let samplesPerFrame: Int
    /// Samples a channel that a decoder outputs before the first input sample. Players leave them out.
    public let primingSamples: Int
    /// Frames that libavcodec has encoded.
    public private(set) var encodedFrames = 0

    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var packet: UnsafeMutablePointer<AVPacket>?

    /// Opens the encoder, for 44100 and 48000 Hz among others, and for one or two channels. `bitrate`: bits a second,
    /// for all channels together.
    public init(sampleRate: Int, channels: Int, bitrate: Int) throws(Error) {
        guard kine_load_ffmpeg() != 0 else { throw .missing }
        // The errors thrown here contain all that the library would write to standard error.
        av_log_set_level(AV_LOG_FATAL)
        guard let codec = avcodec_find_encoder_by_name("aac"), let context = avcodec_alloc_context3(codec)
        else { throw .missing }
        Self.configure(context, sampleRate, channels, bitrate)
        let status = avcodec_open2(context, codec, nil)
        let frame = av_frame_alloc()
        let packet = av_packet_alloc()
        self.context = context
        self.frame = frame
        self.packet = packet
        (self.sampleRate, self.channels, self.bitrate) = (sampleRate, channels, bitrate)
        samplesPerFrame = Int(context.pointee.frame_size)
        primingSamples = Int(context.pointee.initial_padding)
        audioSpecificConfig = Array(
            UnsafeBufferPointer(start: context.pointee.extradata, count: Int(context.pointee.extradata_size)))
        var code = status
        if status >= 0, let frame, packet != nil { code = Self.allocate(frame, for: context) }
        guard code >= 0, frame != nil, packet != nil else {
            throw .refused(sampleRate: sampleRate, channels: channels, bitrate: bitrate, code: code)
        }
    }

    /// The format of a track with this encoder's access units, for containers and destinations.
    public func trackFormat(_ type: SampleType) -> AudioFormat {
        AudioFormat(
            type: type, codec: .aac, sampleRate: sampleRate, channels: channels, bitrate: bitrate,
            configuration: audioSpecificConfig, samplesPerAccessUnit: samplesPerFrame, primingSamples: primingSamples)
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

    /// Encodes one frame: `samplesPerFrame` interleaved samples a channel, finite and within ±1. Calls `deliver` with
    /// each access unit (raw_data_block; ISO/IEC 14496-3, 4.4.2.1): none for the first frame, then one for each frame.
    public func encode(interleaved: Span<Float>, deliver: (UnsafeRawBufferPointer) -> Void) throws(Error) {
        precondition(
            interleaved.count == samplesPerFrame * channels, "a frame has \(samplesPerFrame) samples a channel")
        guard let frame else { return }
        // The encoder may still use the last frame's buffer; this call then takes a new one from the frame's pool.
        let writable = av_frame_make_writable(frame)
        guard writable >= 0 else { throw .failed(code: writable) }
        for channel in 0..<channels {
            guard let bytes = frame.pointee.extended_data[channel] else { continue }
            let count = samplesPerFrame
            bytes.withMemoryRebound(to: Float.self, capacity: count) { plane in
                interleaved.withUnsafeBufferPointer { samples in
                    for index in 0..<count { plane[index] = samples[index * channels + channel] }
                }
            }
        }
        // libavcodec requires increasing times. They are not read back.
        frame.pointee.pts = Int64(encodedFrames) * Int64(samplesPerFrame)
        encodedFrames += 1
        try send(frame, deliver: deliver)
    }

    /// Delivers the delayed access units. No frame can be encoded afterwards.
    public func finish(deliver: (UnsafeRawBufferPointer) -> Void) throws(Error) { try send(nil, deliver: deliver) }

    private func send(
        _ frame: UnsafeMutablePointer<AVFrame>?, deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(Error) {
        let sent = avcodec_send_frame(context, frame)
        guard sent >= 0 else { throw .failed(code: sent) }
        while true {
            let received = avcodec_receive_packet(context, packet)
            if received == kine_averror_again() || received == kine_averror_eof() { return }
            guard received >= 0, let packet else { throw .failed(code: received) }
            deliver(UnsafeRawBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
            av_packet_unref(packet)
        }
    }
}
