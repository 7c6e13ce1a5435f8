// Draws the planes of a picture from those of a 4:2:0 frame, without a conversion to BGRA.
import CPixels
import CYUV
import KineMedia

/// Draws pictures of one geometry. Used by one thread.
final class PlanarPlan {
    private let geometry: PictureGeometry
    private let luma: PlanePlan
    private let chroma: PlanePlan

    /// Nil if the chroma samples of source and picture do not coincide: at odd positions, or mirrored with an odd size.
    init?(_ geometry: PictureGeometry) {
        let (part, place) = (geometry.part, geometry.place)
        let places = [part.x, part.y, place.x, place.y, place.width, place.height]
        let sides = geometry.orientation == .up ? [] : [part.width, part.height]
        guard (places + sides).allSatisfy({ $0 % 2 == 0 }) else { return nil }
        self.geometry = geometry
        luma = PlanePlan(part.size, geometry.scaledSize, geometry.orientation, subsampling: 1)
        chroma = PlanePlan(part.size, geometry.scaledSize, geometry.orientation, subsampling: 2)
    }

    /// Draws `rect` of the picture, whose sides are even; `target` begins there.
    func draw(_ rect: PixelRect, of source: PlanarFrame, to target: PlanarFrame) {
        let common = rect.intersection(geometry.place)
        if common != rect { blacken(target, rect.size) }
        guard !common.isEmpty else { return }
        let to = target.part(common.offset(x: -rect.x, y: -rect.y))
        let from = source.part(geometry.part)
        let clip = common.offset(x: -geometry.place.x, y: -geometry.place.y)
        luma.draw(clip, of: from.y, from.lumaStride, to: to.y, to.lumaStride)
        let half = PixelRect(x: clip.x / 2, y: clip.y / 2, width: clip.width / 2, height: clip.height / 2)
        chroma.draw(half, of: from.u, from.chromaStride, to: to.u, to.chromaStride)
        chroma.draw(half, of: from.v, from.chromaStride, to: to.v, to.chromaStride)
    }

    private func blacken(_ target: PlanarFrame, _ size: PixelSize) {
        let (width, height) = (Int32(size.width), Int32(size.height))
        SetPlane(target.y, Int32(target.lumaStride), width, height, 16)
        SetPlane(target.u, Int32(target.chromaStride), width / 2, height / 2, 128)
        SetPlane(target.v, Int32(target.chromaStride), width / 2, height / 2, 128)
    }
}

private final class PlanePlan {
    private let orientation: Orientation
    /// The plane's size after scaling and before turning, in samples.
    private let scaledSize: PixelSize
    private let scale: (across: ScaleAxis, down: ScaleAxis)?
    private let scratch: UnsafeMutablePointer<UInt16>
    private var scaled: [UInt8] = []

    /// `from` and `to` are sizes of frames; `subsampling`: pixels for each sample, in both directions.
    init(_ from: PixelSize, _ to: PixelSize, _ orientation: Orientation, subsampling: Int) {
        self.orientation = orientation
        func samples(_ pixels: Int) -> Int { (pixels + subsampling - 1) / subsampling }
        scaledSize = PixelSize(width: samples(to.width), height: samples(to.height))
        func axis(_ from: Int, _ to: Int) -> ScaleAxis {
            ScaleAxis(from: from, to: to, samples: (samples(from), samples(to)))
        }
        scale = from == to ? nil : (axis(from.width, to.width), axis(from.height, to.height))
        scratch = .allocate(capacity: 8 * samples(from.width) + 4)
    }

    deinit { scratch.deallocate() }

    func draw(
        _ rect: PixelRect, of source: UnsafeMutablePointer<UInt8>, _ sourceStride: Int,
        to target: UnsafeMutablePointer<UInt8>, _ targetStride: Int
    ) {
        let clip = orientation.turnedBack(rect, of: scaledSize)
        guard let scale else {
            turn(source + clip.y * sourceStride + clip.x, sourceStride, clip.size, to: target, targetStride)
            return
        }
        if orientation == .up {
            draw(clip, scale.across, scale.down, of: source, sourceStride, to: target, targetStride)
            return
        }
        if scaled.count < clip.size.area { scaled = [UInt8](repeating: 0, count: clip.size.area) }
        scaled.withUnsafeMutableBufferPointer { memory in
            guard let base = memory.baseAddress else { return }
            draw(clip, scale.across, scale.down, of: source, sourceStride, to: base, clip.width)
            turn(base, clip.width, clip.size, to: target, targetStride)
        }
    }

    private func draw(
        _ clip: PixelRect, _ across: ScaleAxis, _ down: ScaleAxis, of source: UnsafeMutablePointer<UInt8>,
        _ sourceStride: Int, to target: UnsafeMutablePointer<UInt8>, _ targetStride: Int
    ) {
        withUnsafePointer(to: across.table) { across in
            withUnsafePointer(to: down.table) { down in
                kine_scale_plane(
                    source, sourceStride, target, targetStride, Int32(clip.x), Int32(clip.y), Int32(clip.width),
                    Int32(clip.height), across, down, scratch)
            }
        }
    }

    private func turn(
        _ from: UnsafeMutablePointer<UInt8>, _ fromStride: Int, _ size: PixelSize,
        to target: UnsafeMutablePointer<UInt8>, _ targetStride: Int
    ) {
        let (fromStride, toStride) = (Int32(fromStride), Int32(targetStride))
        let (width, height) = (Int32(size.width), Int32(size.height))
        // See PicturePlan.
        switch orientation {
        case .up: CopyPlane(from, fromStride, target, toStride, width, height)
        case .upMirrored: MirrorPlane(from, fromStride, target, toStride, width, height)
        case .down: RotatePlane(from, fromStride, target, toStride, width, height, kRotate180)
        case .downMirrored: CopyPlane(from, fromStride, target, toStride, width, -height)
        case .leftMirrored: RotatePlane(from, fromStride, target, toStride, width, -height, kRotate90)
        case .right: RotatePlane(from, fromStride, target, toStride, width, height, kRotate90)
        case .rightMirrored: RotatePlane(from, fromStride, target, toStride, width, -height, kRotate270)
        case .left: RotatePlane(from, fromStride, target, toStride, width, height, kRotate270)
        }
    }
}
