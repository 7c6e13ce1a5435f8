// The interface of every video encoder, on the processor or in hardware.
import KineMedia

/// Encodes frames in the order they are given. Not thread-safe: one thread encodes.
///
/// An encoder may be opened on one thread and used on another, if nothing uses it on both at once. Two encoders have nothing in common
/// and may work at the same time.
///
/// Used generically: the frame's path from capture to the sinks has no existential.
public protocol VideoEncoder: AnyObject, SendableMetatype {
    /// The codec of its access units.
    static var codec: VideoCodec { get }

    /// The present settings.
    var settings: VideoEncoderSettings { get }

    /// The parameter sets of the frames that are encoded next; nil while an encoder learns them from its first frame.
    var parameterSets: VideoParameterSets? { get }

    /// Opens an encoder that continues the stream of `other`, if any, with the same parameter sets if possible.
    init(_ settings: VideoEncoderSettings, continuing other: Self?) throws(VideoEncoderError)

    /// Makes the next frame's time follow those of `other`, which encoded the frames in between.
    func follow(_ other: Self)

    /// Changes the bitrate in place, from the next frame on: no format change, no keyframe. False where the encoder cannot.
    ///
    /// A peak that is lower than an average bitrate takes its place. To raise the bitrate later, open the encoder with the highest
    /// average, and with the present bitrate as its peak.
    func setPeak(_ peak: VideoEncoderSettings.Peak) -> Bool

    /// Encodes one frame. The planes can be reused when this returns.
    ///
    /// No access unit is larger than the peak's `accessUnit`, as far as the coarsest quantizer of the library's rate control allows.
    /// - Parameters:
    ///   - frame: of the settings' size and colour.
    ///   - changed: the tiles that differ from the frame given just before this one.
    ///   - time: since the take's start; later than the frame before.
    ///   - output: called before this returns, once for each piece that is ready: none where the encoder holds this frame back,
    ///     several where it gives out earlier ones.
    func encode(
        _ frame: PlanarFrame, changed: DamageRegion, at time: MediaTime, forceKeyframe: Bool,
        output: (VideoEncoderOutput) -> Void
    ) throws(VideoEncoderError)

    /// Gives out the frames that the encoder holds back. More can be encoded afterwards.
    func drain(output: (VideoEncoderOutput) -> Void) throws(VideoEncoderError)
}

/// The output of an encoder, in the order of the frames.
public enum VideoEncoderOutput: Sendable {
    /// New parameter sets for the samples that follow.
    case format(VideoParameterSets)
    /// The access unit of one frame, whole.
    case sample(EncodedSample)
}

/// The reasons why a video encoder cannot go on.
public enum VideoEncoderError: Error, Equatable {
    /// The encoder's library is not installed, or is of another version; `package` is Debian's name of it.
    case missing(VideoCodec, package: String)
    /// It does not open for frames of this size.
    case cannotOpen(VideoCodec, PixelSize)
    /// Its library does not encode that chroma; `library` is its name.
    case noChroma(ColourFormat.Chroma, library: String)
    /// It failed on a frame; `code` is the library's own.
    case encodingFailed(VideoCodec, code: Int32)
    /// It changed its format in the middle of a stream, and the file or a destination cannot go on with another one.
    case formatRefused(VideoCodec)
}
