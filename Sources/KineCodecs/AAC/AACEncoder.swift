// AAC-LC through libavcodec, behind one thin type: a frame of samples in, access units out. It knows nothing of time
// and nothing of silence; AACTrackEncoder beside it does.
import CFFmpeg

/// One libavcodec AAC-LC encoder. Not Sendable: it belongs to the thread that feeds it.
public final class AACEncoder {
    public enum Error: Swift.Error, Equatable, CustomStringConvertible {
        /// This build of libavcodec has no AAC encoder.
        case missing
        /// The encoder does not take these settings.
        case refused(sampleRate: Int, channels: Int, bitrate: Int, reason: String)
        /// Encoding failed in the middle of a stream.
        case failed(reason: String)

        public var description: String {
            switch self {
            case .missing:
                "libavcodec has no AAC encoder; install Debian's libavcodec59."
            case .refused(let sampleRate, let channels, let bitrate, let reason):
                "The AAC encoder refused \(sampleRate) Hz with \(channels) channels at \(bitrate) bit/s (\(reason)); "
                    + "use 48000 or 44100 Hz, one or two channels, and 32000 to 320000 bit/s."
            case .failed(let reason):
                "The AAC encoder failed (\(reason)); record without sound, with --audio none."
            }
        }
    }

    public let sampleRate: Int
    public let channels: Int
    /// AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    public let audioSpecificConfig: [UInt8]
    /// Samples a channel in one frame and one access unit: 1024.
    public let samplesPerFrame: Int
    /// Samples a channel that come out of a decoder before the first one put in.
    public let primingSamples: Int
    /// Frames that went through libavcodec so far.
    public private(set) var encodedFrames = 0

    private let library: kine_avcodec
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var packet: UnsafeMutablePointer<AVPacket>?

    /// Opens the encoder. `bitrate` is in bits a second for all channels together.
    public init(sampleRate: Int, channels: Int, bitrate: Int) throws(Error) {
        // The library's own lines on standard error say nothing that the errors thrown here do not.
        av_log_set_level(AV_LOG_FATAL)
        guard let library = kine_avcodec()?.pointee, let codec = library.find_encoder_by_name("aac"),
            let context = library.alloc_context(codec)
        else { throw .missing }
        self.library = library
        context.pointee.sample_rate = Int32(clamping: sampleRate)
        context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        context.pointee.bit_rate = Int64(bitrate)
        context.pointee.profile = FF_PROFILE_AAC_LOW
        av_channel_layout_default(&context.pointee.ch_layout, Int32(clamping: channels))
        // BITEXACT leaves out the fill element with the library's version that the first access unit would carry.
        context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
        // "fast" costs well under half of the default two-loop search; FFmpeg's manual calls it the better one at the
        // rates used here.
        av_opt_set(context.pointee.priv_data, "aac_coder", "fast", 0)
        let status = library.open(context, codec, nil)
        let frame = av_frame_alloc()
        let packet = library.packet_alloc()
        self.context = context
        self.frame = frame
        self.packet = packet
        self.sampleRate = sampleRate
        self.channels = channels
        samplesPerFrame = Int(context.pointee.frame_size)
        primingSamples = Int(context.pointee.initial_padding)
        audioSpecificConfig = Array(
            UnsafeBufferPointer(start: context.pointee.extradata, count: Int(context.pointee.extradata_size)))
        guard status >= 0, let frame, packet != nil else {
            throw .refused(
                sampleRate: sampleRate, channels: channels, bitrate: bitrate, reason: Self.reason(status))
        }
        frame.pointee.nb_samples = context.pointee.frame_size
        frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        av_channel_layout_copy(&frame.pointee.ch_layout, &context.pointee.ch_layout)
        let allocated = av_frame_get_buffer(frame, 0)
        guard allocated >= 0 else {
            throw .refused(
                sampleRate: sampleRate, channels: channels, bitrate: bitrate, reason: Self.reason(allocated))
        }
    }

    deinit {
        library.packet_free(&packet)
        av_frame_free(&frame)
        library.free_context(&context)
    }

    /// Encodes one frame: `samplesPerFrame` interleaved samples a channel, full scale ±1, finite. Hands each finished
    /// access unit (raw_data_block; ISO/IEC 14496-3, 4.4.2.1) to `deliver`: none for the first frame, then one for
    /// each.
    public func encode(interleaved: Span<Float>, deliver: (UnsafeRawBufferPointer) -> Void) throws(Error) {
        precondition(
            interleaved.count == samplesPerFrame * channels, "a frame has \(samplesPerFrame) samples a channel")
        guard let frame else { return }
        // The encoder may still hold the last frame's buffer; then this takes a new one from the frame's pool.
        let writable = av_frame_make_writable(frame)
        guard writable >= 0 else { throw .failed(reason: Self.reason(writable)) }
        for channel in 0..<channels {
            guard let bytes = frame.pointee.extended_data[channel] else { continue }
            let count = samplesPerFrame
            bytes.withMemoryRebound(to: Float.self, capacity: count) { plane in
                interleaved.withUnsafeBufferPointer { samples in
                    for index in 0..<count { plane[index] = samples[index * channels + channel] }
                }
            }
        }
        // libavcodec gives the time stamps back with the access units; nobody here reads them, it only wants them to
        // rise.
        frame.pointee.pts = Int64(encodedFrames) * Int64(samplesPerFrame)
        encodedFrames += 1
        try send(frame, deliver: deliver)
    }

    /// Hands out what the encoder still holds. Nothing can be encoded afterwards.
    public func finish(deliver: (UnsafeRawBufferPointer) -> Void) throws(Error) { try send(nil, deliver: deliver) }

    private func send(
        _ frame: UnsafeMutablePointer<AVFrame>?, deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(Error) {
        let sent = library.send_frame(context, frame)
        guard sent >= 0 else { throw .failed(reason: Self.reason(sent)) }
        while true {
            let received = library.receive_packet(context, packet)
            if received == kine_averror_again() || received == kine_averror_eof() { return }
            guard received >= 0, let packet else { throw .failed(reason: Self.reason(received)) }
            deliver(UnsafeRawBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
            library.packet_unref(packet)
        }
    }

    private static func reason(_ status: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
            text.initialize(repeating: 0)
            guard let start = text.baseAddress, av_strerror(status, start, text.count) == 0 else {
                return "error \(status)"
            }
            return String(cString: start)
        }
    }
}
