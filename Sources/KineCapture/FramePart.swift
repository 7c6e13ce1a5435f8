// A part of a frame that a source has read: pixels, their format, and the memory that holds them.
import KineMedia

/// A rectangle of a frame, lent for the length of a call.
public struct FramePart {
    /// The memory of the pixels. Another kind of memory is another case here and in `CaptureLoop`, which draws it.
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
