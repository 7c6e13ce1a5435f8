// The memory of an engine that reads finished recordings. A damaged file, or a fault of the decoder, must not take the
// machine's: the engine then ends, and its client says so.
import Glibc
import KineMedia

/// Limits of this process's private memory, by RLIMIT_DATA. Pages of programs and files do not count.
enum EditMemory {
    /// Bytes for the longest index (`RecordingIndex.mostSamples`), the libraries and the threads.
    private static let base = 1 << 30
    /// Bytes for each pixel of a frame: those that decoder and encoder keep, and the images of a request.
    private static let perPixel = 128

    /// - Parameter frame: the recording's frames; before they are known, their decoder has no memory.
    static func limit(forFrame frame: PixelSize = PixelSize(width: 0, height: 0)) {
        let data = __rlimit_resource_t(2)  // RLIMIT_DATA, which is not imported
        var limit = rlimit()
        guard getrlimit(data, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(base + perPixel * frame.area))
        _ = setrlimit(data, &limit)
    }
}
