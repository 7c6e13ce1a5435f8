// The sheet that every scene is painted on: plain memory, so that the same code paints what an X server shows and what
// a recording of it is compared with.
import KineMedia

/// Pixels, four bytes each as blue, green, red, unused. A copy of a canvas is the same sheet, and keeps `owner` alive; memory
/// without an owner must outlive it. Painting outside the sheet is clipped.
public struct Canvas {
    public let pixels: UnsafeMutablePointer<UInt32>
    public let width: Int
    public let height: Int
    /// Pixels from one row to the next.
    public let stride: Int
    private let owner: AnyObject?

    public init(
        pixels: UnsafeMutablePointer<UInt32>, width: Int, height: Int, stride: Int? = nil, owner: AnyObject? = nil
    ) {
        self.owner = owner
        self.pixels = pixels
        self.width = width
        self.height = height
        self.stride = stride ?? width
    }

    public var size: PixelSize { PixelSize(width: width, height: height) }
    public var bounds: PixelRect { PixelRect(size: size) }

    public func row(_ y: Int) -> UnsafeMutablePointer<UInt32> { pixels + y * stride }

    /// Paints `rect` in one colour.
    public func fill(_ rect: PixelRect, _ colour: Colour) {
        let part = rect.intersection(bounds)
        guard !part.isEmpty else { return }
        for y in part.y..<part.maxY {
            (row(y) + part.x).update(repeating: colour.pixel, count: part.width)
        }
    }

    /// Draws the outline of `rect`, `thickness` pixels wide and inside it.
    public func frame(_ rect: PixelRect, _ colour: Colour, thickness: Int = 1) {
        fill(PixelRect(x: rect.x, y: rect.y, width: rect.width, height: thickness), colour)
        fill(PixelRect(x: rect.x, y: rect.maxY - thickness, width: rect.width, height: thickness), colour)
        fill(PixelRect(x: rect.x, y: rect.y, width: thickness, height: rect.height), colour)
        fill(PixelRect(x: rect.maxX - thickness, y: rect.y, width: thickness, height: rect.height), colour)
    }

    /// Copies `source` of another sheet so that its top left corner lands on (`x`, `y`). The sheets must not overlap.
    public func copy(_ other: Canvas, _ source: PixelRect, toX x: Int, y: Int) {
        let inside = source.intersection(other.bounds)
        let target = inside.offset(x: x - source.x, y: y - source.y).intersection(bounds)
        guard !target.isEmpty else { return }
        let from = target.offset(x: source.x - x, y: source.y - y)
        for line in 0..<target.height {
            (row(target.y + line) + target.x).update(
                from: other.row(from.y + line) + from.x, count: target.width)
        }
    }

    /// Moves `source` up by `distance` rows within this sheet; the rows it leaves behind keep their pixels.
    public func scrollUp(_ source: PixelRect, by distance: Int) {
        let part = source.intersection(bounds)
        guard part.height > distance, !part.isEmpty else { return }
        for y in part.y..<(part.maxY - distance) {
            (row(y) + part.x).update(from: row(y + distance) + part.x, count: part.width)
        }
    }
}

/// A canvas with memory of its own.
public final class OwnedCanvas {
    public let canvas: Canvas

    private final class Memory {
        let pixels: UnsafeMutablePointer<UInt32>

        init(count: Int) {
            pixels = .allocate(capacity: count)
            pixels.initialize(repeating: 0, count: count)
        }

        deinit { pixels.deallocate() }
    }

    /// Begins black.
    public init(size: PixelSize) {
        let memory = Memory(count: max(1, size.area))
        canvas = Canvas(pixels: memory.pixels, width: size.width, height: size.height, owner: memory)
    }
}

/// An opaque sRGB colour.
public struct Colour: Hashable, Sendable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8

    /// `rgb` is 0xRRGGBB.
    public init(_ rgb: UInt32) {
        red = UInt8(rgb >> 16 & 255)
        green = UInt8(rgb >> 8 & 255)
        blue = UInt8(rgb & 255)
    }

    public static let black = Colour(0x000000)
    public static let white = Colour(0xFFFFFF)

    /// The colour as `Canvas` keeps it.
    public var pixel: UInt32 { UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }
}
