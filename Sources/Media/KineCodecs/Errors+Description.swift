// One sentence for each error of this target: what happened, and what to do.
import CFFmpeg
import COpenH264
import KineMedia
import KinePlatform

extension LateLibrary {
    public static let libavcodec = LateLibrary("libavcodec", interface: Int(LIBAVCODEC_VERSION_MAJOR))
    static let libopenh264 = LateLibrary(
        "libopenh264", interface: Int(KINE_OPENH264_INTERFACE), package: "libopenh264-\(KINE_OPENH264_INTERFACE)")
}

extension VideoEncoderError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let codec, let package):
            "The library of the \(codec.title) encoder is not installed; install Debian's \(package)."
        case .cannotOpen(let codec, let size):
            "The \(codec.title) encoder could not be opened for \(size.width)×\(size.height) pixels; "
                + "choose a smaller size."
        case .noChroma(let chroma, let library):
            "\(library) does not encode \(chroma.title); choose another encoder or \(ColourFormat.Chroma.yuv420.title)."
        case .encodingFailed(let codec, _):
            "The \(codec.title) encoder failed on a frame, most likely because memory is short; close other "
                + "programs and record again."
        }
    }
}

extension ColourFormat.Chroma {
    /// For messages.
    fileprivate var title: String {
        switch self {
        case .yuv420: "4:2:0"
        case .yuv444: "4:4:4"
        }
    }
}

extension VideoCodec {
    /// For messages.
    fileprivate var title: String {
        switch self {
        case .h264: "H.264"
        case .hevc: "HEVC"
        case .av1: "AV1"
        }
    }
}

extension AudioEncoderError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let library, let lack, let remedy): "\(library) \(lack); \(remedy)."
        case .failed(let sentence): sentence
        }
    }

    static var missingAAC: Self {
        let library = LateLibrary.libavcodec
        return .missing(library: library.name, lack: library.lack(or: "has no AAC encoder"), remedy: library.remedy)
    }

    /// `code`: libavutil's.
    static func refusedAAC(sampleRate: Int, channels: Int, bitrate: Int, code: Int32) -> Self {
        .failed(
            "The AAC encoder refused \(sampleRate) Hz with \(channels) channels at \(bitrate) bit/s (\(libraryReason(code))); "
                + "use 48000 or 44100 Hz, one or two channels, and 32000 to 320000 bit/s.")
    }

    /// `code`: libavutil's.
    static func failedAAC(code: Int32) -> Self {
        .failed("The AAC encoder failed (\(libraryReason(code))); record without audio.")
    }
}

extension AudioResampler.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing:
            "libswresample, which libavcodec brings, \(LateLibrary.libavcodec.lack()); \(LateLibrary.libavcodec.remedy)."
        case .refused(let from, let to, _):
            "libswresample cannot convert audio from \(from) Hz to \(to) Hz; choose another device or rate."
        }
    }
}

extension H264Decoder.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing:
            "libavcodec \(LateLibrary.libavcodec.lack(or: "has no H.264 decoder")); \(LateLibrary.libavcodec.remedy)."
        case .cannotOpen(let code): "The H.264 decoder cannot be opened (\(libraryReason(code))); close other programs."
        case .damaged(let code): "A frame is damaged (\(libraryReason(code))); choose another time."
        case .pixelFormat:
            "The frames have another pixel format than Kinecast records; use the recording as it was saved."
        }
    }
}

extension AACDecoder.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing:
            "libavcodec \(LateLibrary.libavcodec.lack(or: "has no AAC decoder")); \(LateLibrary.libavcodec.remedy)."
        case .cannotOpen(let code): "The AAC decoder cannot be opened (\(libraryReason(code))); close other programs."
        }
    }
}

extension ImageEncoder.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let format):
            "libavcodec \(LateLibrary.libavcodec.lack(or: "does not write \(format.rawValue.uppercased())")); "
                + "\(LateLibrary.libavcodec.remedy)."
        case .failed(let format, let code):
            "The \(format.rawValue.uppercased()) encoder failed (\(libraryReason(code))); choose a smaller size."
        }
    }
}

/// libavutil's message for a code.
private func libraryReason(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
        text.initialize(repeating: 0)
        guard let start = text.baseAddress, av_strerror(code, start, text.count) == 0 else { return "error \(code)" }
        return String(cString: start)
    }
}
