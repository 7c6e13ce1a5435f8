// What a list shows of a recording's file. An engine reads it from the file and sends it to its client.

/// The facts that a list shows of a file, which may be damaged.
public enum RecordingSummary: Codable, Equatable, Sendable {
    case finished(Finished)
    /// A writer has not finished it. If that writer is dead, recovery finishes the file.
    case unfinished
    /// A recording that ended before its first frame.
    case empty
    /// Kinecast did not write the file, or its index is damaged.
    case foreign

    public struct Finished: Codable, Equatable, Sendable {
        public var duration: MediaTime
        /// The size to show, in pixels.
        public var size: PixelSize
        public var hasAudio: Bool

        public init(duration: MediaTime, size: PixelSize, hasAudio: Bool) {
            self.duration = duration
            self.size = size
            self.hasAudio = hasAudio
        }
    }
}
