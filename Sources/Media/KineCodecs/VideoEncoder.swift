// The interface of every video encoder, in software or hardware.
import KineMedia

/// Encodes frames in order. Not thread-safe: one thread encodes.
///
/// An encoder may be opened on one thread and used on another, but not on both at once. Two encoders share nothing and
/// may work at the same time.
///
/// Used as a generic constraint, so that the path of the frames has no existential.
public protocol VideoEncoder: AnyObject, SendableMetatype {
    /// The codec of its access units.
    static var codec: VideoCodec { get }

    /// The current settings.
    var settings: VideoEncoderSettings { get }

    /// The format of the next frames, with their coded size; nil if the encoder gets it only with its first frame.
    var format: VideoFormat? { get }

    /// Opens an encoder that continues the stream of `other`, if any, in the same format if possible.
    init(_ settings: VideoEncoderSettings, continuing other: Self?) throws(VideoEncoderError)

    /// Continues the times of `other`, which encoded the frames in between.
    func follow(_ other: Self)

    /// Changes the bitrate of the next frames: no format change, no keyframe. False if the encoder cannot.
    ///
    /// A peak below an average bitrate replaces it. To raise the bitrate later, open the encoder with the highest
    /// average, and with the current bitrate as its peak.
    func setPeak(_ peak: VideoEncoderSettings.Peak) -> Bool

    /// Encodes one frame. The planes can be reused when this returns.
    ///
    /// No access unit exceeds the peak's `accessUnit`, as far as the coarsest quantizer allows.
    /// - Parameters:
    ///   - frame: of the settings' size and colour.
    ///   - changed: the tiles that differ from the previous frame of this encoder.
    ///   - time: since the take's start; later than the previous frame.
    ///   - output: called before this returns, for each output that is ready: none while frames are delayed, or
    ///     several.
    func encode(
        _ frame: PlanarFrame, changed: DamageRegion, at time: MediaTime, forceKeyframe: Bool,
        output: (VideoEncoderOutput) -> Void
    ) throws(VideoEncoderError)

    /// Outputs the delayed frames. More frames can be encoded afterwards.
    func drain(output: (VideoEncoderOutput) -> Void) throws(VideoEncoderError)
}

/// The output of an encoder, in the order of the frames.
public enum VideoEncoderOutput: Sendable {
    /// The format of the samples that follow, with their coded size. The next one is a keyframe.
    case format(VideoFormat)
    /// The access unit of one frame, whole.
    case sample(EncodedSample)
}

/// Why a video encoder cannot be opened or cannot continue.
public enum VideoEncoderError: Error, Equatable {
    /// The encoder's library is not installed or has another version; `package` is its name in Debian.
    case missing(VideoCodec, package: String)
    /// The encoder refuses frames of this size.
    case cannotOpen(VideoCodec, PixelSize)
    /// The library does not encode this chroma; `library` is its name.
    case noChroma(ColourFormat.Chroma, library: String)
    /// The encoder failed on a frame; `code` is the library's.
    case encodingFailed(VideoCodec, code: Int32)
}
