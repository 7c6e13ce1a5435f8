// Clips: the last seconds of a running take, written to a file of their own.
import KineMedia

/// A client's request for a clip.
public struct ClipRequest: Codable, Sendable, Equatable {
    /// The client's own number for the request, which the answer repeats.
    public var id: Int
    /// Absolute path of the file to write.
    public var output: String
    /// The time up to now; nil: all that the buffer holds.
    public var duration: MediaTime?
    /// Replace an existing file.
    public var overwrite: Bool
    /// Whether only its owner may read the file, whatever the umask.
    public var isPrivate: Bool
    /// The file gets the next free name if that one is taken: Kinecast has chosen it.
    public var isNumbered: Bool { numbered ?? false }
    /// Absent where it is false, as in messages of older clients.
    private var numbered: Bool?

    public init(
        id: Int, output: String, duration: MediaTime?, overwrite: Bool = false, isPrivate: Bool = false,
        isNumbered: Bool = false
    ) {
        self.id = id
        self.output = output
        self.duration = duration
        self.overwrite = overwrite
        self.isPrivate = isPrivate
        numbered = isNumbered ? true : nil
    }
}

/// A clip that was written.
public struct ExportedClip: Codable, Sendable, Equatable {
    /// The relation of a clip's beginning to the time that was asked for.
    public enum Beginning: Sendable, Equatable {
        /// The clip begins at that time, or with the oldest that there is if no time was asked for.
        case asAsked
        /// It begins earlier, at a keyframe: by so much.
        case earlier(by: MediaTime)
        /// It begins later, as there is no more: so much is missing.
        case later(by: MediaTime)
    }

    /// The absolute path of its file.
    public var output: String
    /// Its first frame, since the beginning of the take, pauses left out.
    public var start: MediaTime
    public var duration: MediaTime
    /// The duration that was asked for; nil: all that there was.
    public var askedDuration: MediaTime?
    /// Of the file.
    public var bytes: Int64
    public var frames: Int

    public init(
        output: String, start: MediaTime, duration: MediaTime, askedDuration: MediaTime?, bytes: Int64, frames: Int
    ) {
        self.output = output
        self.start = start
        self.duration = duration
        self.askedDuration = askedDuration
        self.bytes = bytes
        self.frames = frames
    }

    public var beginning: Beginning {
        guard let askedDuration, askedDuration != duration else { return .asAsked }
        return duration > askedDuration ? .earlier(by: duration - askedDuration) : .later(by: askedDuration - duration)
    }
}

/// The reason why there is no clip. Nothing is left of its file.
public struct ClipFailure: Codable, Sendable, Equatable, Error {
    /// The kind of a failure. Its name stays as it is, for logs and programs.
    public enum Code: String, Codable, Sendable, CaseIterable {
        /// The take has no clip buffer.
        case notBuffering
        /// A clip of this take is being written.
        case exportInProgress
        /// Nothing was captured yet.
        case empty
        /// The request makes no sense: the path is not absolute, or the duration is not more than 0.
        case invalidRequest
        /// The file cannot be made there, or it exists.
        case cannotCreate
        /// The disk is full or failed.
        case storageFailed
        /// The take is over, or the machine has no thread left for the clip.
        case unavailable
        /// A failure of a later version.
        case unknown

        public init(from decoder: any Decoder) throws {
            self = Code(rawValue: try String(from: decoder)) ?? .unknown
        }
    }

    public var code: Code
    /// One sentence: what happened, on what, and what to do.
    public var message: String
    /// Another thing that the person can do. Older engines do not send it.
    public var alternative: Alternative?

    public init(_ code: Code, _ message: String, alternative: Alternative? = nil) {
        self.code = code
        self.message = message
        self.alternative = alternative
    }
}

/// The answer to a `ClipRequest`.
public struct ClipAnswer: Codable, Sendable, Equatable {
    public enum Result: Codable, Sendable, Equatable {
        case exported(ExportedClip)
        case failed(ClipFailure)
    }

    /// The request's.
    public var id: Int
    public var result: Result

    public init(id: Int, result: Result) {
        self.id = id
        self.result = result
    }
}

extension TakeConfiguration {
    /// The longest clip buffer.
    public static let longestClipBuffer = MediaTime.seconds(30 * 60)
    /// The length of a clip buffer where none is chosen.
    public static let defaultClipBuffer = MediaTime.seconds(15)

    /// Whether samples are encoded for the take itself, in the quality that was chosen, and not only for destinations.
    public var keepsSamples: Bool { output != nil || clipBuffer != nil }
}
