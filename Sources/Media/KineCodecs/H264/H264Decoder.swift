// H.264 by libavcodec's decoder: takes access units, returns frames in the same order.
import CFFmpeg
import KineMedia

/// Decodes a stream without reordering, 4:2:0 or 4:4:4 with eight bits. Not Sendable: one thread uses it.
///
/// Decoding begins with a keyframe, also after an error; new parameter sets need a new decoder. For live video open it
/// with one thread: `decode` then outputs the frame of its access unit at once. A frame's `colour` tells its chroma.
public final class H264Decoder {
    public enum Error: Swift.Error, Equatable {
        /// This build of libavcodec has no H.264 decoder.
        case missing
        /// The decoder cannot be opened; `code` is libavutil's.
        case cannotOpen(code: Int32)
        /// The access unit is damaged; `code` is libavutil's.
        case damaged(code: Int32)
        /// The pixel format is neither 4:2:0 nor 4:4:4 with eight bits, or a side of the frame is odd.
        case pixelFormat
    }

    private let decoder: DecoderContext

    private static let startCode: [UInt8] = [0, 0, 0, 1]
    /// Limited by libavcodec: an Int32, less the padding after the access unit.
    private static let largestAccessUnit = Int(Int32.max) - Int(AV_INPUT_BUFFER_PADDING_SIZE)

    /// - Parameters:
    ///   - sets: of the whole stream.
    ///   - largest: larger frames are damage; nil: any size.
    ///   - threads: this many frames are decoded at once and delayed; 0: one per processor. 1: delays only frames that
    ///     the VUI says may be reordered (ITU-T H.264, E.2.1), none here.
    public init(_ sets: H264ParameterSets, largest: PixelSize? = nil, threads: Int = 0) throws(Error) {
        decoder = try DecoderContext(
            "h264", header: Self.startCode + sets.sequence + Self.startCode + sets.picture, missing: Error.missing,
            cannotOpen: Error.cannotOpen
        ) { context in
            context.thread_count = Int32(threads)
            // libavcodec counts whole macroblocks, and the alignment of lines.
            if let largest { context.max_pixels = Int64(largest.width + 64) * Int64(largest.height + 16) }
            context.err_recognition = AV_EF_EXPLODE  // a damaged frame is an error, not a guess
        }
    }

    /// Decodes one access unit, with four-byte lengths before its NAL units as in `EncodedSample.data`, and outputs the
    /// frames that are ready. A frame is valid while `output` runs; the decoder owns its memory.
    public func decode(_ accessUnit: [UInt8], output: (PlanarFrame) -> Void) throws(Error) {
        guard accessUnit.count <= Self.largestAccessUnit, let packet = decoder.packet,
            av_new_packet(packet, Int32(accessUnit.count)) >= 0
        else { throw .damaged(code: kine_averror_no_memory()) }
        defer { av_packet_unref(packet) }
        packet.pointee.data.update(from: accessUnit, count: accessUnit.count)
        guard Self.writeStartCodes(packet.pointee.data, count: accessUnit.count) else {
            throw .damaged(code: kine_averror_invalid_data())
        }
        try send(packet, output)
    }

    /// Outputs the delayed frames. Nothing can be decoded afterwards.
    public func drain(output: (PlanarFrame) -> Void) throws(Error) { try send(nil, output) }

    private func send(_ packet: UnsafeMutablePointer<AVPacket>?, _ output: (PlanarFrame) -> Void) throws(Error) {
        var code = avcodec_send_packet(decoder.context, packet)
        while code >= 0, let frame = decoder.frame {
            code = avcodec_receive_frame(decoder.context, frame)
            guard code >= 0 else { break }
            defer { av_frame_unref(frame) }
            guard frame.pointee.decode_error_flags == 0 else { throw .damaged(code: kine_averror_invalid_data()) }
            guard let view = PlanarFrame(frame.pointee) else { throw .pixelFormat }
            output(view)
        }
        guard code == kine_averror_again() || code == kine_averror_eof() else { throw .damaged(code: code) }
    }

    /// Writes a start code over the length of each NAL unit (ITU-T H.264, annex B). False if the lengths do not fit.
    private static func writeStartCodes(_ bytes: UnsafeMutablePointer<UInt8>, count: Int) -> Bool {
        var position = 0
        while position < count {
            guard count - position > startCode.count else { return false }
            let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
            for index in startCode.indices { bytes[position + index] = startCode[index] }
            position += startCode.count
            guard length > 0, length <= count - position else { return false }
            position += length
        }
        return count > 0
    }
}

extension PlanarFrame {
    /// A view of a decoded frame's planes; nil if it has another pixel format or an odd side.
    fileprivate init?(_ frame: AVFrame) {
        guard let chroma = Self.chroma(of: frame), let y = frame.data.0, let u = frame.data.1,
            let v = frame.data.2, frame.linesize.1 == frame.linesize.2, frame.width % 2 == 0, frame.height % 2 == 0
        else { return nil }
        self.init(
            size: PixelSize(width: Int(frame.width), height: Int(frame.height)),
            colour: ColourFormat(chroma: chroma, isFullRange: frame.color_range == AVCOL_RANGE_JPEG), y: y, u: u, v: v,
            lumaStride: Int(frame.linesize.0), chromaStride: Int(frame.linesize.1))
    }

    /// libavcodec has separate names for full-range formats, which only some of its versions use.
    private static func chroma(of frame: AVFrame) -> ColourFormat.Chroma? {
        switch frame.format {
        case AV_PIX_FMT_YUV420P.rawValue, AV_PIX_FMT_YUVJ420P.rawValue: .yuv420
        case AV_PIX_FMT_YUV444P.rawValue, AV_PIX_FMT_YUVJ444P.rawValue: .yuv444
        default: nil
        }
    }
}
