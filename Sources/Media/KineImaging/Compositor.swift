// Composes the layers of a frame into the ring's slots, only where a layer changed. The source's frame is the lowest
// layer; its size may change during a take, the output's cannot.
import KineMedia

/// Paints over the pixels of a source before they are composed. Rectangles are parts of the source's frame, in its pixels.
public protocol SourcePainter: AnyObject {
    /// The smallest rectangle around what is painted in `rect`; empty: nothing is.
    func bounds(in rect: PixelRect) -> PixelRect

    /// Paints over the BGRA pixels of `area`, with `stride` bytes from one row to the next.
    func paint(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect)
}

/// Composes the layers of a frame. Used by the capture thread.
///
/// A source that equals the output (not scaled, turned or cropped) is converted while it is read, and its pixels are
/// not kept: if a layer above it changes, the source is read again. Any other source is a layer that keeps its pixels.
public final class Compositor {
    /// The output's visible size in pixels; may be odd.
    public let size: PixelSize
    /// The size of the source's frames.
    public private(set) var sourceSize: PixelSize
    /// The rotation that makes the source's frames upright.
    public private(set) var orientation: Orientation
    /// Paints over the source's pixels; nil: they are shown as they are.
    public var painter: (any SourcePainter)?
    private let crop: PictureGeometry.Crop
    private let ring: FrameRing
    /// Nil if the source equals the output.
    private var keptSource: Layer?
    /// The layers over the source, the lowest first.
    private var upperLayers: [Layer] = []
    /// The damage above the source since the last `addDamage`, without the layers' own.
    private var upperDamage: DamageRegion
    /// The tiles of the output that are drawn in this frame because a layer above the source changed.
    public private(set) var layerDamage: DamageRegion
    /// Rows of the output in which layers are drawn over each other.
    private var band = ScratchMemory()
    /// Rows of the source that are painted over.
    private var paintedRows = ScratchMemory()

    /// Rows to draw at once: few, so that they stay in the processor's cache. In a turned source these are columns;
    /// with few of them it would be read often.
    private var bandRows: Int { DamageRegion.tileSide * (orientation.isTransposed ? 4 : 1) }

    /// `size` is the output's, `sourceSize` the source's; `colour`, `slotCount` and `memory` are the ring's.
    public init(
        size: PixelSize, sourceSize: PixelSize, orientation: Orientation = .up, crop: PictureGeometry.Crop = .fit,
        colour: ColourFormat = .standard, slotCount: Int = 3, memory: FrameRing.Memory? = nil
    ) {
        self.size = size
        self.sourceSize = sourceSize
        self.orientation = orientation
        self.crop = crop
        ring = FrameRing(size: size.roundedUpToEven, colour: colour, slotCount: slotCount, memory: memory)
        upperDamage = DamageRegion(size: size)
        layerDamage = upperDamage
        keptSource = makeKeptSource()
    }

    /// How the picture shows the source.
    public var geometry: PictureGeometry {
        PictureGeometry(source: sourceSize, orientation: orientation, crop: crop, size: size)
    }

    private func makeKeptSource() -> Layer? {
        let geometry = geometry
        guard !geometry.isIdentity else { return nil }
        let layer = Layer(geometry)
        layer.damage.insertAll()
        return layer
    }

    /// The coded frame's size: both sides even.
    public var codedSize: PixelSize { ring.size }

    /// The readers of each slot, who release frames here.
    public var references: SlotReferences { ring.references }

    /// Changes the size and the orientation of the source. If either changes, all of it must be drawn next.
    public func changeSource(to newSize: PixelSize, orientation newOrientation: Orientation) {
        guard newSize != sourceSize || newOrientation != orientation else { return }
        (sourceSize, orientation) = (newSize, newOrientation)
        keptSource = makeKeptSource()
    }

    /// Adds a layer above the others.
    public func add(_ layer: Layer) {
        precondition(layer.geometry.size == size, "a layer of another output")
        upperLayers.append(layer)
        upperDamage.insert(layer.place)
    }

    public func remove(_ layer: Layer) {
        upperLayers.removeAll { $0 === layer }
        upperDamage.insert(layer.place)
    }

    public var hasFreeSlot: Bool { ring.hasFreeSlot }

    /// Adds to `region`, the source's damage, the parts to read again because a layer above them changed. Call before
    /// each frame, after `changeSource`.
    public func addDamage(to region: inout DamageRegion) {
        for layer in upperLayers {
            upperDamage.formUnion(layer.damage)
            layer.damage.removeAll()
        }
        layerDamage.formUnion(upperDamage)
        if let keptSource { keptSource.damage.formUnion(upperDamage) } else { region.formUnion(upperDamage) }
        upperDamage.removeAll()
    }

    /// Begins a frame. False if all slots are in use.
    public func begin() -> Bool { ring.begin() }

    /// Abandons the frame.
    public func abandon() { ring.abandon() }

    /// Draws pixels of the source, as `VideoSource.read` passes them, and paints over them.
    ///
    /// - Parameter isScratch: the pixels may be painted over where they are.
    public func draw(_ rect: PixelRect, pixels: UnsafeRawPointer, stride: Int, isScratch: Bool = false) {
        guard let painter else { return drawUnpainted(rect, pixels: pixels, stride: stride) }
        let painted = painter.bounds(in: rect)
        if isScratch, !painted.isEmpty {
            painter.paint(over: UnsafeMutableRawPointer(mutating: pixels), stride: stride, area: rect)
            return drawUnpainted(rect, pixels: pixels, stride: stride)
        }
        for piece in Self.pieces(of: rect, around: painted) {
            let first = pixels + (piece.rect.y - rect.y) * stride
            if piece.isPainted {
                draw(piece.rect, painter, over: first, stride: stride)
            } else {
                drawUnpainted(piece.rect, pixels: first, stride: stride)
            }
        }
    }

    /// The rows of tiles of `rect` that are painted over, and those above and below: only the painted ones are copied.
    static func pieces(of rect: PixelRect, around painted: PixelRect) -> [(rect: PixelRect, isPainted: Bool)] {
        guard !painted.isEmpty else { return [(rect, false)] }
        let side = DamageRegion.tileSide
        let top = max(painted.y / side * side, rect.y)
        let bottom = min((painted.maxY + side - 1) / side * side, rect.maxY)
        return [(rect.y, top, false), (top, bottom, true), (bottom, rect.maxY, false)].compactMap {
            from, to, isPainted in
            guard from < to else { return nil }
            return (PixelRect(x: rect.x, y: from, width: rect.width, height: to - from), isPainted)
        }
    }

    /// Draws a copy of the pixels, painted over.
    private func draw(_ rect: PixelRect, _ painter: any SourcePainter, over pixels: UnsafeRawPointer, stride: Int) {
        let height = DamageRegion.tileSide
        let rowBytes = rect.width * 4
        let copy = paintedRows.memory(rowBytes * height)
        for top in Swift.stride(from: rect.y, to: rect.maxY, by: height) {
            let part = PixelRect(x: rect.x, y: top, width: rect.width, height: min(height, rect.maxY - top))
            let first = pixels + (top - rect.y) * stride
            for row in 0..<part.height {
                (copy + row * rowBytes).copyMemory(from: first + row * stride, byteCount: rowBytes)
            }
            painter.paint(over: copy, stride: rowBytes, area: part)
            drawUnpainted(part, pixels: copy, stride: rowBytes)
        }
    }

    private func drawUnpainted(_ rect: PixelRect, pixels: UnsafeRawPointer, stride: Int) {
        if let keptSource {
            keptSource.draw(rect, pixels: pixels, stride: stride)
        } else if upperLayers.isEmpty {
            ring.draw(rect, bgra: pixels, stride: stride)
        } else {
            compose(rect) { part, target, targetStride in
                let first = pixels + (part.y - rect.y) * stride
                for line in 0..<part.height {
                    (target + line * targetStride).copyMemory(from: first + line * stride, byteCount: part.width * 4)
                }
            }
        }
    }

    /// Ends the frame; see `FrameRing.commit`.
    public func commit(evenIfUnchanged: Bool) -> FrameRing.Frame? {
        if let keptSource {
            for rect in keptSource.damage.rectangles() {
                compose(rect) { part, target, stride in keptSource.show(part, in: target, stride: stride) }
            }
            keptSource.damage.removeAll()
        }
        if !layerDamage.isEmpty { layerDamage.removeAll() }
        return ring.commit(evenIfUnchanged: evenIfUnchanged)
    }

    /// Draws whole tiles of the output: the pixels that `below` draws for each part of `rect`, and the layers above.
    private func compose(_ rect: PixelRect, _ below: (PixelRect, UnsafeMutableRawPointer, Int) -> Void) {
        let band = band.memory(size.width * bandRows * 4)
        let stride = rect.width * 4
        for top in Swift.stride(from: rect.y, to: rect.maxY, by: bandRows) {
            let part = PixelRect(
                x: rect.x, y: top, width: rect.width, height: min(bandRows, rect.maxY - top))
            below(part, band, stride)
            for layer in upperLayers { draw(layer, over: band, stride: stride, area: part) }
            ring.draw(part, bgra: band, stride: stride)
        }
    }

    private func draw(_ layer: Layer, over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        for top in Swift.stride(from: area.y, to: area.maxY, by: Layer.bandRows) {
            let row = PixelRect(
                x: area.x, y: top, width: area.width, height: min(Layer.bandRows, area.maxY - top))
            layer.draw(over: pixels + (top - area.y) * stride, stride: stride, area: row)
        }
    }
}

// Fills regions with one colour instead of the source's pixels.
extension Compositor {
    /// Each component is 0…255.
    public struct Colour: Sendable, Equatable {
        public var red: UInt8
        public var green: UInt8
        public var blue: UInt8

        public init(red: UInt8, green: UInt8, blue: UInt8) {
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    /// Draws the region of the source in one colour; `region` is in the source's pixels.
    public func fill(_ region: DamageRegion, with colour: Colour) {
        let height = DamageRegion.tileSide
        for rect in region.rectangles() {
            withUnsafeTemporaryAllocation(byteCount: rect.width * height * 4, alignment: 64) { band in
                for pixel in 0..<rect.width * height {
                    band[pixel * 4] = colour.blue
                    band[pixel * 4 + 1] = colour.green
                    band[pixel * 4 + 2] = colour.red
                    band[pixel * 4 + 3] = 255
                }
                guard let pixels = band.baseAddress else { return }
                for top in stride(from: rect.y, to: rect.maxY, by: height) {
                    let part = PixelRect(
                        x: rect.x, y: top, width: rect.width, height: min(height, rect.maxY - top))
                    drawUnpainted(part, pixels: pixels, stride: rect.width * 4)
                }
            }
        }
    }
}
