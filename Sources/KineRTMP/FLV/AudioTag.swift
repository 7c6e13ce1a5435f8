// The first bytes of audio messages: FLV's tag header (Adobe's "Video File Format Specification 10.1", annex E.4.2).
import KineMedia

/// AAC in an audio message.
public enum AudioTag {
    /// Format 10. For AAC the rest is always "44 kHz, 16 bit, stereo": decoders read the configuration (E.4.2.1).
    private static let head: UInt8 = 0xAF

    /// The payload of the message before the first access unit.
    public static func sequenceHeader(_ audio: AudioTrackFormat) -> [UInt8] { [head, 0] + audio.audioSpecificConfig }

    /// The payload of the message of one access unit, which is copied.
    public static func audio(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(2 + bytes.count)
        message.append(head)
        message.append(1)
        message.append(contentsOf: bytes)
        return message
    }
}
