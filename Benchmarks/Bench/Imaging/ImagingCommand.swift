// Pictures out of frames, beside FFmpeg's swscale with the same conversions.
import ArgumentParser
import CSWScale
import Glibc
import KineImaging
import KineMeasure
import KineMedia
import KinePlatform

struct ImagingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imaging", abstract: "Compares crop, scaling and conversion with FFmpeg's swscale.",
        discussion: """
            Each conversion of a whole frame by Kinecast and by swscale (SWS_AREA where it shrinks, SWS_BILINEAR where it grows, and
            SWS_ACCURATE_RND with neither), on one thread, in turn; and what a hundredth of the frame takes, a rectangle in its middle.
            swscale does not turn frames, so that what is turned stands beside the same conversion without a turn.
            """)

    @Option(help: "Rounds of each conversion, the two in turn.")
    var runs = 200

    /// At least so many times as fast as swscale; at most such a part of a frame's time for a hundredth of it.
    static let speedBar = 2.0
    static let partBar = 0.03

    func validate() throws { try check(runs: runs, seconds: nil) }

    func run() throws {
        print(Machine.description(["libyuv0", "libswscale6"]) + "\n")
        let columns =
            "conversion | >swscale ms | >Kinecast ms | >× as fast | >a hundredth of it ms | >of the whole |"
        print(Tables.head(columns))
        for conversion in ImagingConversion.all {
            print(row(conversion))
            fflush(nil)
        }
    }

    private func row(_ conversion: ImagingConversion) -> String {
        let pair = conversion.open()
        var (theirs, ours, part): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<runs {
            theirs.append(Self.milliseconds(pair.theirs))
            ours.append(Self.milliseconds(pair.ours))
            part.append(Self.milliseconds(pair.oursInPart))
        }
        let (their, our, partly) = (median(theirs), median(ours), median(part))
        let isKept = their / our >= Self.speedBar && partly / our <= Self.partBar
        return Tables.row([
            conversion.name, fixed(their, 3), fixed(our, 3), fixed(their / our, 2), fixed(partly, 4),
            fixed(partly / our, 4), Verdict.mark(isKept),
        ])
    }

    private static func milliseconds(_ body: () -> Void) -> Double {
        let start = MonotonicClock.now()
        body()
        return Double(MonotonicClock.now() - start) / 1e6
    }
}

struct ImagingConversion {
    let name: String
    let from: FrameLayout
    let to: FrameLayout
    let orientation: Orientation
    let crop: PictureGeometry.Crop

    private static let hd = PixelSize(width: 1920, height: 1080)
    private static let ultraHD = PixelSize(width: 3840, height: 2160)
    private static let portrait = PixelSize(width: 540, height: 960)
    private static let half = PixelSize(width: 960, height: 540)
    private static let small = PixelSize(width: 1280, height: 720)

    private init(
        _ name: String, _ from: (PixelFormat, PixelSize), _ to: (PixelFormat, PixelSize),
        orientation: Orientation = .up,
        crop: PictureGeometry.Crop = .fit
    ) {
        (self.name, self.orientation, self.crop) = (name, orientation, crop)
        self.from = FrameLayout(pixelFormat: from.0, size: from.1)
        self.to = FrameLayout(pixelFormat: to.0, size: to.1)
    }

    static let all: [ImagingConversion] = [
        ImagingConversion("1080p BGRA → I420", (.bgra, hd), (.i420, hd)),
        ImagingConversion("4K BGRA → I420", (.bgra, ultraHD), (.i420, ultraHD)),
        ImagingConversion("1080p BGRA → NV12", (.bgra, hd), (.nv12, hd)),
        ImagingConversion("1080p I420 → NV12", (.i420, hd), (.nv12, hd)),
        ImagingConversion("1080p I420 → BGRA", (.i420, hd), (.bgra, hd)),
        ImagingConversion("1080p BGRA → 720p I420", (.bgra, hd), (.i420, small)),
        ImagingConversion("1080p BGRA → 960×540 I420", (.bgra, hd), (.i420, half)),
        ImagingConversion("4K BGRA → 1080p I420", (.bgra, ultraHD), (.i420, hd)),
        ImagingConversion("4K BGRA → 720p I420", (.bgra, ultraHD), (.i420, small)),
        ImagingConversion("720p BGRA → 1080p I420", (.bgra, small), (.i420, hd)),
        ImagingConversion("1080p BGRA, its middle → 540×960 I420", (.bgra, hd), (.i420, portrait), crop: .fill),
        ImagingConversion(
            "1080p BGRA, turned right → 540×960 I420", (.bgra, hd), (.i420, portrait), orientation: .right),
        ImagingConversion("1080p I420 → 960×540 I420", (.i420, hd), (.i420, half)),
        ImagingConversion("1080p I420 → 960×540 BGRA", (.i420, hd), (.bgra, half)),
    ]

    /// The conversions that are measured.
    func open() -> (theirs: () -> Void, ours: () -> Void, oursInPart: () -> Void) {
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
        return (
            theirs: { scaler.convert(source, to: theirs) },
            ours: { renderer.draw(whole, of: picture, at: target.base) },
            oursInPart: { renderer.draw(reached, of: picture, at: target.base) }
        )
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
