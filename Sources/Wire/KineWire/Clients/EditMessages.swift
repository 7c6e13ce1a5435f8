// A client's request to an engine that it starts for a finished recording, and the answer: each is one JSON object.
// Decoders and encoders run in the engine's process, so no app has to link them, and none crashes on a damaged file.
import FoundationEssentials
import KineMedia

/// A request about one recording.
public enum EditRequest: Codable, Equatable, Sendable {
    case trim(TrimRequest)
    case export(ExportRequest)
    case images(ImagesRequest)
    case waveform(WaveformRequest)
    /// Reads the chapters of the recording at an absolute path.
    case chapters(String)
    /// Looks for a frame and the times of those around it.
    case frames(FramesRequest)
    /// Reads what a list shows of the files at absolute paths. They may be of other programs.
    case contents([String])
}

/// Writes a part of a recording to another file.
public struct TrimRequest: Codable, Equatable, Sendable {
    /// Absolute paths.
    public var input: String
    public var output: String
    /// Nil: the start.
    public var start: MediaTime?
    /// Nil, or later than the end: the end.
    public var end: MediaTime?
    /// Whether to replace an existing file.
    public var overwrite: Bool?
    /// Whether the file gets the next free name if one exists, because Kinecast has chosen the name.
    public var isNumbered: Bool { numbered ?? false }
    /// Whether lines with an `EditProgress` come before the answer.
    public var reportsProgress: Bool {
        get { progress ?? false }
        set { progress = newValue ? true : nil }
    }
    /// Whether the input track is left out.
    public var leavesInputOut: Bool { withoutInput ?? false }
    /// Absent for false.
    private var numbered: Bool?
    private var withoutInput: Bool?
    private var progress: Bool?

    public init(
        input: String, output: String, start: MediaTime?, end: MediaTime?, overwrite: Bool? = nil,
        isNumbered: Bool = false, leavesInputOut: Bool = false
    ) {
        self.input = input
        self.output = output
        self.start = start
        self.end = end
        self.overwrite = overwrite
        numbered = isNumbered ? true : nil
        withoutInput = leavesInputOut ? true : nil
    }
}

/// The progress of an `EditRequest`, one line of JSON.
public struct EditProgress: Codable, Equatable, Sendable {
    /// From 0 to 1.
    public var progress: Double

    public init(_ progress: Double) { self.progress = progress }
}

/// Makes still images of a recording.
public struct ImagesRequest: Codable, Equatable, Sendable {
    /// The most times of one request: the images stay in memory until the answer is sent.
    public static let mostTimes = 100

    /// An absolute path.
    public var input: String
    public var times: [MediaTime]
    /// In pixels; nil: the frames' size.
    public var maximumSize: PixelSize?
    /// `png` or `jpeg`.
    public var format: String
    /// If more frames than these have to be decoded, images show the keyframes before the times; nil: no limit.
    public var mostDecoded: Int?

    public init(
        input: String, times: [MediaTime], maximumSize: PixelSize?, format: String, mostDecoded: Int? = nil
    ) {
        self.input = input
        self.times = times
        self.maximumSize = maximumSize
        self.format = format
        self.mostDecoded = mostDecoded
    }
}

/// Measures how loud a recording is.
public struct WaveformRequest: Codable, Equatable, Sendable {
    /// An absolute path.
    public var input: String
    /// The most parts of the recording that are measured, at least one.
    public var most: Int

    public init(input: String, most: Int) { (self.input, self.most) = (input, most) }
}

/// Looks for the frame that is `offset` after the one shown at a time, or the nearest frame that there is.
public struct FramesRequest: Codable, Equatable, Sendable {
    /// The most frames of an answer before that frame, and after it.
    public static let reach = 300

    /// An absolute path.
    public var input: String
    public var time: MediaTime
    public var offset: Int

    public init(input: String, time: MediaTime, offset: Int) {
        self.input = input
        self.time = time
        self.offset = offset
    }
}

public enum EditAnswer: Codable, Equatable, Sendable {
    case trimmed(TrimmedRecording)
    case exported(ExportedRecording)
    case images([RecordedImage])
    /// The peaks of equal parts of the recording, from 0 to 255; empty without audio.
    case waveform([UInt8])
    case chapters([Chapter])
    case frames(RecordedFrames)
    /// One for each path.
    case contents([FileContent])
    case failed(EditFailure)
}

/// A part of a recording in its own file.
public struct TrimmedRecording: Codable, Equatable, Sendable {
    public var path: String
    public var bytes: Int64
    public var duration: MediaTime
    public var size: PixelSize
    public var frames: Int
    /// The number of first frames that were encoded again; the others were copied.
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
    /// An image file in the requested format.
    public var data: Data

    public init(time: MediaTime, size: PixelSize, data: Data) {
        self.time = time
        self.size = size
        self.data = data
    }
}

/// Consecutive frames of a recording.
public struct RecordedFrames: Codable, Equatable, Sendable {
    /// The recording's.
    public var duration: MediaTime
    /// In pixels.
    public var size: PixelSize
    /// The number of frames of the recording.
    public var count: Int
    /// The number of the requested frame, from 0. The frame is among these.
    public var found: Int
    /// The number of the first of these.
    public var first: Int
    /// The times at which these appear.
    public var starts: [MediaTime]

    public init(duration: MediaTime, size: PixelSize, count: Int, found: Int, first: Int, starts: [MediaTime]) {
        self.duration = duration
        self.size = size
        self.count = count
        self.found = found
        self.first = first
        self.starts = starts
    }
}

/// The result of reading a file for a list.
public enum FileContent: Codable, Equatable, Sendable {
    case summary(RecordingSummary)
    /// A sentence.
    case unreadable(String)
}

/// The reason for a missing answer.
public struct EditFailure: Error, Codable, Equatable, Sendable {
    /// The kind of a failure. A later version's engine may send others.
    public enum Code: String, Sendable, CaseIterable {
        /// The file cannot be read.
        case cannotRead
        /// The file was not recorded by Kinecast, or is damaged.
        case notARecording
        /// The file's take still runs, or the file must be recovered.
        case notFinished
        /// The times are outside the recording, or in the wrong order.
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
    /// An alternative for the person.
    public var alternative: Alternative?

    public init(code: Code, message: String, alternative: Alternative? = nil) {
        self.code = code.rawValue
        self.message = message
        self.alternative = alternative
    }
}
