// The picture on a monitor of a compositor whose screen may be copied.
import KineCapture
import KineMedia
import KineWayland

final class SeenScreen {
    private let opening: WaylandScreenOpening
    private var source: (any VideoSource)?
    private var pixels: [UInt32] = []
    private var size = PixelSize(width: 0, height: 0)

    init(_ display: String) throws {
        opening = try WaylandScreenOpening(.desktop, display: display, showsCursor: false)
    }

    /// 0xRRGGBB of the newest frame; nil: there was none yet.
    func colour(x: Int, y: Int) throws -> UInt32? {
        if source == nil { source = try opening.processEvents() }
        guard let source else { return nil }
        var damage = DamageRegion(size: source.size)
        _ = try source.processEvents()
        try source.addDamage(to: &damage)
        if damage.size != size {
            size = damage.size
            pixels = [UInt32](repeating: 0, count: size.area)
        }
        let width = size.width
        _ = try source.read(damage) { part in
            for y in 0..<part.rect.height {
                let row = (part.pixels + y * part.stride).assumingMemoryBound(to: UInt32.self)
                for x in 0..<part.rect.width {
                    pixels[(part.rect.y + y) * width + part.rect.x + x] = row[x] & 0xff_ffff
                }
            }
        }
        return pixels[y * width + x]
    }
}
