// The brightness of a frame, as H.264 carries it; the bench compares no more than this.
import KineMedia

/// Eight bits a pixel, rows one after another without padding, BT.709 limited range: 16 is black and 235 white.
public struct LumaFrame: Sendable {
    public let size: PixelSize
    public var pixels: [UInt8]

    /// `pixels` must hold `size.area` values.
    public init(size: PixelSize, pixels: [UInt8]) {
        precondition(pixels.count == size.area, "the luma of \(size) needs \(size.area) pixels")
        self.size = size
        self.pixels = pixels
    }

    /// What `canvas` is in BT.709 limited range (Rec. ITU-R BT.709-6, items 3.2 and 3.5), rounded.
    public init(_ canvas: Canvas) {
        size = canvas.size
        pixels = [UInt8](unsafeUninitializedCapacity: canvas.size.area) { buffer, count in
            guard let target = buffer.baseAddress else { return }
            for y in 0..<canvas.height {
                let row = canvas.row(y)
                let out = target + y * canvas.width
                for x in 0..<canvas.width {
                    let pixel = row[x]
                    // 0.2126, 0.7152 and 0.0722, each times 219/255, in 65536ths.
                    let sum = (pixel >> 16 & 255) &* 11966 &+ (pixel >> 8 & 255) &* 40254 &+ (pixel & 255) &* 4064
                    out[x] = UInt8(truncatingIfNeeded: 16 &+ (sum &+ 32768) >> 16)
                }
            }
            count = canvas.size.area
        }
    }

    /// The mean brightness of the pixels of `rect`.
    public func mean(_ rect: PixelRect) -> Double {
        let part = rect.intersection(PixelRect(size: size))
        guard !part.isEmpty else { return 0 }
        var sum = 0
        for y in part.y..<part.maxY {
            for x in part.x..<part.maxX { sum += Int(pixels[y * size.width + x]) }
        }
        return Double(sum) / Double(part.size.area)
    }
}
