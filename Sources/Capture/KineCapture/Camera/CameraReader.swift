// Reads frames of a camera or a file by FFmpeg's libraries.
import CAVDevice
import CFFmpeg
import CLinux
import Glibc
import KineMedia
import KineText
import SystemPackage

/// An open camera or file. Used by one thread; opening and reading wait for the device.
final class CameraReader {
    private let camera: CameraInput
    private var input: UnsafeMutablePointer<AVFormatContext>?
    private var decoder: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private var scaler: OpaquePointer?
    /// The frame before it is turned.
    private var unturned: [UInt8] = []
    private var stream: Int32 = 0
    /// All packets were read, and the decoder has delayed frames.
    private var isDraining = false

    /// - Parameters:
    ///   - wanted: the size to request of a camera, which may give another one.
    init(_ camera: CameraInput, wanted: PixelSize) throws(VideoSourceError) {
        self.camera = camera
        guard kine_load_ffmpeg() != 0, kine_load_avformat() != 0 else { throw .noCameraLibrary(.libavformat) }
        if camera.needsDevices, kine_load_avdevice() == 0 { throw .noCameraLibrary(.libavdevice) }
        // The errors thrown here contain all that the library would write to standard error.
        av_log_set_level(AV_LOG_FATAL)
        // Keeps a FIFO open for its writer until libavformat reads it.
        let pipe: FileDescriptor? = if case .file(let path) = camera { try Self.openPipe(path) } else { nil }
        defer { try? pipe?.close() }
        frame = av_frame_alloc()
        packet = av_packet_alloc()
        var code = open(camera, wanted)
        if code < 0, case .device = camera {
            // A camera that lacks this size, or cannot choose one, is used as it is.
            code = open(camera, nil)
        }
        guard code >= 0 else { throw .cameraFailed(Self.reason(code), of: camera) }
        guard openDecoder() else { throw .cameraFailed("it has no video that can be decoded", of: camera) }
    }

    deinit {
        // Without the library, its functions cannot be called.
        guard frame != nil else { return }
        sws_freeContext(scaler)
        av_frame_free(&frame)
        av_packet_free(&packet)
        avcodec_free_context(&decoder)
        avformat_close_input(&input)
    }

    /// Opens the FIFO for reading; nil: the file is not a FIFO. Without a writer, libavformat would wait for one.
    private static func openPipe(_ path: String) throws(VideoSourceError) -> FileDescriptor? {
        guard (try? FilePath(escaped: path).stat())?.type == .fifo else { return nil }
        let pipe: FileDescriptor
        do {
            pipe = try FileDescriptor.open(path.cString, .readOnly, options: [.nonBlocking, .closeOnExec])
        } catch {
            throw .cameraFileUnreadable(path, error as? Errno ?? .ioError)
        }
        guard kine_pipe_has_writer(pipe.rawValue) != 0 else {
            try? pipe.close()
            throw .cameraPipeUnwritten(path)
        }
        return pipe
    }

    private func open(_ camera: CameraInput, _ wanted: PixelSize?) -> Int32 {
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        // Only files are opened: no network address that a file contains.
        av_dict_set(&options, "protocol_whitelist", "file", 0)
        switch camera {
        case .device(let path):
            if let wanted {
                av_dict_set(&options, "video_size", "\(wanted.width)x\(wanted.height)", 0)
                av_dict_set(&options, "framerate", "30", 0)
            }
            return avformat_open_input(&input, path.cString, av_find_input_format("video4linux2"), &options)
        case .file(let path): return avformat_open_input(&input, ("file:" + path).cString, nil, &options)
        case .pattern:
            let filter = "testsrc2=size=\(wanted?.width ?? 640)x\(wanted?.height ?? 480):rate=30"
            return avformat_open_input(&input, filter, av_find_input_format("lavfi"), &options)
        }
    }

    private func openDecoder() -> Bool {
        var codec: UnsafePointer<AVCodec>?
        guard let input, avformat_find_stream_info(input, nil) >= 0 else { return false }
        stream = av_find_best_stream(input, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        guard stream >= 0, let parameters = input.pointee.streams[Int(stream)]?.pointee.codecpar else { return false }
        codec = avcodec_find_decoder(parameters.pointee.codec_id)
        guard let codec, let context = avcodec_alloc_context3(codec) else { return false }
        decoder = context
        // Each further thread would delay a frame.
        context.pointee.thread_count = 1
        return avcodec_parameters_to_context(context, parameters) >= 0 && avcodec_open2(context, codec, nil) >= 0
    }

    /// Reads the next frame, and waits for it. False at the end of a file.
    func read() throws(VideoSourceError) -> Bool {
        guard let input, let packet, let frame else { return false }
        while true {
            let received = avcodec_receive_frame(decoder, frame)
            if received >= 0 { return true }
            if received == kine_averror_eof() { return false }
            guard received == kine_averror_again() else { throw .cameraFailed(Self.reason(received), of: camera) }
            let code = av_read_frame(input, packet)
            defer { av_packet_unref(packet) }
            if code == kine_averror_eof(), !isDraining {
                isDraining = true
                avcodec_send_packet(decoder, nil)
                continue
            }
            if code == kine_averror_again() { continue }
            guard code >= 0 else { throw .cameraFailed(Self.reason(code), of: camera) }
            guard packet.pointee.stream_index == stream else { continue }
            // A damaged frame does not end the camera: the next frame follows.
            avcodec_send_packet(decoder, packet)
        }
    }

    /// Reads the file from its beginning again. False if that is impossible.
    func rewind() -> Bool {
        isDraining = false
        avcodec_flush_buffers(decoder)
        return av_seek_frame(input, -1, 0, AVSEEK_FLAG_BACKWARD) >= 0
    }

    /// The upright size of the last frame, in square pixels.
    var size: PixelSize { orientation.turned(sizeWithoutTurn) }

    private var videoStream: UnsafeMutablePointer<AVStream>? { input?.pointee.streams[Int(stream)] }

    private var orientation: Orientation {
        guard let frame, let stream = videoStream, let matrix = kine_display_matrix(stream, frame) else { return .up }
        return Orientation(displayMatrix: matrix)
    }

    private var sizeWithoutTurn: PixelSize {
        guard let frame else { return PixelSize(width: 0, height: 0) }
        let ratio = av_guess_sample_aspect_ratio(input, videoStream, frame)
        var width = Int(frame.pointee.width)
        if ratio.num > 0, ratio.den > 0 {
            width = max(1, (width * Int(ratio.num) + Int(ratio.den) / 2) / Int(ratio.den))
        }
        return PixelSize(width: width, height: Int(frame.pointee.height))
    }

    /// The frame's time in its file, in nanoseconds, if it has one.
    var time: Int64? {
        guard let frame, let base = videoStream?.pointee.time_base, base.den > 0,
            frame.pointee.best_effort_timestamp != Int64.min
        else { return nil }
        let seconds = Double(frame.pointee.best_effort_timestamp) * Double(base.num) / Double(base.den)
        return abs(seconds) < 1e8 ? Int64(seconds * 1e9) : nil
    }

    /// Writes the frame as BGRA of its `size`, rows of `stride` bytes.
    func convert(to bgra: UnsafeMutableRawPointer, stride: Int) throws(VideoSourceError) {
        let bytes = bgra.assumingMemoryBound(to: UInt8.self)
        let (orientation, size) = (orientation, sizeWithoutTurn)
        if orientation == .up { return try convert(to: bytes, size: size, stride: stride) }
        if unturned.count != size.area * 4 { unturned = [UInt8](repeating: 0, count: size.area * 4) }
        try unturned.withUnsafeMutableBufferPointer { buffer throws(VideoSourceError) in
            guard let start = buffer.baseAddress else { return }
            try convert(to: start, size: size, stride: size.width * 4)
            orientation.turn(start, size: size, to: bytes, stride: Int32(stride))
        }
    }

    private func convert(
        to bgra: UnsafeMutablePointer<UInt8>, size: PixelSize, stride: Int
    ) throws(VideoSourceError) {
        if let frame, frame.pointee.width == size.width,
            frame.pointee.convertQuickly(to: bgra, stride: Int32(stride))
        {
            return
        }
        let code = kine_frame_to_bgra(&scaler, frame, Int32(size.width), bgra, Int32(stride))
        guard code >= 0 else { throw .cameraFailed(Self.reason(code), of: camera) }
    }

    /// libavutil's message for a code.
    private static func reason(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
            text.initialize(repeating: 0)
            guard let start = text.baseAddress, av_strerror(code, start, text.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: start)
        }
    }
}

extension CameraInput {
    fileprivate var needsDevices: Bool {
        switch self {
        case .device, .pattern: true
        case .file: false
        }
    }
}
