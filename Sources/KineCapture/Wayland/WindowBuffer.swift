// Memory that a window's pixels are drawn into, for a compositor to show.
import CLinux
import CWayland
import Glibc
import KineMedia
import KineWayland
import SystemPackage

/// One buffer of a wl_shm pool. Used on the connection's thread.
final class WindowBuffer {
    /// wl_shm.format
    enum Format: UInt32 {
        /// Premultiplied.
        case argb = 0
        case xrgb = 1
    }

    let size: PixelSize
    let proxy: OpaquePointer
    /// Words of 0xAARRGGBB, rows packed.
    let pixels: UnsafeMutablePointer<UInt32>
    /// The compositor reads it.
    private(set) var isBusy = false
    /// See `RegionPicture.draw`.
    var drawn: PixelRect?
    private let mapping: UnsafeMutableRawPointer
    /// The proxy's; it has to be there until the proxy has gone.
    private let connection: WaylandConnection
    private let listener = Listener(
        kine_buffer_listener { context, _ in
            Unmanaged<WindowBuffer>.fromOpaque(context!).takeUnretainedValue().isBusy = false
        })

    /// `memory` is the compositor's wl_shm.
    init(
        _ size: PixelSize, _ format: Format, memory: OpaquePointer, _ connection: WaylandConnection
    ) throws(VideoSourceError) {
        let byteCount = size.area * 4
        guard byteCount > 0, byteCount <= Int(Int32.max) else {
            throw .noSharedMemory(call: "wl_shm_pool.create_buffer", .invalidArgument)
        }
        let descriptor = kine_memory_file("kinecast-window", off_t(byteCount))
        guard descriptor >= 0 else { throw .noSharedMemory(call: "memfd_create", Errno(rawValue: errno)) }
        defer { close(descriptor) }
        // The compositor has the file too, and could shrink it under this process otherwise.
        guard kine_seal_memory(descriptor, 0) == 0 else {
            throw .noSharedMemory(call: "fcntl", Errno(rawValue: errno))
        }
        guard let mapping = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            mapping != MAP_FAILED
        else { throw .noSharedMemory(call: "mmap", Errno(rawValue: errno)) }
        guard
            let proxy = kine_make_buffer(
                memory, descriptor, Int32(size.width), Int32(size.height), Int32(size.width * 4), format.rawValue)
        else {
            munmap(mapping, byteCount)
            throw .noSharedMemory(call: "wl_shm_pool.create_buffer", .noMemory)
        }
        self.size = size
        self.proxy = proxy
        self.mapping = mapping
        self.connection = connection
        pixels = mapping.assumingMemoryBound(to: UInt32.self)
        kine_listen_to_buffer(proxy, listener.table, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        kine_destroy_buffer(proxy)
        munmap(mapping, size.area * 4)
    }

    /// Has `surface` show it from its next commit on.
    func attach(to surface: OpaquePointer, scale: Int) {
        isBusy = true
        kine_attach_buffer(surface, proxy, Int32(scale))
    }
}
