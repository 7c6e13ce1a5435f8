// What a source hands on when it reads: pixels, their format, and what holds them.
import KineMedia

/// A rectangle of a frame, lent for the length of a call.
public struct FramePart {
    /// What holds the pixels. Another kind of memory is another case here, and one more in `CaptureLoop`, which draws it.
    public enum Storage {
        /// The address of the first pixel, and the bytes from one row to the next.
        case memory(UnsafeRawPointer, stride: Int)
    }

    /// The place in the frame, in pixels.
    public let rect: PixelRect
    public let pixelFormat: PixelFormat
    public let storage: Storage

    public init(rect: PixelRect, pixelFormat: PixelFormat, storage: Storage) {
        self.rect = rect
        self.pixelFormat = pixelFormat
        self.storage = storage
    }
}
