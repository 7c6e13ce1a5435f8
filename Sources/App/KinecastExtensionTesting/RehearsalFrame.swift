// The memory of one frame of a rehearsal, to draw in.
import KineMedia
import KineRings

/// The writable planes of a frame. Valid inside the closure that gets it.
public struct RehearsalFrame {
    let layout: FrameSlotLayout
    let base: UnsafeMutableRawPointer

    /// The size in pixels; both sides are even.
    public var size: PixelSize { layout.size }
    public var planeCount: Int { layout.planeOffsets.count }

    /// Lends the bytes of a row of a plane.
    public func withRow<Result>(
        _ row: Int, ofPlane plane: Int, _ body: (inout MutableSpan<UInt8>) -> Result
    ) -> Result {
        let extent = layout.planeExtents[plane]
        precondition(row >= 0 && row < extent.rows, "no such row")
        let first = base + layout.planeOffsets[plane] + row * layout.planeStrides[plane]
        var bytes = MutableSpan(
            _unsafeStart: first.assumingMemoryBound(to: UInt8.self), count: extent.rowBytes)
        return body(&bytes)
    }

    /// Fills each plane with its byte of `bytes`.
    public func fill(_ bytes: [UInt8]) {
        for (plane, extent) in layout.planeExtents.enumerated() {
            for row in 0..<extent.rows {
                withRow(row, ofPlane: plane) { $0.update(repeating: bytes[plane]) }
            }
        }
    }

    /// Grey stripes that move with `number`.
    public func drawPattern(_ number: Int) {
        for (plane, extent) in layout.planeExtents.enumerated() {
            let isGrey = plane == 0
            for row in 0..<extent.rows {
                withRow(row, ofPlane: plane) { bytes in
                    for index in bytes.indices {
                        let column = layout.pixelFormat == .bgra ? index / 4 : index
                        bytes[index] = isGrey ? UInt8(16 + (column + row + number * 4) % 220) : 128
                    }
                }
            }
        }
    }
}
