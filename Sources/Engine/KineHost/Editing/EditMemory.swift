// The memory of an engine that reads finished recordings. A damaged file, or a fault of the decoder, must not use up
// the machine's memory: the engine then ends, and its client says so.
import CLinux
import KineMedia

/// Limits of this process's private memory.
enum EditMemory {
    /// Bytes for the longest index (`RecordingIndex.mostSamples`), the libraries and the threads.
    private static let base = 1 << 30
    /// Bytes for each pixel of a frame: what decoder and encoder keep, and the images of a request.
    private static let perPixel = 128

    /// - Parameter frame: the recording's frames; before they are known, their decoder has no memory.
    static func limit(forFrame frame: PixelSize = PixelSize(width: 0, height: 0)) {
        kine_limit_private_memory(UInt64(base + perPixel * frame.area))
    }
}
