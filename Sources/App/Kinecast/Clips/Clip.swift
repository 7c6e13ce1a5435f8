// A clip that an app has saved.
import FoundationEssentials
import KineMedia

/// A file with the last moments of what was captured.
public struct Clip: Sendable, Equatable {
    /// The relation of the clip's beginning to the time that was asked for.
    public enum Beginning: Sendable, Equatable {
        /// It begins exactly then.
        case asAsked
        /// It begins at the keyframe before, earlier by that much: two seconds at most.
        case earlier(by: Duration)
        /// There is no more; so much is missing.
        case later(by: Duration)
    }

    public let url: URL
    /// The time that the clip plays.
    public let duration: Duration
    /// The clip's first frame, since the capture began, pauses left out.
    public let start: Duration
    public let beginning: Beginning

    init(_ clip: ExportedClip) {
        url = URL(filePath: clip.output)
        duration = Duration(clip.duration)
        start = Duration(clip.start)
        beginning =
            switch clip.beginning {
            case .asAsked: .asAsked
            case .earlier(let time): .earlier(by: Duration(time))
            case .later(let time): .later(by: Duration(time))
            }
    }
}
