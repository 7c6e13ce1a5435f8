// Memory for a window's pixels, which a compositor shows.
import CWayland
import KineCapture
import KineMedia
import KinePlatform

/// A buffer, and whether it may be written. Used on the connection's thread.
final class WindowBuffer: CallbackTarget {
    /// wl_shm.format
    enum Format: UInt32 {
        /// Premultiplied.
        case argb = 0
        case xrgb = 1
    }

    let size: PixelSize
    /// The compositor may read it.
    private(set) var isBusy = false
    /// See `RegionPicture.draw`.
    var drawn: PixelRect?
    private let buffer: SharedBuffer
    private let listener = Listener(
        wl_buffer_add_listener, wl_buffer_listener { context, _ in WindowBuffer.from(context).isBusy = false })

    /// `memory` is the compositor's wl_shm.
    init(
        _ size: PixelSize, _ format: Format, memory: OpaquePointer, _ connection: WaylandConnection
    ) throws(VideoSourceError) {
        self.size = size
        buffer = try SharedBuffer(
            size, stride: size.width * 4, format: format.rawValue, memory: memory, isWritten: true, connection)
        listener.attach(to: buffer.proxy, callbackData)
    }

    /// Words of 0xAARRGGBB, rows packed.
    var pixels: UnsafeMutablePointer<UInt32> { buffer.bytes.assumingMemoryBound(to: UInt32.self) }

    /// Attaches the buffer to `surface`, for its next commit.
    ///
    /// - Parameter scale: pixels of the buffer per unit of the surface.
    func attach(to surface: OpaquePointer, scale: Int) {
        isBusy = true
        wl_surface_set_buffer_scale(surface, Int32(scale))
        wl_surface_attach(surface, buffer.proxy, 0, 0)
    }
}
