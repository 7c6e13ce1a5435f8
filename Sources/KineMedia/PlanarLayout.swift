// The layout of coded frames in memory.

/// The places of a frame's three planes in a slot of memory. A value, the same for all slots of one memory.
public struct PlanarLayout: Hashable, Sendable {
    /// The frame's size in memory, in pixels; both sides even.
    public let size: PixelSize
    public let colour: ColourFormat
    /// The bytes from the slot's first to that of each plane.
    public let planeOffsets: [Int]
    /// The bytes from one row of each plane to the next.
    public let planeStrides: [Int]
    /// Bytes from one slot to the next, as `FrameLayout` has them.
    public let slotBytes: Int

    /// Rows start on cache lines, and planes end on whole tiles so that a block is always 16 wide and high.
    public init(size: PixelSize, colour: ColourFormat = .standard) {
        precondition(size.width % 2 == 0 && size.height % 2 == 0 && size.area > 0, "coded frames have even sides")
        self.size = size
        self.colour = colour
        let (stride, rows) = ((size.width + 63) & ~63, (size.height + 15) & ~15)
        let (chromaStride, chromaRows) = (colour.chroma.samples(of: stride), colour.chroma.samples(of: rows))
        planeStrides = [stride, chromaStride, chromaStride]
        planeOffsets = [0, stride * rows, stride * rows + chromaStride * chromaRows]
        slotBytes = FrameLayout.wholePages(stride * rows + 2 * chromaStride * chromaRows)
    }

    /// Rows of luma in memory, whole tiles.
    public var lumaRows: Int { planeOffsets[1] / planeStrides[0] }
    /// Rows of each chroma plane in memory.
    public var chromaRows: Int { colour.chroma.samples(of: lumaRows) }

    /// The planes of a slot that begins at `base`.
    public func frame(at base: UnsafeMutableRawPointer) -> PlanarFrame {
        let bytes = base.assumingMemoryBound(to: UInt8.self)
        return PlanarFrame(
            size: size, colour: colour, y: bytes + planeOffsets[0], u: bytes + planeOffsets[1],
            v: bytes + planeOffsets[2], lumaStride: planeStrides[0], chromaStride: planeStrides[1])
    }
}
