// Memory that this process and a compositor share, for pixels.
import CLinux
import CWayland
import Glibc
import KineCapture
import KineMedia
import SystemPackage

/// One buffer of a wl_shm pool, in a file of its own. Used on the connection's thread.
final class SharedBuffer {
    let proxy: OpaquePointer
    /// From the first byte on, for as long as this lives.
    let bytes: UnsafeMutableRawPointer
    private let byteCount: Int
    /// The proxy's; it has to be there until the proxy has gone.
    private let connection: WaylandConnection

    /// - Parameters:
    ///   - stride: bytes from one row to the next.
    ///   - format: one of wl_shm.format.
    ///   - memory: the compositor's wl_shm.
    ///   - isWritten: the pixels are written here, and not by the compositor alone.
    init(
        _ size: PixelSize, stride: Int, format: UInt32, memory: OpaquePointer, isWritten: Bool,
        _ connection: WaylandConnection
    ) throws(VideoSourceError) {
        let byteCount = stride * size.height
        // As large as the protocol's numbers can be.
        guard byteCount > 0, byteCount <= Int(Int32.max) else {
            throw .noSharedMemory(call: "wl_shm_pool.create_buffer", .invalidArgument)
        }
        let descriptor = kine_memory_file("kinecast-pixels", off_t(byteCount))
        guard descriptor >= 0 else { throw .noSharedMemory(call: "memfd_create", Errno(rawValue: errno)) }
        defer { close(descriptor) }
        // The compositor has the file too, and could shrink it under this process otherwise.
        guard kine_seal_memory(descriptor, 0) == 0 else {
            throw .noSharedMemory(call: "fcntl", Errno(rawValue: errno))
        }
        let access = isWritten ? PROT_READ | PROT_WRITE : PROT_READ
        guard let mapping = mmap(nil, byteCount, access, MAP_SHARED, descriptor, 0), mapping != MAP_FAILED else {
            throw .noSharedMemory(call: "mmap", Errno(rawValue: errno))
        }
        let pool = wl_shm_create_pool(memory, descriptor, Int32(byteCount))
        let buffer = pool.flatMap {
            wl_shm_pool_create_buffer($0, 0, Int32(size.width), Int32(size.height), Int32(stride), format)
        }
        if let pool { wl_shm_pool_destroy(pool) }
        guard let buffer else {
            munmap(mapping, byteCount)
            throw .noSharedMemory(call: "wl_shm_pool.create_buffer", .noMemory)
        }
        proxy = buffer
        self.byteCount = byteCount
        self.connection = connection
        bytes = mapping
    }

    deinit {
        wl_buffer_destroy(proxy)
        munmap(bytes, byteCount)
    }
}
