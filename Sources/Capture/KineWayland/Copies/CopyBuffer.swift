// Memory that a compositor copies frames into.
import KineCapture
import KineMedia

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
