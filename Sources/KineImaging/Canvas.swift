// From the source's pixels to the file's picture: as they are where the sizes agree, else scaled to fit with black borders.
// A source may change its size during a take; the file's picture cannot.
import CYUV
import KineMedia

/// Where capture draws. Used by the capture thread.
public final class Canvas {
    /// The picture's size to show; may be odd.
    public let size: PixelSize
    /// The size of what the source gives.
    public private(set) var sourceSize: PixelSize
    private let ring: FrameRing
    private var scaling: Scaling?

    /// `size` is what the file shows, `sourceSize` what will be drawn. `slotCount` and `memory` are the ring's.
    public init(
        size: PixelSize, sourceSize: PixelSize, slotCount: Int = 3, memory: FrameRing.Memory? = nil
    ) {
        self.size = size
        self.sourceSize = sourceSize
        ring = FrameRing(size: size.roundedUpToEven, slotCount: slotCount, memory: memory)
        if size != sourceSize { scaling = Scaling(from: sourceSize, to: size) }
    }

    /// The coded picture's size: both sides even.
    public var codedSize: PixelSize { ring.size }

    /// Where pictures are given back.
    public var loans: SlotLoans { ring.loans }

    /// From now on the source is of another size: the whole picture must be drawn next.
    public func changeSource(to newSize: PixelSize) {
        guard newSize != sourceSize else { return }
        sourceSize = newSize
        scaling = newSize == size ? nil : Scaling(from: newSize, to: size)
    }

    public var hasFreeSlot: Bool { ring.hasFreeSlot }
    public func begin() -> Bool { ring.begin() }

    /// Gives the picture up that was begun.
    public func abandon() { ring.abandon() }

    /// Draws pixels of the source, as `VideoSource.read` shows them.
    public func draw(_ rect: PixelRect, pixels: UnsafeRawPointer, stride: Int) {
        if let scaling {
            scaling.take(rect, pixels: pixels, stride: stride)
        } else {
            ring.draw(rect, bgra: pixels, stride: stride)
        }
    }

    public func commit(evenIfUnchanged: Bool) -> FrameRing.Frame? {
        scaling?.draw(into: ring)
        return ring.commit(evenIfUnchanged: evenIfUnchanged)
    }
}

/// The source's last picture in full, and the frame it is scaled into.
private final class Scaling {
    private let to: PixelSize
    /// Where the scaled picture lies in the frame.
    private let inner: PixelRect
    private let mapping: DamageMapping
    private let source: HalvingPyramid
    private let frame: UnsafeMutableRawBufferPointer
    private var damage: DamageRegion

    init(from: PixelSize, to: PixelSize) {
        self.to = to
        let fitted = from.aspectFit(into: to)
        inner = PixelRect(
            x: (to.width - fitted.width) / 2, y: (to.height - fitted.height) / 2, width: fitted.width,
            height: fitted.height)
        mapping = DamageMapping(from: from, to: fitted)
        source = HalvingPyramid(size: from, target: inner.size)
        frame = .allocate(byteCount: to.area * 4, alignment: 64)
        frame.initializeMemory(as: UInt8.self, repeating: 0)
        damage = .full(size: to)
    }

    deinit { frame.deallocate() }

    func take(_ rect: PixelRect, pixels: UnsafeRawPointer, stride: Int) {
        source.take(rect, pixels: pixels, stride: stride)
        damage.insert(mapping.map(rect).offset(x: inner.x, y: inner.y))
    }

    func draw(into ring: FrameRing) {
        guard let frame = frame.baseAddress else { return }
        let source = source.smallest
        for rect in damage.rectangles() {
            let clip = rect.intersection(inner).offset(x: -inner.x, y: -inner.y)
            if !clip.isEmpty {
                ARGBScaleClip(
                    source.pixels, Int32(source.stride), Int32(source.size.width), Int32(source.size.height),
                    (frame + (inner.y * to.width + inner.x) * 4).assumingMemoryBound(to: UInt8.self),
                    Int32(to.width * 4), Int32(inner.width), Int32(inner.height), Int32(clip.x), Int32(clip.y),
                    Int32(clip.width), Int32(clip.height), kFilterBox)
            }
            ring.draw(rect, bgra: frame + (rect.y * to.width + rect.x) * 4, stride: to.width * 4)
        }
        damage.removeAll()
    }
}
