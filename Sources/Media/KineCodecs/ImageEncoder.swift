// Encodes still images as PNG and JPEG files, by libavcodec.
import CFFmpeg
import KineMedia

/// Encodes single images.
public enum ImageEncoder {
    public enum Format: String, Sendable, CaseIterable, Codable {
        case png
        case jpeg
    }

    public enum Error: Swift.Error, Equatable {
        /// This build of libavcodec has no encoder for the format.
        case missing(Format)
        /// The encoder failed; `code` is libavutil's.
        case failed(Format, code: Int32)
    }

    /// The quantizer of libavcodec's JPEG encoder, 2…31: fine enough for text.
    private static let jpegQuantizer: Int32 = 3

    /// A PNG file. The sides may be odd.
    /// - Parameter rgb: red, green and blue, three bytes a pixel, rows without gaps.
    public static func png(rgb: [UInt8], size: PixelSize) throws(Error) -> [UInt8] {
        try encode(rgb, [Plane(rowBytes: size.width * 3, rows: size.height)], size, .png)
    }

    /// A JPEG file. The sides may be odd.
    /// - Parameter jfif: the planes of JFIF in order, rows without gaps: 4:2:0, its chroma planes' sides rounded up,
    ///   BT.601 with full range.
    public static func jpeg(jfif: [UInt8], size: PixelSize) throws(Error) -> [UInt8] {
        let chroma = Plane(rowBytes: (size.width + 1) / 2, rows: (size.height + 1) / 2)
        return try encode(jfif, [Plane(rowBytes: size.width, rows: size.height), chroma, chroma], size, .jpeg)
    }

    private struct Plane {
        var rowBytes: Int
        var rows: Int
    }

    private static func encode(
        _ pixels: [UInt8], _ planes: [Plane], _ size: PixelSize, _ format: Format
    ) throws(Error) -> [UInt8] {
        precondition(pixels.count == planes.reduce(0) { $0 + $1.rowBytes * $1.rows }, "the planes fill the bytes")
        guard kine_load_ffmpeg() != 0, let codec = avcodec_find_encoder_by_name(format == .png ? "png" : "mjpeg")
        else { throw .missing(format) }
        av_log_set_level(AV_LOG_FATAL)
        var context = avcodec_alloc_context3(codec)
        var frame = av_frame_alloc()
        var packet = av_packet_alloc()
        defer {
            avcodec_free_context(&context)
            av_frame_free(&frame)
            av_packet_free(&packet)
        }
        guard let context, let frame, let packet else { throw .failed(format, code: kine_averror_no_memory()) }
        context.pointee.width = Int32(size.width)
        context.pointee.height = Int32(size.height)
        context.pointee.pix_fmt = format == .png ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_YUVJ420P
        context.pointee.time_base = AVRational(num: 1, den: 1)
        context.pointee.flags |= AV_CODEC_FLAG_QSCALE
        context.pointee.global_quality = jpegQuantizer * FF_QP2LAMBDA
        context.pointee.thread_count = 1
        for step in [
            { avcodec_open2(context, codec, nil) }, { fill(frame, pixels, planes, context.pointee) },
            { avcodec_send_frame(context, frame) }, { avcodec_receive_packet(context, packet) },
        ] {
            let code = step()
            guard code >= 0 else { throw .failed(format, code: code) }
        }
        return Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
    }

    /// Copies the pixels into a frame of libavcodec's. Returns libavutil's code.
    private static func fill(
        _ frame: UnsafeMutablePointer<AVFrame>, _ pixels: [UInt8], _ planes: [Plane], _ context: AVCodecContext
    ) -> Int32 {
        frame.pointee.format = context.pix_fmt.rawValue
        frame.pointee.width = context.width
        frame.pointee.height = context.height
        frame.pointee.quality = context.global_quality
        let code = av_frame_get_buffer(frame, 0)
        guard code >= 0 else { return code }
        let (data, strides) = (frame.pointee.data, frame.pointee.linesize)
        let targets = [(data.0, strides.0), (data.1, strides.1), (data.2, strides.2)]
        pixels.withUnsafeBufferPointer { pixels in
            guard var source = pixels.baseAddress else { return }
            for (plane, (target, stride)) in zip(planes, targets) {
                for row in 0..<plane.rows {
                    if let target { (target + row * Int(stride)).update(from: source, count: plane.rowBytes) }
                    source += plane.rowBytes
                }
            }
        }
        return 0
    }
}
