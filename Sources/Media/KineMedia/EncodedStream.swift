// The encoded streams of a take: their codecs, formats and samples.

/// H.264's parameter sets, each a NAL unit without start code or length (ITU-T H.264, 7.3.2.1 and 7.3.2.2).
public struct H264ParameterSets: Hashable, Sendable {
    public var sequence: [UInt8]
    public var picture: [UInt8]

    public init(sequence: [UInt8], picture: [UInt8]) {
        self.sequence = sequence
        self.picture = picture
    }
}

/// HEVC's parameter sets, each a NAL unit without start code or length (ITU-T H.265, 7.3.2.1 to 7.3.2.3).
public struct HEVCParameterSets: Hashable, Sendable, Codable {
    public var video: [UInt8]
    public var sequence: [UInt8]
    public var picture: [UInt8]

    public init(video: [UInt8], sequence: [UInt8], picture: [UInt8]) {
        self.video = video
        self.sequence = sequence
        self.picture = picture
    }
}

/// AV1's sequence header: the whole OBU, with its header and size field (AV1 specification, 5.3 and 5.5).
public struct AV1SequenceHeader: Hashable, Sendable {
    public var unit: [UInt8]

    public init(unit: [UInt8]) { self.unit = unit }
}

/// A codec, and the parameter sets for its decoder.
public enum VideoParameterSets: Hashable, Sendable {
    case h264(H264ParameterSets)
    case hevc(HEVCParameterSets)
    case av1(AV1SequenceHeader)

    public var codec: VideoCodec {
        switch self {
        case .h264: .h264
        case .hevc: .hevc
        case .av1: .av1
        }
    }
}

extension VideoParameterSets {
    /// The sets as units of an access unit, in the form of `EncodedSample.data`. Empty for AV1, whose keyframes have their
    /// sequence header in any case.
    package var units: [UInt8] {
        let sets: [[UInt8]] =
            switch self {
            case .h264(let sets): [sets.sequence, sets.picture]
            case .hevc(let sets): [sets.video, sets.sequence, sets.picture]
            case .av1: []
            }
        return sets.flatMap { set in withUnsafeBytes(of: UInt32(set.count).bigEndian) { Array($0) } + set }
    }
}

/// The format of a take's video, up to a keyframe that has another.
public struct VideoFormat: Hashable, Sendable {
    public var parameterSets: VideoParameterSets
    /// The visible size in pixels. May be odd: the coded frame is then one pixel larger, and the sample entry crops it.
    public var size: PixelSize

    public init(parameterSets: VideoParameterSets, size: PixelSize) {
        self.parameterSets = parameterSets
        self.size = size
    }

    public var codec: VideoCodec { parameterSets.codec }
}

/// The video codecs that Kinecast supports, in encoders, containers, messages and pages. The raw values are those of
/// manifests and messages.
public enum VideoCodec: String, Codable, Sendable, CaseIterable {
    /// ITU-T H.264 (AVC).
    case h264
    /// ITU-T H.265 (HEVC).
    case hevc
    /// AOMedia AV1.
    case av1

    /// The sides of a frame, in pixels, that every codec supports: the limit is H.264's level 6.2 (table A-1).
    public static let frameSides = 16...16384

    /// The codec's four letters, big-endian, in MP4 (ISO/IEC 14496-15, AV1-ISOBMFF) and in Enhanced RTMP. They mean
    /// that the parameter sets are in the configuration record.
    public var fourCharacterCode: UInt32 {
        switch self {
        case .h264: 0x6176_6331  // avc1
        case .hevc: 0x6876_6331  // hvc1
        case .av1: 0x6176_3031  // av01
        }
    }

    public init?(fourCharacterCode: UInt32) {
        guard let codec = Self.allCases.first(where: { $0.fourCharacterCode == fourCharacterCode }) else { return nil }
        self = codec
    }
}

/// From the fastest to the one with the smallest frames, by x264's names. An encoder of another library uses its
/// nearest equivalent.
public enum EncoderPreset: String, Codable, Sendable, CaseIterable {
    case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow
}

/// The format of one audio stream of a take: the codec, and what its decoder and players need.
public struct AudioFormat: Hashable, Sendable, Codable {
    public var type: SampleType
    public var codec: AudioCodec
    /// Samples a second; also the track's timescale.
    public var sampleRate: Int
    public var channels: Int
    /// The requested bits a second; 0 for PCM.
    public var bitrate: Int
    /// The codec's parameters, as containers have them. AAC: AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1). PCM: none.
    public var configuration: [UInt8]
    /// Samples a channel in one access unit, or in one piece of PCM.
    public var samplesPerAccessUnit: Int
    /// Samples a channel that a decoder outputs before the first captured one. Players leave them out.
    public var primingSamples: Int

    /// The keys of an extension's `start`.
    private enum CodingKeys: String, CodingKey {
        case type, sampleRate, channels, bitrate, samplesPerAccessUnit, primingSamples
        case codec = "form"
        case configuration = "audioSpecificConfig"
    }

    public init(
        type: SampleType, codec: AudioCodec, sampleRate: Int, channels: Int, bitrate: Int, configuration: [UInt8],
        samplesPerAccessUnit: Int, primingSamples: Int
    ) {
        self.type = type
        self.codec = codec
        self.sampleRate = sampleRate
        self.channels = channels
        self.bitrate = bitrate
        self.configuration = configuration
        self.samplesPerAccessUnit = samplesPerAccessUnit
        self.primingSamples = primingSamples
    }

    /// PCM in pieces of about 20 ms: a reader waits for each.
    public static func pcm(_ type: SampleType, sampleRate: Int, channels: Int) -> AudioFormat {
        AudioFormat(
            type: type, codec: .pcm, sampleRate: sampleRate, channels: channels, bitrate: 0, configuration: [],
            samplesPerAccessUnit: 1024, primingSamples: 0)
    }

    /// The time of a sample of the stream, or of so many samples a channel. Priming has negative times.
    public func time(ofSample number: Int64) -> MediaTime {
        MediaTime(ticks: number, timescale: Int32(clamping: sampleRate))
    }
}

/// The coding of audio. Manifests and messages use the raw values.
public enum AudioCodec: String, Codable, Sendable, CaseIterable {
    /// One AAC-LC access unit (ISO/IEC 14496-3) a sample.
    case aac
    /// Interleaved 32-bit floats within ±1, in the machine's byte order.
    case pcm
}

/// The stream of a take that a sample belongs to, by the names of ReplayKit's `RPSampleBufferType`.
public enum SampleType: String, Sendable, Codable, CaseIterable {
    case video
    /// The audio of the system or of one application; with a common track, app and microphone mixed.
    case audioApp
    case audioMic
}

/// One access unit: an encoded frame, or encoded audio.
public struct EncodedSample: Sendable {
    public var type: SampleType
    /// Time since the take's first frame, without pauses. Decoding order is presentation order: nothing is reordered.
    public var presentationTime: MediaTime
    /// Only an estimate for video: a frame lasts until the next one, or until the end.
    public var duration: MediaTime
    /// Decoding can start here. True for every access unit of audio.
    public var isKeyframe: Bool
    /// H.264 and HEVC: NAL units with four-byte big-endian lengths (ISO/IEC 14496-15, 4.3.2), without parameter sets.
    /// AV1: a temporal unit's OBUs with their size fields, without temporal delimiters (AV1-ISOBMFF, 2.4). AAC: one
    /// raw_data_block without ADTS header (ISO/IEC 14496-3, 4.4.2.1). Once a take's format has changed, keyframes of
    /// H.264 and HEVC begin with their parameter sets.
    public var data: [UInt8]
    /// The format of this frame and of those up to the next keyframe: each keyframe of a take has it. Nil in other
    /// samples; in a keyframe: as before.
    public var format: VideoFormat?

    public init(
        type: SampleType, presentationTime: MediaTime, duration: MediaTime, isKeyframe: Bool, data: [UInt8],
        format: VideoFormat? = nil
    ) {
        self.type = type
        self.presentationTime = presentationTime
        self.duration = duration
        self.isKeyframe = isKeyframe
        self.data = data
        self.format = format
    }
}

/// A bitrate as a person writes it: `4000000`, `800k`, `4M`, `4.5M`, `4Mbps`. One grammar for the command line's
/// options and the settings.
public struct Bitrate: Sendable, Equatable {
    public let bitsPerSecond: Int

    /// Nil if the text is not a bitrate, or one outside 1,000 to 1,000,000,000 bits a second.
    public init?(_ text: String) {
        var digits = text[...]
        // A capital B would mean bytes.
        for unit in ["bps", "bit/s", "b/s"] where digits.hasSuffix(unit) { digits.removeLast(unit.count) }
        var scale = 1.0
        switch digits.last {
        case "k", "K": scale = 1e3
        case "m", "M": scale = 1e6
        default: break
        }
        if scale > 1 { digits.removeLast() }
        guard digits.allSatisfy({ ("0"..."9").contains($0) || $0 == "." }), let value = Double(digits) else {
            return nil
        }
        let rate = (value * scale).rounded()
        guard (1000...1e9).contains(rate) else { return nil }
        bitsPerSecond = Int(rate)
    }
}
