// The two buffers of an output's copies: one is read while the compositor draws into the other.
import CLinux
import CWayland
import Glibc
import KineCapture
import KineMedia
import SystemPackage

/// Used on the connection's thread.
struct CopyBuffers {
    /// The frame inside a buffer.
    struct View: Equatable {
        /// In the buffer's pixels.
        var part: PixelRect
        /// The rows are stored from the bottom up.
        var isUpsideDown = false
    }

    private let memory: OpaquePointer
    private let connection: WaylandConnection
    /// The buffer for the next frame.
    private var next: CopyBuffer?
    /// The buffer with the current frame.
    private var current: (buffer: CopyBuffer, view: View)?

    /// `memory` is the compositor's wl_shm.
    init(memory: OpaquePointer, _ connection: WaylandConnection) {
        self.memory = memory
        self.connection = connection
    }

    /// The current frame's size; nil: there is no frame yet.
    var size: PixelSize? { current?.view.part.size }

    /// The proxy of the buffer for the next frame. Makes a new buffer if the layout has changed.
    mutating func next(_ layout: CopyBuffer.Layout) throws(VideoSourceError) -> OpaquePointer {
        if let next, next.layout == layout { return next.proxy }
        next = nil  // before the new one, which may be as large
        let made = try CopyBuffer(layout, memory: memory, connection)
        next = made
        return made.proxy
    }

    /// Makes the drawn frame current, and frees the previous one's buffer for the next. Returns whether the view or
    /// buffer size differs from the previous frame's.
    mutating func exchange(_ view: View) -> Bool {
        guard let drawn = next else { return false }
        let before = current
        current = (drawn, view)
        next = before?.buffer
        return before?.view != view || before?.buffer.layout.size != drawn.layout.size
    }

    /// The upper left pixel of `rect` in the current frame, and the bytes from one row to the next, which are negative
    /// if rows are stored from the bottom up.
    func pixels(of rect: PixelRect) -> (first: UnsafeRawPointer, stride: Int, packing: PackedPixels)? {
        guard let (buffer, view) = current else { return nil }
        let (layout, packing) = (buffer.layout, buffer.packing)
        let y = rect.y + view.part.y
        let row = view.isUpsideDown ? layout.size.height - 1 - y : y
        let first = buffer.pixels + row * layout.stride + (rect.x + view.part.x) * packing.bytesPerPixel
        return (first, view.isUpsideDown ? -layout.stride : layout.stride, packing)
    }
}

/// A buffer and the format of its pixels. Used on the connection's thread.
final class CopyBuffer {
    /// The memory layout of a frame.
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

    /// Throws for an impossible layout, or without memory. `memory` is the compositor's wl_shm.
    init(_ layout: Layout, memory: OpaquePointer, _ connection: WaylandConnection) throws(VideoSourceError) {
        guard let packing = PackedPixels(shmFormat: layout.format) else {
            throw .unsupportedPixels(format: layout.format)
        }
        let (size, stride) = (layout.size, layout.stride)
        // Rows must fit, and the whole buffer must fit into the protocol's numbers.
        guard 1...32768 ~= size.width, 1...32768 ~= size.height, stride >= size.width * packing.bytesPerPixel,
            stride <= 1 << 20, stride * size.height <= Int(Int32.max)
        else { throw .unsupportedPixels(format: layout.format) }
        buffer = try SharedBuffer(
            size, stride: stride, format: layout.format, memory: memory, isWritten: false, connection)
        self.layout = layout
        self.packing = packing
    }

    var proxy: OpaquePointer { buffer.proxy }
    /// The buffer's first byte.
    var pixels: UnsafeRawPointer { UnsafeRawPointer(buffer.bytes) }
}

/// One buffer of a wl_shm pool, in its own file. Used on the connection's thread.
final class SharedBuffer {
    let proxy: OpaquePointer
    /// The buffer's memory, valid while this object lives.
    let bytes: UnsafeMutableRawPointer
    private let byteCount: Int
    /// Kept alive until the proxy was destroyed.
    private let connection: WaylandConnection

    /// - Parameters:
    ///   - stride: bytes from one row to the next.
    ///   - format: one of wl_shm.format.
    ///   - memory: the compositor's wl_shm.
    ///   - isWritten: this process writes the pixels, not only the compositor.
    init(
        _ size: PixelSize, stride: Int, format: UInt32, memory: OpaquePointer, isWritten: Bool,
        _ connection: WaylandConnection
    ) throws(VideoSourceError) {
        let byteCount = stride * size.height
        // The limit of the protocol's numbers.
        guard byteCount > 0, byteCount <= Int(Int32.max) else {
            throw .noSharedMemory(call: "wl_shm_pool.create_buffer", .invalidArgument)
        }
        let descriptor = kine_memory_file("kinecast-pixels", off_t(byteCount))
        guard descriptor >= 0 else { throw .noSharedMemory(call: "memfd_create", Errno(rawValue: errno)) }
        defer { close(descriptor) }
        // Otherwise the compositor, which has the file too, could shrink it while it is mapped here.
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
