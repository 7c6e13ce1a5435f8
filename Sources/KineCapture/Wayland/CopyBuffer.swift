// Memory that a compositor copies frames into.
import CLinux
import CWayland
import Glibc
import KineMedia
import KineWayland
import SystemPackage

/// One buffer of a wl_shm pool. Used on the connection's thread.
final class CopyBuffer {
    /// The memory that a frame needs.
    struct Layout: Equatable {
        /// One of wl_shm.format.
        var format: UInt32
        var size: PixelSize
        /// Bytes from one row to the next.
        var stride: Int
    }

    let layout: Layout
    let packing: PackedPixels
    let proxy: OpaquePointer
    /// The pixels, from the first byte on.
    let pixels: UnsafeRawPointer
    private let mapping: UnsafeMutableRawPointer
    private let byteCount: Int
    /// The proxy's; it has to be there until the proxy has gone.
    private let connection: WaylandConnection

    /// Throws for a layout that no frame can have, or without memory. `memory` is the compositor's wl_shm.
    init(_ layout: Layout, memory: OpaquePointer, _ connection: WaylandConnection) throws(VideoSourceError) {
        guard let packing = PackedPixels(shmFormat: layout.format) else {
            throw .unsupportedPixels(format: layout.format)
        }
        let (size, stride) = (layout.size, layout.stride)
        // Rows have to fit, and all of it has to fit into the protocol's numbers.
        guard 1...32768 ~= size.width, 1...32768 ~= size.height, stride >= size.width * packing.bytesPerPixel,
            stride <= 1 << 20, stride * size.height <= Int(Int32.max)
        else { throw .unsupportedPixels(format: layout.format) }
        byteCount = stride * size.height
        let descriptor = kine_memory_file("kinecast-frame", off_t(byteCount))
        guard descriptor >= 0 else { throw .noSharedMemory(call: "memfd_create", Errno(rawValue: errno)) }
        defer { close(descriptor) }
        // The compositor has the file too, and could shrink it under this process otherwise.
        guard kine_seal_memory(descriptor, 0) == 0 else {
            throw .noSharedMemory(call: "fcntl", Errno(rawValue: errno))
        }
        guard let mapping = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0), mapping != MAP_FAILED else {
            throw .noSharedMemory(call: "mmap", Errno(rawValue: errno))
        }
        self.mapping = mapping
        pixels = UnsafeRawPointer(mapping)
        guard
            let proxy = kine_make_buffer(
                memory, descriptor, Int32(size.width), Int32(size.height), Int32(stride), layout.format)
        else {
            munmap(mapping, byteCount)
            throw .noSharedMemory(call: "wl_shm_pool.create_buffer", .noMemory)
        }
        self.proxy = proxy
        self.connection = connection
        self.layout = layout
        self.packing = packing
    }

    deinit {
        kine_destroy_buffer(proxy)
        munmap(mapping, byteCount)
    }
}
