// Clips: the last seconds of a running take, written to a file of their own.

/// A client's request for a clip.
public struct ClipRequest: Codable, Sendable, Equatable {
    /// Absolute path of the file to write.
    public var output: String
    /// The time up to now; nil: all that the buffer holds.
    public var duration: MediaTime?
    /// Replace an existing file.
    public var overwrite: Bool
    /// Whether only its owner may read the file, whatever the umask.
    public var isPrivate: Bool
    /// The file gets the next free name if that one is taken: Kinecast has chosen it.
    public var isNumbered: Bool

    public init(
        output: String, duration: MediaTime?, overwrite: Bool = false, isPrivate: Bool = false, isNumbered: Bool = false
    ) {
        self.output = output
        self.duration = duration
        self.overwrite = overwrite
        self.isPrivate = isPrivate
        self.isNumbered = isNumbered
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

extension TakeConfiguration {
    /// The longest clip buffer.
    public static let longestClipBuffer = MediaTime.seconds(30 * 60)
    /// The length of a clip buffer where none is chosen.
    public static let defaultClipBuffer = MediaTime.seconds(15)

    /// Whether samples are encoded for the take itself, in the quality that was chosen, and not only for destinations.
    public var keepsSamples: Bool { output != nil || clipBuffer != nil }
}
