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

/// Colours are BT.709; the 4:2:0 formats have limited range.
public enum PixelFormat: String, Sendable, Codable, CaseIterable {
    /// Planes Y, U, V; the chroma planes half as wide and half as high.
    case i420
    /// A plane Y and a plane of U and V in turn.
    case nv12
    /// Four bytes a pixel: blue, green, red, and one without meaning.
    case bgra

    /// For each plane of a frame of this size, the bytes of a row that mean something, and its rows.
    public func planeExtents(of size: PixelSize) -> [(rowBytes: Int, rows: Int)] {
        let (width, height) = (size.width, size.height)
        return switch self {
        case .i420: [(width, height), (width / 2, height / 2), (width / 2, height / 2)]
        case .nv12: [(width, height), (width, height / 2)]
        case .bgra: [(width * 4, height)]
        }
    }
}

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

/// The three planes of a frame. Luma has `size` samples, each chroma plane as many or, with 4:2:0, half of that both ways.
///
/// A view for the encoder: its maker owns the memory and says how long it lasts. Unchecked, since no thread writes to that memory
/// while a view of it is in use.
public struct PlanarFrame: @unchecked Sendable {
    // Sendable: the lender does not write this memory while the view is lent (the ring's slot states say so).

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

    /// The part of the frame at `rect`, in the same memory. Its left and top are even.
    package func part(_ rect: PixelRect) -> PlanarFrame {
        let chroma = colour.chroma.samples(of: rect.y) * chromaStride + colour.chroma.samples(of: rect.x)
        return PlanarFrame(
            size: rect.size, colour: colour, y: y + rect.y * lumaStride + rect.x, u: u + chroma, v: v + chroma,
            lumaStride: lumaStride, chromaStride: chromaStride)
    }
}

/// The orientation in which a reader gets the frames of a take that is turned.
public enum FrameOrientation: String, Hashable, Codable, CaseIterable, Sendable {
    /// Turned as the take is. Each sample's orientation is `up`.
    case upright
    /// As the source has them: the take's turn is undone, and each sample's orientation is the take's, which says how to turn the
    /// frame to be upright. A size, a limit or a part is that of the frame as it is handed over, before it is turned to be shown.
    case source
}

/// The part of a take's picture that frames show, how it is turned, and their size.
public struct FrameShape: Hashable, Codable, Sendable {
    /// The frames' size in pixels, with even sides; nil: that of what they show.
    public var size: PixelSize?
    /// The part of the picture, after it is turned. If none of it is in the picture, all of the picture is shown.
    public var crop: PictureGeometry.Crop
    /// The picture is turned as one of this orientation is to be upright: `right` turns it by 90°, clockwise.
    public var orientation: Orientation

    public init(size: PixelSize? = nil, crop: PictureGeometry.Crop = .fit, orientation: Orientation = .up) {
        self.size = size
        self.crop = crop
        self.orientation = orientation
    }

    /// The way from pictures of `source` to the frames. Where the shape has no size, larger frames are scaled down to fit into `limit`,
    /// with even sides.
    public func geometry(of source: PixelSize, fitting limit: PixelSize? = nil) -> PictureGeometry {
        let geometry = PictureGeometry(source: source, orientation: orientation, crop: crop, size: size)
        guard size == nil, let limit, geometry.size.width > limit.width || geometry.size.height > limit.height else {
            return geometry
        }
        let fitted = geometry.size.aspectFit(into: limit)
        return geometry.filling(PixelSize(width: max(2, fitted.width & ~1), height: max(2, fitted.height & ~1)))
    }
}
