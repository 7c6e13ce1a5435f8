// The interface of every audio encoder.
import KineMedia

/// Encodes frames of samples in the order they are given. Not thread-safe: one thread encodes.
///
/// Used generically: the samples' path from capture to the sinks has no existential.
public protocol AudioEncoder: AnyObject, SendableMetatype {
    /// The reasons why it cannot be opened or cannot go on.
    associatedtype Failure: Error

    /// The codec of its access units.
    static var codec: AudioCodec { get }

    /// The settings that it was opened with.
    var settings: AudioEncoderSettings { get }

    /// The bytes that a decoder needs before the first access unit. AAC: AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    var decoderConfiguration: [UInt8] { get }

    /// Samples a channel in one frame and one access unit.
    var samplesPerFrame: Int { get }

    /// Samples a channel that come out of a decoder before the first one put in. Players leave them out.
    var primingSamples: Int { get }

    /// Opens an encoder; throws where the codec or its library does not take the settings.
    init(_ settings: AudioEncoderSettings) throws(Failure)

    /// Encodes one frame.
    /// - Parameters:
    ///   - interleaved: `samplesPerFrame` samples a channel, finite and within ±1, the channels of one instant side by side.
    ///   - deliver: called before this returns, once for each access unit that is ready, with bytes that are valid for the call: none
    ///     where the encoder holds this frame back, several where it gives out earlier ones.
    func encode(interleaved: Span<Float>, deliver: (UnsafeRawBufferPointer) -> Void) throws(Failure)

    /// Delivers the access units that the encoder holds back. Nothing can be encoded afterwards.
    func finish(deliver: (UnsafeRawBufferPointer) -> Void) throws(Failure)
}

/// The settings that an audio encoder is opened with.
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
