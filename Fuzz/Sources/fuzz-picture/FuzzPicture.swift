// Reads libFuzzer's bytes as a geometry and as changes of a source. Whatever they are: a picture that is brought up to date part by
// part, where the geometry says that a change reaches, is the same as one that is drawn at once, and nothing outside of it is written.
import FuzzDriver
import KineImaging
import KineMedia

@_cdecl("fuzz_picture_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

private func fuzz(_ input: [UInt8]) {
    var script = Script(input)
    func number(_ most: Int) -> Int { Int(script.byte() ?? 0) % most + 1 }
    let source = PixelSize(width: number(64) * 2, height: number(64) * 2)
    let orientation = Orientation.allCases[number(8) - 1]
    let size = PixelSize(width: number(64) * 2, height: number(64) * 2)
    let crop: PictureGeometry.Crop =
        switch number(3) {
        case 1: .fit
        case 2: .fill
        default: .part(PixelRect(x: number(128) - 1, y: number(128) - 1, width: number(128), height: number(128)))
        }
    let format = [PixelFormat.i420, .nv12, .bgra][number(3) - 1]
    let isPlanar = number(2) == 1
    let geometry = PictureGeometry(source: source, orientation: orientation, crop: crop, size: size)
    let layout = FrameLayout(pixelFormat: format, size: size)
    let sourceLayout = FrameLayout(pixelFormat: isPlanar ? .i420 : .bgra, size: source)
    let pixels = Memory(sourceLayout.slotBytes)
    let renderer = PictureRenderer(geometry, layout: layout)
    func draw(_ region: DamageRegion, to memory: Memory) {
        let picture: PictureSource =
            isPlanar
            ? .planar(sourceLayout.i420(at: pixels.base))
            : .bgra(base: UnsafeRawPointer(pixels.base), stride: sourceLayout.planeStrides[0])
        renderer.draw(region, of: picture, at: memory.base)
    }
    let (parts, whole) = (Memory(layout.slotBytes), Memory(layout.slotBytes))
    draw(.full(size: size), to: parts)
    while let colour = script.byte() {
        let rect = PixelRect(x: number(128) - 1, y: number(128) - 1, width: number(40), height: number(40))
            .intersection(PixelRect(size: source))
        var damage = DamageRegion(size: source)
        damage.insert(rect)
        for (index, plane) in sourceLayout.planeOffsets.enumerated() {
            let (across, down) = isPlanar ? (index > 0 ? 1 : 2, index > 0 ? 1 : 2) : (8, 2)
            for y in rect.y * down / 2..<max(rect.y, rect.maxY) * down / 2 {
                for x in rect.x * across / 2..<max(rect.x, rect.maxX) * across / 2 {
                    pixels.base.storeBytes(
                        of: colour &+ UInt8(truncatingIfNeeded: x * 7 + y * 13),
                        toByteOffset: plane + y * sourceLayout.planeStrides[index] + x, as: UInt8.self)
                }
            }
        }
        draw(geometry.map(damage), to: parts)
    }
    draw(.full(size: size), to: whole)
    precondition(parts.bytes == whole.bytes, "a part differs from the whole: \(geometry), \(format)")
    precondition(parts.isWhole && whole.isWhole, "a byte behind the picture was written: \(geometry), \(format)")
}

/// Memory whose end can be looked at.
private final class Memory {
    let base: UnsafeMutableRawPointer
    private let count: Int
    private static let guardBytes = 256

    init(_ count: Int) {
        self.count = count
        base = .allocate(byteCount: count + Self.guardBytes, alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 0x55, count: count + Self.guardBytes)
    }

    deinit { base.deallocate() }

    var bytes: [UInt8] { Array(UnsafeRawBufferPointer(start: base, count: count)) }
    var isWhole: Bool { UnsafeRawBufferPointer(start: base + count, count: Self.guardBytes).allSatisfy { $0 == 0x55 } }
}
