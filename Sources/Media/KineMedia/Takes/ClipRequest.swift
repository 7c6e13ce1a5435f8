// Clips: the last seconds of a running take, written to their own file.

/// A client's request for a clip.
public struct ClipRequest: Codable, Sendable, Equatable {
    /// Absolute path of the file to write.
    public var output: String
    /// The length of the clip, up to now; nil: the whole buffer.
    public var duration: MediaTime?
    /// Replace an existing file.
    public var overwrite: Bool
    /// Whether only its owner may read the file, whatever the umask.
    public var isPrivate: Bool
    /// Use the next free name if that one is taken: Kinecast has chosen it.
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
    /// The start of a clip compared with the request.
    public enum Beginning: Sendable, Equatable {
        /// The requested start, or the oldest frame if no duration was requested.
        case asAsked
        /// Earlier by this time, at a keyframe.
        case earlier(by: MediaTime)
        /// Later by this time, because the buffer has no older frames.
        case later(by: MediaTime)
    }

    /// The absolute path of its file.
    public var output: String
    /// Its first frame's time since the start of the take, without pauses.
    public var start: MediaTime
    public var duration: MediaTime
    /// The requested duration; nil: the whole buffer.
    public var askedDuration: MediaTime?
    /// The file's size.
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

    /// Whether the take itself needs encoded samples, in the chosen quality, and not only its destinations.
    public var keepsSamples: Bool { output != nil || clipBuffer != nil }
}
