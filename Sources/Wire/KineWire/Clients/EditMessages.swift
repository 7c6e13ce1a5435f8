// What a client asks of an engine that it starts for a finished recording, and the answer: each is one JSON object. Decoders and
// encoders are in the engine's process, so that no app has to link them, and none dies of a damaged file.
import FoundationEssentials
import KineMedia

/// A question about one recording.
public enum EditRequest: Codable, Equatable, Sendable {
    case trim(TrimRequest)
    case images(ImagesRequest)
}

/// To write a part of a recording to another file.
public struct TrimRequest: Codable, Equatable, Sendable {
    /// Absolute paths.
    public var input: String
    public var output: String
    /// Nil: the start.
    public var start: MediaTime?
    /// Nil, or later than the end: the end.
    public var end: MediaTime?
    /// A file of the output's name is replaced.
    public var overwrite: Bool?
    /// The file gets the next free name if that one is taken: Kinecast has chosen it.
    public var isNumbered: Bool { numbered ?? false }
    /// Absent where it is false, as in messages of older clients.
    private var numbered: Bool?

    public init(
        input: String, output: String, start: MediaTime?, end: MediaTime?, overwrite: Bool? = nil,
        isNumbered: Bool = false
    ) {
        self.input = input
        self.output = output
        self.start = start
        self.end = end
        self.overwrite = overwrite
        numbered = isNumbered ? true : nil
    }
}

/// To make still images of a recording.
public struct ImagesRequest: Codable, Equatable, Sendable {
    /// The most times of one request: the images are held in memory until the answer is sent.
    public static let mostTimes = 100

    /// An absolute path.
    public var input: String
    public var times: [MediaTime]
    /// In pixels; nil: the frames' size.
    public var maximumSize: PixelSize?
    /// `png` or `jpeg`.
    public var format: String

    public init(input: String, times: [MediaTime], maximumSize: PixelSize?, format: String) {
        self.input = input
        self.times = times
        self.maximumSize = maximumSize
        self.format = format
    }
}

public enum EditAnswer: Codable, Equatable, Sendable {
    case trimmed(TrimmedRecording)
    case images([RecordedImage])
    case failed(EditFailure)
}

/// A part of a recording in a file of its own.
public struct TrimmedRecording: Codable, Equatable, Sendable {
    public var path: String
    public var bytes: Int64
    public var duration: MediaTime
    public var size: PixelSize
    public var frames: Int
    /// The first frames, which were encoded again; the others were copied.
    public var framesEncoded: Int

    public init(path: String, bytes: Int64, duration: MediaTime, size: PixelSize, frames: Int, framesEncoded: Int) {
        self.path = path
        self.bytes = bytes
        self.duration = duration
        self.size = size
        self.frames = frames
        self.framesEncoded = framesEncoded
    }
}

/// One frame of a recording.
public struct RecordedImage: Codable, Equatable, Sendable {
    /// The time from which the frame is shown.
    public var time: MediaTime
    /// In pixels.
    public var size: PixelSize
    /// A file of the format that was asked for.
    public var data: Data

    public init(time: MediaTime, size: PixelSize, data: Data) {
        self.time = time
        self.size = size
        self.data = data
    }
}

/// The reason why there is no answer.
public struct EditFailure: Error, Codable, Equatable, Sendable {
    /// The kind of a failure. An engine of a later version may send others.
    public enum Code: String, Sendable, CaseIterable {
        /// The file cannot be read.
        case cannotRead
        /// It was not recorded by Kinecast, or is damaged.
        case notARecording
        /// Its take still runs, or it has to be recovered.
        case notFinished
        /// The times are not within the recording, or in the wrong order.
        case outOfRange
        /// A library is missing, or cannot do this.
        case unavailable
        /// The file cannot be written there.
        case cannotCreate
        /// The disk is full or failed.
        case storage
    }

    /// One of `Code`.
    public var code: String
    /// One sentence: what happened, on what, and what to do.
    public var message: String
    /// Another thing that the person can do. Older engines do not send it.
    public var alternative: Alternative?

    public init(code: Code, message: String, alternative: Alternative? = nil) {
        self.code = code.rawValue
        self.message = message
        self.alternative = alternative
    }
}
