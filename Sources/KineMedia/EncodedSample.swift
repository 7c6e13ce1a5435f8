// Encoded frames and audio, on their way from an encoder to the sinks.

/// The stream of a take that a sample belongs to. The names are ReplayKit's `RPSampleBufferType`.
public enum SampleType: String, Sendable, Codable, CaseIterable {
    case video
    /// The audio of the system or of one application; also app and microphone mixed, where they share a track.
    case audioApp
    case audioMic
}

/// One access unit: an encoded frame, or encoded audio.
public struct EncodedSample: Sendable {
    public var type: SampleType
    /// Time since the take's first frame, pauses taken out. Decoding order is presentation order: nothing is reordered.
    public var presentationTime: MediaTime
    /// For video an estimate only: a frame lasts until the next one, or until the end.
    public var duration: MediaTime
    /// Decoding can start here. Every access unit of audio is a keyframe.
    public var isKeyframe: Bool
    /// H.264 and HEVC: NAL units each behind a four-byte big-endian length (ISO/IEC 14496-15, 4.3.2), parameter sets left out.
    /// AV1: a temporal unit's OBUs with their size fields, temporal delimiters left out (AV1-ISOBMFF, 2.4).
    /// AAC: one raw_data_block without ADTS header (ISO/IEC 14496-3, 4.4.2.1).
    public var data: [UInt8]

    public init(
        type: SampleType, presentationTime: MediaTime, duration: MediaTime, isKeyframe: Bool, data: [UInt8]
    ) {
        self.type = type
        self.presentationTime = presentationTime
        self.duration = duration
        self.isKeyframe = isKeyframe
        self.data = data
    }
}
