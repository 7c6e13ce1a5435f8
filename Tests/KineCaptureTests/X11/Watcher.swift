// A source as the capture thread uses it, with the picture it has shown so far.
import KineMedia
import KinePlatform
import Testing

@testable import KineCapture

final class Watcher {
    let source: X11ScreenSource
    private(set) var size: PixelSize
    /// 0xRRGGBB, rows packed.
    private(set) var pixels: [UInt32]
    /// How many rectangles were read.
    private(set) var reads = 0

    /// Opens the source and reads its first picture.
    init(_ target: X11ScreenSource.Target, on display: String, cursor: Bool = false) throws {
        source = try X11ScreenSource(target: target, showsCursor: cursor, display: display)
        size = source.size
        pixels = [UInt32](repeating: 0, count: size.area)
        #expect(try look().isFull)
    }

    /// Takes the damage there is and reads it.
    @discardableResult
    func look() throws -> DamageRegion {
        let damage = try source.takeDamage()
        if damage.size != size {
            size = damage.size
            pixels = [UInt32](repeating: 0, count: size.area)
        }
        let size = size
        try source.read(damage) { rect, bytes, stride in
            reads += 1
            #expect(rect.intersection(PixelRect(size: size)) == rect)
            for y in 0..<rect.height {
                let row = (bytes + y * stride).assumingMemoryBound(to: UInt32.self)
                for x in 0..<rect.width { pixels[(rect.y + y) * size.width + rect.x + x] = row[x] & 0xff_ffff }
            }
        }
        return damage
    }

    func colour(_ x: Int, _ y: Int) -> UInt32 { pixels[y * size.width + x] }

    func isAll(_ colour: UInt32, in rect: PixelRect) -> Bool {
        (rect.y..<rect.maxY).allSatisfy { y in (rect.x..<rect.maxX).allSatisfy { self.colour($0, y) == colour } }
    }

    /// Looks whenever the source reports a change, until `isDone`. Returns all damage seen on the way.
    @discardableResult
    func follow(
        sourceLocation: SourceLocation = #_sourceLocation, until isDone: (Watcher) -> Bool
    ) throws -> DamageRegion {
        var damage = DamageRegion(size: size)
        let deadline = MonotonicClock.now() + 300_000_000_000
        while !isDone(self) {
            guard try source.wait(until: deadline, ignoringChanges: false) == .changed else {
                Issue.record("the change never came", sourceLocation: sourceLocation)
                return damage
            }
            let seen = try look()
            if seen.size != damage.size { damage = DamageRegion(size: seen.size) }
            damage.formUnion(seen)
        }
        return damage
    }

    /// Takes whatever has been reported until now.
    func settle() throws {
        while try source.wait(until: MonotonicClock.now() + 50_000_000, ignoringChanges: false) == .changed {
            try look()
        }
    }
}
