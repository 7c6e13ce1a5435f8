// One layer of a picture: pixels of any size, and the plan that scales and places them.
import CYUV
import KineMedia

/// The last drawn pixels, in their own size, and the tiles of the picture that they changed. Used by the capture
/// thread. Layers above others have premultiplied alpha, or a mask.
public final class Layer {
    /// The drawn tiles that are not in the picture yet.
    var damage: DamageRegion
    private let plan: PicturePlan
    /// Nil: the pixels have their own alpha.
    private let mask: LayerMask?
    private let pixels: OwnedMemory
    private let stride: Int
    /// Scaled pixels before they are drawn over others.
    private let scratch: OwnedMemory

    /// The most rows to draw over others at once.
    static let bandRows = DamageRegion.tileSide

    /// A layer with that geometry. Without a mask, it is transparent until drawn. The mask has the size of its place.
    public init(_ geometry: PictureGeometry, mask: LayerMask? = nil) {
        precondition(mask.map { $0.size == geometry.place.size } ?? true, "a mask of another layer")
        self.mask = mask
        plan = PicturePlan(geometry)
        stride = geometry.source.width * 4
        pixels = OwnedMemory(zeros: geometry.source.area * 4)
        scratch = OwnedMemory(byteCount: geometry.place.width * Self.bandRows * 4)
        damage = DamageRegion(size: geometry.size)
        damage.insert(geometry.place)
    }

    public var geometry: PictureGeometry { plan.geometry }

    /// The place of its pixels in the picture.
    public var place: PixelRect { plan.geometry.place }

    /// Draws BGRA pixels at `rect` of the layer, in its own size.
    public func draw(_ rect: PixelRect, pixels: UnsafeRawPointer, stride: Int) {
        for row in 0..<rect.height {
            (self.pixels.base + (rect.y + row) * self.stride + rect.x * 4).copyMemory(
                from: pixels + row * stride, byteCount: rect.width * 4)
        }
        damage.insert(geometry.map(rect))
    }

    /// Shows `area` of the picture with only this layer. `target` is its first pixel.
    func show(_ area: PixelRect, in target: UnsafeMutableRawPointer, stride: Int) {
        plan.draw(area, of: .bgra(base: pixels.base, stride: self.stride), to: target, stride: stride)
    }

    /// Draws the layer over the pixels of `area`, a part of the picture with at most `bandRows` rows.
    func draw(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        let common = place.intersection(area)
        guard !common.isEmpty else { return }
        show(common, in: scratch.base, stride: common.width * 4)
        let target = pixels + (common.y - area.y) * stride + (common.x - area.x) * 4
        if let mask {
            let part = common.offset(x: -place.x, y: -place.y)
            return mask.draw(scratch.base, stride: common.width * 4, part, over: target, targetStride: stride)
        }
        let below = target.assumingMemoryBound(to: UInt8.self)
        ARGBBlend(
            scratch.base.assumingMemoryBound(to: UInt8.self), Int32(common.width * 4), below, Int32(stride), below,
            Int32(stride), Int32(common.width), Int32(common.height))
    }
}
