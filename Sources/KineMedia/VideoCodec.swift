// The video codecs that Kinecast can pass on, as a value: encoder, containers, messages and pages all name them by it.

/// The coding of frames. The raw values are those of manifests and messages.
public enum VideoCodec: String, Codable, Sendable, CaseIterable {
    /// ITU-T H.264 (AVC).
    case h264
    /// ITU-T H.265 (HEVC).
    case hevc
    /// AOMedia AV1.
    case av1

    /// The sides of a frame, in pixels, that every codec can have: H.264's level 6.2 limits them (ITU-T H.264, table A-1).
    public static let frameSides = 16...16384

    /// The codec's four letters, big-endian, in MP4 (ISO/IEC 14496-15, AV1-ISOBMFF) and in Enhanced RTMP. They say that the
    /// parameter sets are in the configuration record.
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
