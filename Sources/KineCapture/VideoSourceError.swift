// Why a source of video ends or cannot be opened.

/// Why a source cannot go on, or could not begin.
public enum VideoSourceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It came to its natural end: the window was closed. The recording is whole.
    case ended(reason: String)
    /// Something the machine needs is missing. One sentence: what, and what to do.
    case unavailable(String)
    /// It was lost while recording. One sentence.
    case lost(String)

    public var description: String {
        switch self {
        case .ended(let text), .unavailable(let text), .lost(let text): text
        }
    }
}
