// From the layers of a frame to the ring's slots, only where one of them changed. The source's frame is the lowest layer; its
// size may change during a take, the output's cannot.
import KineMedia

/// Puts the layers of a frame together. Used by the capture thread.
///
/// A source of the output's size is converted as it is read, and nobody keeps its pixels: where a layer above it changes, the
/// source is read again. A source of another size is a layer that keeps them, scaled to fit with black borders.
public final class Compositor {
    /// The output's size to show, in pixels; may be odd.
    public let size: PixelSize
    /// The size of the source's frames.
    public private(set) var sourceSize: PixelSize
    private let ring: FrameRing
    /// Nil where the source has the output's size.
    private var scaledSource: Layer?
    /// The layers over the source, the lowest first.
    private var upperLayers: [Layer] = []
    /// The damage above the source since the last `addDamage`, besides the layers' own.
    private var upperDamage: DamageRegion
    /// A row of tiles in which layers are drawn over each other; nil until there is a second one.
    private var band: UnsafeMutableRawPointer?

    /// `size` is the output's, `sourceSize` the source's; `slotCount` and `memory` are the ring's.
    public init(
        size: PixelSize, sourceSize: PixelSize, slotCount: Int = 3, memory: FrameRing.Memory? = nil
    ) {
        self.size = size
        self.sourceSize = sourceSize
        ring = FrameRing(size: size.roundedUpToEven, slotCount: slotCount, memory: memory)
        upperDamage = DamageRegion(size: size)
        scaledSource = size == sourceSize ? nil : Layer(fitting: sourceSize, into: size)
    }

    deinit { band?.deallocate() }

    /// The coded frame's size: both sides even.
    public var codedSize: PixelSize { ring.size }

    /// The readers of each slot; they give frames back here.
    public var loans: SlotLoans { ring.loans }

    // MARK: Layers

    /// Changes the size of the source. All of it must be drawn next.
    public func changeSource(to newSize: PixelSize) {
        guard newSize != sourceSize else { return }
        sourceSize = newSize
        scaledSource = newSize == size ? nil : Layer(fitting: newSize, into: size)
    }

    /// Puts a layer over the others.
    public func add(_ layer: Layer) {
        precondition(layer.outputSize == size, "a layer of another output")
        if band == nil { band = .allocate(byteCount: size.width * DamageRegion.tileSide * 4, alignment: 64) }
        upperLayers.append(layer)
        upperDamage.insert(layer.place)
    }

    /// Takes a layer away that was added.
    public func remove(_ layer: Layer) {
        upperLayers.removeAll { $0 === layer }
        upperDamage.insert(layer.place)
    }

    // MARK: Frames

    public var hasFreeSlot: Bool { ring.hasFreeSlot }

    /// Adds to `region`, the source's damage, the parts to read again because a layer above them changed. To be called before
    /// each frame, after `changeSource`.
    public func addDamage(to region: inout DamageRegion) {
        for layer in upperLayers { layer.render(addingDamageTo: &upperDamage) }
        if let scaledSource { scaledSource.damage.formUnion(upperDamage) } else { region.formUnion(upperDamage) }
        upperDamage.removeAll()
    }

    /// Begins a frame. False where all slots are lent.
    public func begin() -> Bool { ring.begin() }

    /// Gives the frame up that was begun.
    public func abandon() { ring.abandon() }

    /// Draws pixels of the source, as `VideoSource.read` shows them.
    public func draw(_ rect: PixelRect, pixels: UnsafeRawPointer, stride: Int) {
        if let scaledSource {
            scaledSource.draw(rect, pixels: pixels, stride: stride)
        } else {
            compose(rect, pixels: pixels, stride: stride)
        }
    }

    /// Ends the frame; see `FrameRing.commit`.
    public func commit(evenIfUnchanged: Bool) -> FrameRing.Frame? {
        if let scaledSource {
            for rect in scaledSource.damage.rectangles() {
                scaledSource.render(rect)
                compose(rect, pixels: scaledSource.pixels(at: rect), stride: scaledSource.stride)
            }
            scaledSource.damage.removeAll()
        }
        return ring.commit(evenIfUnchanged: evenIfUnchanged)
    }

    /// Draws the source's pixels and the layers over them, in whole tiles of the output.
    private func compose(_ rect: PixelRect, pixels: UnsafeRawPointer, stride: Int) {
        guard let band, !upperLayers.isEmpty else { return ring.draw(rect, bgra: pixels, stride: stride) }
        for top in Swift.stride(from: rect.y, to: rect.maxY, by: DamageRegion.tileSide) {
            let height = min(DamageRegion.tileSide, rect.maxY - top)
            let row = PixelRect(x: rect.x, y: top, width: rect.width, height: height)
            let below = pixels + (top - rect.y) * stride
            guard upperLayers.contains(where: { !$0.place.intersection(row).isEmpty }) else {
                ring.draw(row, bgra: below, stride: stride)
                continue
            }
            for line in 0..<height {
                (band + line * row.width * 4).copyMemory(from: below + line * stride, byteCount: row.width * 4)
            }
            for layer in upperLayers { layer.draw(over: band, stride: row.width * 4, area: row) }
            ring.draw(row, bgra: band, stride: row.width * 4)
        }
    }
}

extension Layer {
    /// A source's frame, as large as fits, in the middle of the output.
    fileprivate convenience init(fitting sourceSize: PixelSize, into output: PixelSize) {
        let fitted = sourceSize.aspectFit(into: output)
        let place = PixelRect(
            x: (output.width - fitted.width) / 2, y: (output.height - fitted.height) / 2, width: fitted.width,
            height: fitted.height)
        self.init(sourceSize: sourceSize, place: place, outputSize: output, bounds: PixelRect(size: output))
    }
}
