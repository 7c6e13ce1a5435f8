// The interface of every audio encoder.
import KineMedia

/// Encodes frames of samples in order. Not thread-safe: one thread encodes.
///
/// Used as a generic constraint, so that the path of the samples has no existential.
public protocol AudioEncoder: AnyObject, SendableMetatype {
    associatedtype Failure: Error

    /// The codec of its access units.
    static var codec: AudioCodec { get }

    var settings: AudioEncoderSettings { get }

    /// The bytes that a decoder needs before the first access unit. AAC: AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    var decoderConfiguration: [UInt8] { get }

    /// Samples a channel in one frame and one access unit.
    var samplesPerFrame: Int { get }

    /// Samples a channel that a decoder outputs before the first input sample. Players leave them out.
    var primingSamples: Int { get }

    /// Opens an encoder; throws if the codec or its library refuses the settings.
    init(_ settings: AudioEncoderSettings) throws(Failure)

    /// Encodes one frame.
    /// - Parameters:
    ///   - interleaved: `samplesPerFrame` samples a channel, finite and within ±1, interleaved.
    ///   - deliver: called before this returns, once for each access unit that is ready: none while the encoder delays
    ///     frames, several when it outputs delayed ones. The bytes are valid for the call.
    func encode(interleaved: Span<Float>, deliver: (UnsafeRawBufferPointer) -> Void) throws(Failure)

    /// Delivers the delayed access units. No frame can be encoded afterwards.
    func finish(deliver: (UnsafeRawBufferPointer) -> Void) throws(Failure)
}

/// The settings of an audio encoder.
public struct AudioEncoderSettings: Sendable, Hashable {
    /// Samples a second.
    public var sampleRate: Int
    public var channels: Int
    /// Bits a second, for all channels together.
    public var bitrate: Int

    public init(sampleRate: Int, channels: Int, bitrate: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.bitrate = bitrate
    }
}
