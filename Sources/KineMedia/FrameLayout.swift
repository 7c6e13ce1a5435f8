// The layout of uncompressed frames in memory: planes and rows at fixed places, one slot for each frame.

/// The places of planes and rows in a slot, and of slots in their memory. A value, the same for all slots of one memory.
public struct FrameLayout: Hashable, Sendable {
    public let pixelFormat: PixelFormat
    /// The frame's size in memory, in pixels; both sides even.
    public let size: PixelSize
    /// The bytes from the slot's first to that of each plane.
    public let planeOffsets: [Int]
    /// The bytes from one row of each plane to the next.
    public let planeStrides: [Int]
    /// Bytes from one slot to the next: whole pages, so that a reader can give a slot's memory back.
    public let slotBytes: Int

    private static let pageBytes = 4096

    /// Rows start on cache lines, and the 4:2:0 planes end on whole tiles so that a block is always 16 wide and high.
    public init(pixelFormat: PixelFormat, size: PixelSize) {
        precondition(size.width % 2 == 0 && size.height % 2 == 0 && size.area > 0, "4:2:0 needs even sides")
        self.pixelFormat = pixelFormat
        self.size = size
        let stride = (size.width + 63) & ~63
        let rows = (size.height + 15) & ~15
        let bytes: Int
        switch pixelFormat {
        case .i420:
            let planes = PlanarLayout(size: size)
            planeStrides = planes.planeStrides
            planeOffsets = planes.planeOffsets
            bytes = planes.slotBytes
        case .nv12:
            planeStrides = [stride, stride]
            planeOffsets = [0, stride * rows]
            bytes = stride * rows * 3 / 2
        case .bgra:
            planeStrides = [stride * 4]
            planeOffsets = [0]
            bytes = stride * 4 * size.height
        }
        slotBytes = Self.wholePages(bytes)
    }

    static func wholePages(_ bytes: Int) -> Int { (bytes + pageBytes - 1) & ~(pageBytes - 1) }

    /// The planes of an I420 slot that begins at `base`.
    public func i420(at base: UnsafeMutableRawPointer) -> PlanarFrame {
        let bytes = base.assumingMemoryBound(to: UInt8.self)
        return PlanarFrame(
            size: size, y: bytes + planeOffsets[0], u: bytes + planeOffsets[1], v: bytes + planeOffsets[2],
            lumaStride: planeStrides[0], chromaStride: planeStrides[1])
    }
}
