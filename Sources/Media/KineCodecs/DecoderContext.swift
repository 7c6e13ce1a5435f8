// One of libavcodec's decoders, open, with the frame and the packet that it works with.
import CFFmpeg

/// Not Sendable: one thread uses it.
final class DecoderContext {
    private(set) var context: UnsafeMutablePointer<AVCodecContext>?
    private(set) var frame: UnsafeMutablePointer<AVFrame>?
    private(set) var packet: UnsafeMutablePointer<AVPacket>?

    /// - Parameters:
    ///   - name: libavcodec's.
    ///   - header: the stream's, which its access units lack.
    ///   - missing: thrown if this build of libavcodec has no such decoder.
    ///   - cannotOpen: makes the error to throw from libavutil's code.
    ///   - configure: sets options before the decoder is opened.
    init<Failure: Error>(
        _ name: String, header: [UInt8], missing: Failure, cannotOpen: (Int32) -> Failure,
        _ configure: (inout AVCodecContext) -> Void
    ) throws(Failure) {
        guard kine_load_ffmpeg() != 0 else { throw missing }
        // The errors thrown here contain all that the library would write to standard error.
        av_log_set_level(AV_LOG_FATAL)
        guard let codec = avcodec_find_decoder_by_name(name), let context = avcodec_alloc_context3(codec) else {
            throw missing
        }
        self.context = context
        frame = av_frame_alloc()
        packet = av_packet_alloc()
        guard frame != nil, packet != nil,
            let extradata = av_mallocz(header.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))
        else { throw cannotOpen(kine_averror_no_memory()) }
        extradata.copyMemory(from: header, byteCount: header.count)
        context.pointee.extradata = extradata.assumingMemoryBound(to: UInt8.self)
        context.pointee.extradata_size = Int32(header.count)
        configure(&context.pointee)
        let code = avcodec_open2(context, codec, nil)
        guard code >= 0 else { throw cannotOpen(code) }
    }

    deinit {
        // Without the library, its functions cannot be called.
        guard context != nil else { return }
        avcodec_free_context(&context)
        av_frame_free(&frame)
        av_packet_free(&packet)
    }
}
