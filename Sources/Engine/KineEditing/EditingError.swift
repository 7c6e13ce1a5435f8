// The errors of this target.
import KineCodecs
import KineContainers
import KineMedia
import KineX264

/// The reasons why a recording cannot be looked at or cut.
public enum EditingError: Error, Equatable, CustomStringConvertible {
    /// The file cannot be read, is not finished, or was not recorded by Kinecast.
    case recording(RecordingIndex.Error)
    /// The times are not within the recording.
    case excerpt(MovieExcerpt.Error)
    /// A time for an image is later than the recording's end.
    case beyondEnd(MediaTime)
    /// The images would not fit into memory together.
    case tooManyImages(most: Int)
    /// Only H.264 is decoded here.
    case codec(VideoCodec)
    case decoder(H264Decoder.Error)
    case audio(AACDecoder.Error)
    case audioEncoder(AudioEncoderError)
    case encoder(X264Continuation.Error)
    /// The encoder of a film whose frames are all encoded cannot be opened, or it failed.
    case videoEncoder(VideoEncoderError)
    case edits(FilmEdits.Problem)
    /// The edits leave nothing of the recording.
    case nothingLeft
    /// The edits have a background, or clicks to show, which are not drawn yet.
    case notDrawn(String)
    case image(ImageEncoder.Error)
    case writing(StorageError)

    public var description: String {
        switch self {
        case .recording(let error): "\(error)."
        case .excerpt(let error): "\(error)."
        case .beyondEnd(let duration): "\(MovieExcerpt.Error.beyondEnd(duration))."
        case .tooManyImages(let most): "At most \(most) images can be made at a time; ask for fewer, several times."
        case .codec(let codec):
            "The recording's video is \(codec.rawValue), and only h264 is decoded here; let an excerpt begin at a keyframe."
        case .decoder(let error): error.description
        case .audio(let error): error.description
        case .audioEncoder(let error): "\(error)"
        case .encoder(let error): error.description
        case .videoEncoder(let error): "\(error)"
        case .edits(let error): error.description
        case .notDrawn(let name): "This version of Kinecast draws no \(name) into films; remove \(name) from the edits."
        case .nothingLeft: "The edits leave nothing of the recording; keep a part of it."
        case .image(let error): error.description
        case .writing(let error): "\(error)."
        }
    }

    /// Runs `body`, and makes its error one of this target's.
    static func wrapping<Value, Failure: Error>(
        _ wrap: (Failure) -> EditingError, _ body: () throws(Failure) -> Value
    ) throws(EditingError) -> Value {
        do throws(Failure) { return try body() } catch { throw wrap(error) }
    }
}
