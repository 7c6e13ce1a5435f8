// The image of a pointer, as display servers give it and as PNG.
import CZlib
import KineMedia

public struct PointerImage: Hashable, Sendable {
    public var size: PixelSize
    /// The pixel of the image at the pointer's place.
    public var hotspot: PixelPoint
    /// Premultiplied ARGB, one word each, rows packed: `size.area` pixels.
    public var pixels: [UInt32]

    public init(size: PixelSize, hotspot: PixelPoint, pixels: [UInt32]) {
        (self.size, self.hotspot, self.pixels) = (size, hotspot, pixels)
    }

    /// The image as PNG with eight bits for each of red, green, blue and alpha (PNG, third edition); nil without area or memory.
    public var png: [UInt8]? {
        guard size.width > 0, size.height > 0, pixels.count == size.area else { return nil }
        var rows: [UInt8] = []
        rows.reserveCapacity(size.height * (1 + size.width * 4))
        for y in 0..<size.height {
            rows.append(0)  // no filter
            for pixel in pixels[y * size.width..<(y + 1) * size.width] {
                let alpha = pixel >> 24
                for shift: UInt32 in [16, 8, 0] {
                    let value = pixel >> shift & 255
                    rows.append(alpha == 0 ? 0 : UInt8(min(255, (value * 255 + alpha / 2) / alpha)))
                }
                rows.append(UInt8(alpha))
            }
        }
        var length = compressBound(uLong(rows.count))
        var compressed = [UInt8](repeating: 0, count: Int(length))
        guard compress2(&compressed, &length, rows, uLong(rows.count), Z_BEST_COMPRESSION) == Z_OK else { return nil }
        let colour: [UInt8] = [8, 6, 0, 0, 0]  // eight bits, RGBA, the only compression and filters, not interlaced
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
            + Self.chunk("IHDR", Self.word(size.width) + Self.word(size.height) + colour)
            + Self.chunk("IDAT", compressed.prefix(Int(length))) + Self.chunk("IEND", [])
    }

    private static func chunk(_ type: String, _ data: some Collection<UInt8>) -> [UInt8] {
        let checked = Array(type.utf8) + data
        return word(data.count) + checked + word(Int(crc32(0, checked, uInt(checked.count))))
    }

    private static func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
}
