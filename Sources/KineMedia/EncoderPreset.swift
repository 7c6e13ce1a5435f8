// The work that an encoder puts into each frame, as a value that options, messages and encoders share.

/// From the fastest to the one that makes the smallest frames, under x264's names. An encoder of another library takes its
/// nearest equivalent.
public enum EncoderPreset: String, Codable, Sendable, CaseIterable {
    case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow
}
