// The first bytes of audio messages: FLV's tag header (Adobe's "Video File Format Specification 10.1", annex E.4.2).

/// AAC in an audio message.
public enum AudioTag {
    /// Format 10, and for AAC always "44 kHz, 16 bit, stereo", whatever it is: decoders read the configuration (E.4.2.1).
    private static let head: UInt8 = 0xAF

    /// The message that goes before the first access unit.
    public static func sequenceHeader(_ audio: RTMPStreamFormat.Audio) -> [UInt8] {
        [head, 0] + audio.specificConfiguration
    }

    /// One access unit.
    public static func audio(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count + 2) { buffer, count in
            (buffer[0], buffer[1]) = (head, 1)
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[2...]).copyMemory(from: bytes)
            count = bytes.count + 2
        }
    }
}
