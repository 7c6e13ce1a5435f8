// One colour in place of the source's pixels.
import KineMedia

extension Compositor {
    /// A colour, each part from 0 to 255.
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
                    draw(part, pixels: pixels, stride: rect.width * 4)
                }
            }
        }
    }
}
