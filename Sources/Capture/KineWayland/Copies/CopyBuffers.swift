// The two buffers of an output's copies: one is read while the compositor draws into the other.
import CLinux
import CWayland
import Glibc
import KineCapture
import KineMedia
import SystemPackage

/// Used on the connection's thread.
struct CopyBuffers {
    /// The part of a buffer that is the frame.
    struct View: Equatable {
        /// A part of the buffer, in its pixels.
        var part: PixelRect
        /// The rows are from the bottom up.
        var isUpsideDown = false
    }

    private let memory: OpaquePointer
    private let connection: WaylandConnection
    /// The buffer that the compositor draws next.
    private var next: CopyBuffer?
    /// The buffer that is read.
    private var current: (buffer: CopyBuffer, view: View)?

    /// `memory` is the compositor's wl_shm.
    init(memory: OpaquePointer, _ connection: WaylandConnection) {
        self.memory = memory
        self.connection = connection
    }

    /// The size of the frame that is read; nil: there was none yet.
    var size: PixelSize? { current?.view.part.size }

    /// The object of the buffer that the compositor draws next, which gets this layout if it has another.
    mutating func next(_ layout: CopyBuffer.Layout) throws(VideoSourceError) -> OpaquePointer {
        if let next, next.layout == layout { return next.proxy }
        next = nil  // before the new one, which may be as large
        let made = try CopyBuffer(layout, memory: memory, connection)
        next = made
        return made.proxy
    }

    /// Reads what the compositor has drawn from now on; what was read before is drawn next. Returns whether the frame has another view or
    /// buffer size than the one before, and whether its own size is another.
    mutating func exchange(_ view: View) -> (isOther: Bool, isResized: Bool) {
        guard let drawn = next else { return (false, false) }
        let before = current
        current = (drawn, view)
        next = before?.buffer
        return (
            before?.view != view || before?.buffer.layout.size != drawn.layout.size,
            before?.view.part.size != view.part.size
        )
    }

    /// The pixel at the upper left of `rect` in the frame that is read, and the bytes from one row to the next, which are negative where
    /// the compositor's rows are from the bottom up.
    func pixels(of rect: PixelRect) -> (first: UnsafeRawPointer, stride: Int, packing: PackedPixels)? {
        guard let (buffer, view) = current else { return nil }
        let (layout, packing) = (buffer.layout, buffer.packing)
        let y = rect.y + view.part.y
        let row = view.isUpsideDown ? layout.size.height - 1 - y : y
        let first = buffer.pixels + row * layout.stride + (rect.x + view.part.x) * packing.bytesPerPixel
        return (first, view.isUpsideDown ? -layout.stride : layout.stride, packing)
    }
}

/// A buffer and what its pixels are. Used on the connection's thread.
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
    private let buffer: SharedBuffer

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
        buffer = try SharedBuffer(
            size, stride: stride, format: layout.format, memory: memory, isWritten: false, connection)
        self.layout = layout
        self.packing = packing
    }

    var proxy: OpaquePointer { buffer.proxy }
    /// From the first byte on.
    var pixels: UnsafeRawPointer { UnsafeRawPointer(buffer.bytes) }
}

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
