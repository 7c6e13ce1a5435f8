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
        /// Whether it has an input track. Absent for false.
        public var hasInput: Bool?
        /// The first one begins with the recording. Empty without chapters, and where their list is damaged.
        public var chapters: [Chapter]

        public init(
            duration: MediaTime, size: PixelSize, hasAudio: Bool, hasInput: Bool = false, chapters: [Chapter] = []
        ) {
            self.duration = duration
            self.size = size
            self.hasAudio = hasAudio
            self.hasInput = hasInput ? true : nil
            self.chapters = chapters
        }
    }
}

// Builds of before have no chapters here. The synthesized coding of `Finished` calls these.
extension KeyedDecodingContainer {
    func decode(_ type: [Chapter].Type, forKey key: Key) throws -> [Chapter] {
        try decodeIfPresent(type, forKey: key) ?? []
    }
}

extension KeyedEncodingContainer {
    mutating func encode(_ chapters: [Chapter], forKey key: Key) throws {
        try encodeIfPresent(chapters.isEmpty ? nil : chapters, forKey: key)
    }
}
