// One frame of a recording as an image.
import FoundationEssentials
import KineMedia

/// An image that every toolkit can show.
public struct Thumbnail: Sendable, Equatable {
    public enum Format: String, Sendable, CaseIterable {
        /// Every pixel as it was recorded. The better choice for text.
        case png
        /// Smaller where the screen shows photographs or video.
        case jpeg
    }

    /// The time from which the frame is shown.
    public let time: Duration
    /// In pixels.
    public let size: PixelSize
    public let format: Format
    /// A file of that format.
    public let data: Data
}
