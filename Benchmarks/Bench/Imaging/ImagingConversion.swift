// A conversion of a whole frame, as Kinecast and as swscale do it.
import CSWScale
import KineImaging
import KineMeasure
import KineMedia

struct ImagingConversion {
    let name: String
    let from: FrameLayout
    let to: FrameLayout
    var orientation = Orientation.up
    var crop = PictureGeometry.Crop.fit

    /// What is measured.
    struct Pair {
        let theirs: () -> Void
        let ours: () -> Void
        let oursInPart: () -> Void
    }

    private static let hd = PixelSize(width: 1920, height: 1080)
    private static let ultraHD = PixelSize(width: 3840, height: 2160)
    private static let portrait = PixelSize(width: 540, height: 960)
    private static let half = PixelSize(width: 960, height: 540)
    private static let small = PixelSize(width: 1280, height: 720)

    private static func layout(_ format: PixelFormat, _ size: PixelSize) -> FrameLayout {
        FrameLayout(pixelFormat: format, size: size)
    }

    static let all: [ImagingConversion] = [
        ImagingConversion(name: "1080p BGRA → I420", from: layout(.bgra, hd), to: layout(.i420, hd)),
        ImagingConversion(name: "4K BGRA → I420", from: layout(.bgra, ultraHD), to: layout(.i420, ultraHD)),
        ImagingConversion(name: "1080p BGRA → NV12", from: layout(.bgra, hd), to: layout(.nv12, hd)),
        ImagingConversion(name: "1080p I420 → NV12", from: layout(.i420, hd), to: layout(.nv12, hd)),
        ImagingConversion(name: "1080p I420 → BGRA", from: layout(.i420, hd), to: layout(.bgra, hd)),
        ImagingConversion(name: "1080p BGRA → 720p I420", from: layout(.bgra, hd), to: layout(.i420, small)),
        ImagingConversion(name: "1080p BGRA → 960×540 I420", from: layout(.bgra, hd), to: layout(.i420, half)),
        ImagingConversion(name: "4K BGRA → 1080p I420", from: layout(.bgra, ultraHD), to: layout(.i420, hd)),
        ImagingConversion(name: "4K BGRA → 720p I420", from: layout(.bgra, ultraHD), to: layout(.i420, small)),
        ImagingConversion(name: "720p BGRA → 1080p I420", from: layout(.bgra, small), to: layout(.i420, hd)),
        ImagingConversion(
            name: "1080p BGRA, its middle → 540×960 I420", from: layout(.bgra, hd), to: layout(.i420, portrait),
            crop: .fill),
        ImagingConversion(
            name: "1080p BGRA, turned right → 540×960 I420", from: layout(.bgra, hd), to: layout(.i420, portrait),
            orientation: .right),
        ImagingConversion(name: "1080p I420 → 960×540 I420", from: layout(.i420, hd), to: layout(.i420, half)),
        ImagingConversion(name: "1080p I420 → 960×540 BGRA", from: layout(.i420, hd), to: layout(.bgra, half)),
    ]

    func open() -> Pair {
        let source = FrameBytes(from)
        source.scribble()
        let target = FrameBytes(to)
        let geometry = PictureGeometry(source: from.size, orientation: orientation, crop: crop, size: to.size)
        let renderer = PictureRenderer(geometry, layout: to)
        let picture: PictureSource =
            from.pixelFormat == .bgra
            ? .bgra(base: UnsafeRawPointer(source.base), stride: from.planeStrides[0])
            : .planar(from.i420(at: source.base))
        let whole = DamageRegion.full(size: to.size)
        // A tenth of each side of what is shown, in its middle.
        let part = geometry.part
        var changed = DamageRegion(size: from.size)
        changed.insert(
            PixelRect(
                x: part.x + part.width * 9 / 20, y: part.y + part.height * 9 / 20, width: part.width / 10,
                height: part.height / 10))
        let reached = geometry.map(changed)
        let theirs = FrameBytes(FrameLayout(pixelFormat: to.pixelFormat, size: orientation.turned(to.size)))
        let scaler = SoftwareScaler(from: from, part: geometry.part, to: theirs.layout)
        return Pair(
            theirs: { scaler.convert(source, to: theirs) },
            ours: { renderer.draw(whole, of: picture, at: target.base) },
            oursInPart: { renderer.draw(reached, of: picture, at: target.base) })
    }
}

/// A frame in memory of its own.
final class FrameBytes {
    let layout: FrameLayout
    let base: UnsafeMutableRawPointer

    init(_ layout: FrameLayout) {
        self.layout = layout
        base = .allocate(byteCount: layout.slotBytes, alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: layout.slotBytes)
    }

    deinit { base.deallocate() }

    func scribble() {
        var state: UInt64 = 1
        for index in 0..<layout.slotBytes / 8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            base.storeBytes(of: state, toByteOffset: index * 8, as: UInt64.self)
        }
    }

    /// The planes from the pixel at `origin` on, whose sides are even, as FFmpeg has them.
    func planes(from origin: (x: Int, y: Int)) -> (bases: [UnsafeMutablePointer<UInt8>?], strides: [Int32]) {
        let bytes = base.assumingMemoryBound(to: UInt8.self)
        let bases: [UnsafeMutablePointer<UInt8>?] = layout.planeOffsets.enumerated().map { plane, offset in
            let isChroma = plane > 0
            let row = isChroma ? origin.y / 2 : origin.y
            let column =
                switch layout.pixelFormat {
                case .bgra: origin.x * 4
                case .nv12: origin.x
                case .i420: isChroma ? origin.x / 2 : origin.x
                }
            return bytes + offset + row * layout.planeStrides[plane] + column
        }
        return (
            bases + Array(repeating: nil, count: 4 - bases.count),
            layout.planeStrides.map { Int32($0) } + Array(repeating: 0, count: 4 - layout.planeStrides.count)
        )
    }
}

/// swscale for one conversion.
private final class SoftwareScaler {
    private let context: OpaquePointer
    private let part: PixelRect

    init(from: FrameLayout, part: PixelRect, to: FrameLayout) {
        self.part = part
        let shrinks = to.size.width < part.width
        guard
            let context = sws_getContext(
                Int32(part.width), Int32(part.height), Self.format(from), Int32(to.size.width), Int32(to.size.height),
                Self.format(to), shrinks ? SWS_AREA : SWS_BILINEAR, nil, nil, nil)
        else { preconditionFailure("swscale cannot convert that") }
        self.context = context
    }

    deinit { sws_freeContext(context) }

    private static func format(_ layout: FrameLayout) -> AVPixelFormat {
        switch layout.pixelFormat {
        case .bgra: AV_PIX_FMT_BGRA
        case .i420: AV_PIX_FMT_YUV420P
        case .nv12: AV_PIX_FMT_NV12
        }
    }

    func convert(_ source: FrameBytes, to target: FrameBytes) {
        let (bases, strides) = source.planes(from: (part.x & ~1, part.y & ~1))
        let (targetBases, targetStrides) = target.planes(from: (0, 0))
        sws_scale(
            context, bases.map { UnsafePointer($0) }, strides, 0, Int32(part.height), targetBases, targetStrides)
    }
}
