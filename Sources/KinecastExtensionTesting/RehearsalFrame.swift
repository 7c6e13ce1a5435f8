// The memory of one frame of a rehearsal, to draw in.
import KineMedia
import KineRelay

/// The writable planes of a frame. Valid inside the closure that gets it.
public struct RehearsalFrame {
    let layout: FrameSlotLayout
    let base: UnsafeMutableRawPointer

    /// The size in pixels; both sides are even.
    public var size: PixelSize { layout.size }
    public var planeCount: Int { layout.planeOffsets.count }

    /// The bytes of a row of a plane.
    public func row(_ row: Int, ofPlane plane: Int) -> UnsafeMutableRawBufferPointer {
        let extent = layout.planeExtents[plane]
        precondition(row >= 0 && row < extent.rows, "no such row")
        return UnsafeMutableRawBufferPointer(
            start: base + layout.planeOffsets[plane] + row * layout.planeStrides[plane], count: extent.rowBytes)
    }

    /// Fills each plane with its byte of `bytes`.
    public func fill(_ bytes: [UInt8]) {
        for (plane, extent) in layout.planeExtents.enumerated() {
            for row in 0..<extent.rows {
                self.row(row, ofPlane: plane).initializeMemory(as: UInt8.self, repeating: bytes[plane])
            }
        }
    }

    /// Grey stripes that move with `number`.
    public func drawPattern(_ number: Int) {
        for (plane, extent) in layout.planeExtents.enumerated() {
            let isGrey = plane == 0
            for row in 0..<extent.rows {
                let bytes = self.row(row, ofPlane: plane)
                for index in bytes.indices {
                    let column = layout.pixelFormat == .bgra ? index / 4 : index
                    bytes[index] = isGrey ? UInt8(16 + (column + row + number * 4) % 220) : 128
                }
            }
        }
    }
}
