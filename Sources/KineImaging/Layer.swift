// One layer of a frame: pixels of any size, scaled into their place in the output.
import CYUV
import KineMedia

/// The last pixels that were drawn, in full and scaled, and the tiles of the output that they changed. Used by the capture
/// thread. Layers over others have premultiplied alpha.
public final class Layer {
    /// The place of the scaled pixels in the output.
    public let place: PixelRect
    let outputSize: PixelSize
    /// The tiles that were drawn and are not in the output yet.
    var damage: DamageRegion
    /// The bytes from one row of `pixels` to the next.
    var stride: Int { bounds.width * 4 }
    /// The part of the output that `scaled` covers: the place, or more, with black around it.
    private let bounds: PixelRect
    private let mapping: DamageMapping
    private let source: HalvingPyramid
    private let scaled: UnsafeMutableRawPointer

    /// A layer of `sourceSize` that is shown at `place` of an output. It is transparent until it is drawn.
    public convenience init(sourceSize: PixelSize, place: PixelRect, outputSize: PixelSize) {
        self.init(sourceSize: sourceSize, place: place, outputSize: outputSize, bounds: place)
    }

    init(sourceSize: PixelSize, place: PixelRect, outputSize: PixelSize, bounds: PixelRect) {
        self.place = place
        self.outputSize = outputSize
        self.bounds = bounds
        mapping = DamageMapping(from: sourceSize, to: place.size)
        source = HalvingPyramid(size: sourceSize, target: place.size)
        scaled = .allocate(byteCount: bounds.size.area * 4, alignment: 64)
        scaled.initializeMemory(as: UInt8.self, repeating: 0, count: bounds.size.area * 4)
        damage = DamageRegion(size: outputSize)
        damage.insert(bounds)
    }

    deinit { scaled.deallocate() }

    /// Draws BGRA pixels at `rect` of the layer in its own size.
    public func draw(_ rect: PixelRect, pixels: UnsafeRawPointer, stride: Int) {
        source.draw(rect, pixels: pixels, stride: stride)
        damage.insert(mapping.map(rect).offset(x: place.x, y: place.y))
    }

    /// Scales the layer's pixels within `rect` of the output.
    func render(_ rect: PixelRect) {
        let clip = rect.intersection(place).offset(x: -place.x, y: -place.y)
        guard !clip.isEmpty else { return }
        let source = source.smallest
        ARGBScaleClip(
            source.pixels, Int32(source.stride), Int32(source.size.width), Int32(source.size.height),
            address(x: place.x, y: place.y), Int32(stride), Int32(place.width), Int32(place.height), Int32(clip.x),
            Int32(clip.y), Int32(clip.width), Int32(clip.height), kFilterBox)
    }

    /// Scales everything drawn since the last call, and adds the changed tiles of the output to `region`.
    func render(addingDamageTo region: inout DamageRegion) {
        for rect in damage.rectangles() { render(rect) }
        region.formUnion(damage)
        damage.removeAll()
    }

    /// The scaled pixels from the left and top of `rect` on, which is a part of the output.
    func pixels(at rect: PixelRect) -> UnsafeRawPointer { UnsafeRawPointer(address(x: rect.x, y: rect.y)) }

    /// Draws the layer over the pixels of `area`, which is a part of the output.
    func draw(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        let common = place.intersection(area)
        guard !common.isEmpty else { return }
        let target = pixels + (common.y - area.y) * stride + (common.x - area.x) * 4
        let below = target.assumingMemoryBound(to: UInt8.self)
        ARGBBlend(
            address(x: common.x, y: common.y), Int32(self.stride), below, Int32(stride), below, Int32(stride),
            Int32(common.width), Int32(common.height))
    }

    private func address(x: Int, y: Int) -> UnsafeMutablePointer<UInt8> {
        (scaled + (y - bounds.y) * stride + (x - bounds.x) * 4).assumingMemoryBound(to: UInt8.self)
    }
}
