// The layout of uncompressed frames in memory: fixed positions of planes and rows, and one slot per frame.

/// The positions of planes and rows in a slot, and of slots in memory. The same for all slots of one memory.
public struct FrameLayout: Hashable, Sendable {
    public let pixelFormat: PixelFormat
    /// The frame's size in memory, in pixels; both sides even.
    public let size: PixelSize
    /// The offset of each plane in the slot, in bytes.
    public let planeOffsets: [Int]
    /// The bytes from one row of each plane to the next.
    public let planeStrides: [Int]
    /// Bytes from one slot to the next: whole pages, so that a reader can free a slot's memory.
    public let slotBytes: Int

    private static let pageBytes = 4096

    /// Rows start on cache lines, and the 4:2:0 planes end on whole tiles, so that a block is always 16 wide and high.
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

/// Colours are BT.709; the 4:2:0 formats have limited range.
public enum PixelFormat: String, Sendable, Codable, CaseIterable {
    /// Planes Y, U, V; the chroma planes half as wide and half as high.
    case i420
    /// A plane Y, and a plane with U and V in turn.
    case nv12
    /// Four bytes a pixel: blue, green, red, and an unused one.
    case bgra

    /// For each plane of a frame of this size, the used bytes of a row, and the number of rows.
    public func planeExtents(of size: PixelSize) -> [(rowBytes: Int, rows: Int)] {
        let (width, height) = (size.width, size.height)
        return switch self {
        case .i420: [(width, height), (width / 2, height / 2), (width / 2, height / 2)]
        case .nv12: [(width, height), (width, height / 2)]
        case .bgra: [(width * 4, height)]
        }
    }
}

/// The positions of a frame's three planes in a slot of memory. The same for all slots of one memory.
public struct PlanarLayout: Hashable, Sendable {
    /// The frame's size in memory, in pixels; both sides even.
    public let size: PixelSize
    public let colour: ColourFormat
    /// The offset of each plane in the slot, in bytes.
    public let planeOffsets: [Int]
    /// The bytes from one row of each plane to the next.
    public let planeStrides: [Int]
    /// Bytes from one slot to the next, as in `FrameLayout`.
    public let slotBytes: Int

    /// Rows start on cache lines, and planes end on whole tiles, so that a block is always 16 wide and high.
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

    /// Rows of luma in memory: whole tiles.
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

/// A view of the three planes of a frame; its maker owns the memory and decides how long it is valid. Luma has `size`
/// samples, each chroma plane the same or, with 4:2:0, half of it in both directions.
public struct PlanarFrame: @unchecked Sendable {
    // Sendable: no thread writes this memory while a view of it is in use (the ring's slot states ensure it).

    /// Both sides are even.
    public let size: PixelSize
    public let colour: ColourFormat
    public let y: UnsafeMutablePointer<UInt8>
    public let u: UnsafeMutablePointer<UInt8>
    public let v: UnsafeMutablePointer<UInt8>
    /// Bytes from one row to the next.
    public let lumaStride: Int
    public let chromaStride: Int

    public init(
        size: PixelSize, colour: ColourFormat = .standard, y: UnsafeMutablePointer<UInt8>,
        u: UnsafeMutablePointer<UInt8>, v: UnsafeMutablePointer<UInt8>, lumaStride: Int, chromaStride: Int
    ) {
        self.size = size
        self.colour = colour
        self.y = y
        self.u = u
        self.v = v
        self.lumaStride = lumaStride
        self.chromaStride = chromaStride
    }

    /// A view of the part of the frame at `rect`, whose left and top are even.
    package func part(_ rect: PixelRect) -> PlanarFrame {
        let chroma = colour.chroma.samples(of: rect.y) * chromaStride + colour.chroma.samples(of: rect.x)
        return PlanarFrame(
            size: rect.size, colour: colour, y: y + rect.y * lumaStride + rect.x, u: u + chroma, v: v + chroma,
            lumaStride: lumaStride, chromaStride: chromaStride)
    }
}

/// The orientation of the frames that a reader gets of a turned take.
public enum FrameOrientation: String, Hashable, Codable, CaseIterable, Sendable {
    /// Upright: each sample's orientation is `up`.
    case upright
    /// As in the source: the take's rotation is undone, and each sample's orientation is the take's, to make the frame
    /// upright. Sizes, limits and parts refer to the frame before it is turned.
    case source
}

/// The part, rotation and size of a take's picture in frames.
public struct FrameShape: Hashable, Codable, Sendable {
    /// The frames' size in pixels, with even sides; nil: the size of the shown part.
    public var size: PixelSize?
    /// The part of the turned picture. If it lies outside, the whole picture is shown.
    public var crop: PictureGeometry.Crop
    /// The rotation that this orientation needs to be upright: `right` turns the picture by 90°, clockwise.
    public var orientation: Orientation

    public init(size: PixelSize? = nil, crop: PictureGeometry.Crop = .fit, orientation: Orientation = .up) {
        self.size = size
        self.crop = crop
        self.orientation = orientation
    }

    /// The geometry from pictures of `source` to the frames. If the shape has no size, larger frames are scaled down to
    /// fit into `limit`, with even sides.
    public func geometry(of source: PixelSize, fitting limit: PixelSize? = nil) -> PictureGeometry {
        let geometry = PictureGeometry(source: source, orientation: orientation, crop: crop, size: size)
        guard size == nil, let limit, geometry.size.width > limit.width || geometry.size.height > limit.height else {
            return geometry
        }
        let fitted = geometry.size.aspectFit(into: limit)
        return geometry.filling(PixelSize(width: max(2, fitted.width & ~1), height: max(2, fitted.height & ~1)))
    }
}
