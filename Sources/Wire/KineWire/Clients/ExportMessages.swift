// Messages about films that are made of recordings and edits.
import KineMedia

/// Makes a film of a recording.
public struct ExportRequest: Codable, Equatable, Sendable {
    /// Absolute paths.
    public var input: String
    public var output: String
    /// The edits of a person; automatic ones take the place of the same kind.
    public var edits: FilmEdits
    public var zooms: Bool
    public var tightens: Bool
    /// Frames a second at most; nil: as the recording.
    public var rate: Int?
    public var ifTaken: Conflict
    /// Whether lines with an `EditProgress` come before the answer.
    public var reportsProgress = false

    /// What to do if the output's name is taken.
    public enum Conflict: String, Codable, Sendable {
        case refuse, replace
        /// The file gets the next free name, because Kinecast has chosen the name.
        case number
    }

    public init(
        input: String, output: String, edits: FilmEdits, zooms: Bool, tightens: Bool, rate: Int? = nil,
        ifTaken: Conflict
    ) {
        (self.input, self.output, self.edits, self.zooms) = (input, output, edits, zooms)
        (self.tightens, self.rate, self.ifTaken) = (tightens, rate, ifTaken)
    }
}

/// A film in its own file.
public struct ExportedRecording: Codable, Equatable, Sendable {
    public var path: String
    public var bytes: Int64
    public var duration: MediaTime
    public var size: PixelSize
    public var frames: Int
    /// Frames that were drawn and encoded; the others were copied.
    public var framesEncoded: Int
    public var zooms: Int
    /// By how much the film is shorter than the recording.
    public var shorter: MediaTime
    /// Why all frames were encoded; nil: those that no edit touches were copied.
    public var reason: Reason?
    /// Whether zooms were made without knowing any clicks.
    public var lacksClicks: Bool

    public enum Reason: String, Codable, Sendable {
        /// The film's size, shape or rate is another one.
        case otherFormat
        /// Another encoder, or another version of x264, made the recording.
        case otherEncoder
    }

    public init(
        path: String, bytes: Int64, duration: MediaTime, size: PixelSize, frames: Int, framesEncoded: Int, zooms: Int,
        shorter: MediaTime, reason: Reason?, lacksClicks: Bool
    ) {
        (self.path, self.bytes, self.duration, self.size) = (path, bytes, duration, size)
        (self.frames, self.framesEncoded, self.zooms) = (frames, framesEncoded, zooms)
        (self.shorter, self.reason, self.lacksClicks) = (shorter, reason, lacksClicks)
    }
}
