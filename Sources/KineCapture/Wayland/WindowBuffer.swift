// Memory that a window's pixels are drawn into, for a compositor to show.
import CWayland
import KineMedia
import KineWayland

/// A buffer, and whether it can be drawn into. Used on the connection's thread.
final class WindowBuffer {
    /// wl_shm.format
    enum Format: UInt32 {
        /// Premultiplied.
        case argb = 0
        case xrgb = 1
    }

    let size: PixelSize
    /// The compositor reads it.
    private(set) var isBusy = false
    /// See `RegionPicture.draw`.
    var drawn: PixelRect?
    private let buffer: SharedBuffer
    private let listener = Listener(
        kine_buffer_listener { context, _ in
            Unmanaged<WindowBuffer>.fromOpaque(context!).takeUnretainedValue().isBusy = false
        })

    /// `memory` is the compositor's wl_shm.
    init(
        _ size: PixelSize, _ format: Format, memory: OpaquePointer, _ connection: WaylandConnection
    ) throws(VideoSourceError) {
        self.size = size
        buffer = try SharedBuffer(
            size, stride: size.width * 4, format: format.rawValue, memory: memory, isWritten: true, connection)
        kine_listen_to_buffer(buffer.proxy, listener.table, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Words of 0xAARRGGBB, rows packed.
    var pixels: UnsafeMutablePointer<UInt32> { buffer.bytes.assumingMemoryBound(to: UInt32.self) }

    /// Has `surface` show it from its next commit on.
    func attach(to surface: OpaquePointer, scale: Int) {
        isBusy = true
        kine_attach_buffer(surface, buffer.proxy, Int32(scale))
    }
}
