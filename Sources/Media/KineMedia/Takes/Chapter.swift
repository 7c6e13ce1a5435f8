// Chapters: the named parts of a recording. A client marks the beginning of each while the take runs.

public struct Chapter: Codable, Sendable, Equatable {
    /// The most marks of a take. A file has at most 255 chapters, and one more begins with it.
    public static let mostMarks = 254
    /// The most bytes of a title in UTF-8.
    public static let longestTitle = 255

    /// The time in the recording; the chapter lasts until the next one begins.
    public var start: MediaTime
    public var title: String

    public init(start: MediaTime, title: String) {
        self.start = start
        self.title = title
    }

    /// The sentence on a title that no chapter can have; nil: it can be used.
    public static func problem(ofTitle title: String) -> String? {
        if title.isEmpty { return "The chapter's title is empty; give a text, or none." }
        if title.utf8.count > longestTitle {
            return "A chapter's title has \(longestTitle) bytes of UTF-8 at most; shorten it."
        }
        let isPlain = title.unicodeScalars.allSatisfy {
            ![.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
        }
        return isPlain ? nil : "A chapter's title is one line without control characters; leave those out."
    }
}
