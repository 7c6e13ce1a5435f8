/// The coding of audio samples. The raw values are those of manifests and messages.
public enum AudioCodec: String, Codable, Sendable, CaseIterable {
    /// One AAC-LC access unit (ISO/IEC 14496-3) a sample.
    case aac
    /// Interleaved 32-bit floats within ±1, in the machine's byte order.
    case pcm
}
