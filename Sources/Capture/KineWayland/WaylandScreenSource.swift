// The screen of a Wayland session, or a part of it, by copies of its compositor. Copies and reads only changes.
import CWayland
import KineCapture
import KineMedia
import KinePlatform

/// A video source on a compositor with a protocol for copies of its outputs. Created and used by the capture thread.
///
/// Damage that is larger than the change costs only a comparison, because `FrameRing` compares each drawn tile with the
/// previous frame.
public final class WaylandScreenSource: VideoSource {
    public enum Target: Equatable, Sendable {
        /// All outputs, in their arrangement.
        case desktop
        /// One output, by its name. Case does not matter.
        case monitor(String)
        /// A part of one output, in logical pixels of the desktop. The frame has the output's own pixels.
        case region(PixelRect)
    }

    public private(set) var size: PixelSize
    public private(set) var orientation: Orientation
    private let screen: WaylandScreen
    private let copiers: [(copier: any OutputCopier, origin: (x: Int, y: Int))]
    /// For several outputs; nil: there is one, and its frames are read in place.
    private var canvas: JoinedFrame?
    /// Converted rows of an output with another pixel format.
    private var band: UnsafeMutableRawPointer?
    private var bandBytes = 0
    /// The whole next frame is damaged.
    private var isNew = true

    /// Each of `copiers` must have a frame.
    init(_ screen: WaylandScreen, _ copiers: [(copier: any OutputCopier, origin: (x: Int, y: Int))]) {
        self.screen = screen
        self.copiers = copiers
        size = PixelSize(width: 0, height: 0)
        orientation = .up
        var damage = DamageRegion(size: size)
        takeFrames(&damage)
        followOrientation()
    }

    deinit { band?.deallocate() }

    public var descriptor: Int32 { screen.connection.descriptor }

    public var deadline: Int64? { copiers.compactMap(\.copier.deadline).min() }

    public func processEvents() throws(VideoSourceError) -> Bool {
        try screen.handleEvents()
        try screen.advance(copiers.lazy.map(\.copier))
        return isNew || copiers.contains { $0.copier.hasFrame }
    }

    public func addDamage(to damage: inout DamageRegion) throws(VideoSourceError) {
        _ = try processEvents()
        takeFrames(&damage)
        followOrientation()
        if isNew || damage.size != size {
            isNew = false
            damage = .full(size: size)
        }
    }

    private func followOrientation() {
        guard copiers.count == 1, let turn = copiers[0].copier.orientation, turn != orientation else { return }
        orientation = turn
        isNew = true
    }

    private func takeFrames(_ damage: inout DamageRegion) {
        for (copier, origin) in copiers {
            guard let (changed, isResized) = copier.takeFrame() else { continue }
            if isResized { resize() }
            if damage.size != size { damage = .full(size: size) }
            let all = PixelRect(size: copier.size ?? size)
            for rect in changed ?? [all] {
                let place = rect.intersection(all).offset(x: origin.x, y: origin.y)
                damage.insert(place)
                if canvas != nil { draw(copier, origin, place) }
            }
        }
        screen.connection.flush()
    }

    /// Computes the frame's size from its pieces.
    private func resize() {
        var (width, height) = (0, 0)
        for (copier, origin) in copiers {
            guard let piece = copier.size else { continue }
            width = max(width, origin.x + piece.width)
            height = max(height, origin.y + piece.height)
        }
        size = PixelSize(width: width, height: height)
        guard copiers.count > 1 else { return }
        canvas = JoinedFrame(size: size)
        for (copier, origin) in copiers {
            guard let piece = copier.size else { continue }
            draw(copier, origin, PixelRect(origin: origin, size: piece))
        }
    }

    /// Copies a rectangle of the frame from its output.
    private func draw(_ copier: any OutputCopier, _ origin: (x: Int, y: Int), _ place: PixelRect) {
        guard let canvas, !place.isEmpty,
            let (first, stride, packing) = copier.pixels(of: place.offset(x: -origin.x, y: -origin.y))
        else { return }
        packing.convert(
            first, stride: stride, to: canvas.first(of: place), targetStride: canvas.stride, width: place.width,
            height: place.height)
    }

    public func discardFrames() {
        for (copier, _) in copiers { copier.discardFrame() }
    }

    public func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
        if copiers.contains(where: \.copier.copy.isStale) { return false }
        for rect in region.rectangles() {
            if let canvas {
                receive(FramePart(rect: rect, pixels: canvas.first(of: rect), stride: canvas.stride))
            } else if let (first, stride, packing) = copiers[0].copier.pixels(of: rect) {
                if packing == .bgra {
                    receive(FramePart(rect: rect, pixels: first, stride: stride))
                } else {
                    convert(rect, first, stride, packing, into: receive)
                }
            }
        }
        return true
    }

    /// Passes a rectangle on in rows of tiles, each converted into the same memory.
    private func convert(
        _ rect: PixelRect, _ first: UnsafeRawPointer, _ stride: Int, _ packing: PackedPixels,
        into receive: (FramePart) -> Void
    ) {
        let rows = DamageRegion.tileSide
        let bytes = size.width * rows * 4
        if bytes > bandBytes {
            band?.deallocate()
            band = .allocate(byteCount: bytes, alignment: 64)
            bandBytes = bytes
        }
        guard let band else { return }
        for top in Swift.stride(from: rect.y, to: rect.maxY, by: rows) {
            let part = PixelRect(x: rect.x, y: top, width: rect.width, height: min(rows, rect.maxY - top))
            packing.convert(
                first + (top - rect.y) * stride, stride: stride, to: band, targetStride: part.width * 4,
                width: part.width, height: part.height)
            receive(FramePart(rect: part, pixels: band, stride: part.width * 4))
        }
    }
}

/// The frame of several outputs, black elsewhere. Used on one thread.
final class JoinedFrame {
    let stride: Int
    private let pixels: UnsafeMutableRawPointer

    init(size: PixelSize) {
        stride = size.width * 4
        pixels = .allocate(byteCount: max(4, stride * size.height), alignment: 64)
        pixels.initializeMemory(as: UInt8.self, repeating: 0, count: stride * size.height)
    }

    deinit { pixels.deallocate() }

    func first(of rect: PixelRect) -> UnsafeMutableRawPointer { pixels + rect.y * stride + rect.x * 4 }
}
