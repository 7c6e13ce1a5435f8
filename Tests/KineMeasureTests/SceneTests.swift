// The frames that scenes draw are a function of the frame's number.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import Testing

@Suite(.tags(.long)) struct SceneTests {
    /// A window that does what an X server does with the steps.
    private final class Window {
        let buffer: OwnedCanvas
        init(size: PixelSize) { buffer = OwnedCanvas(size: size) }

        func show(_ steps: [DrawStep], from canvas: Canvas) {
            for step in steps {
                switch step {
                case .put(let rect): buffer.canvas.copy(canvas, rect, toX: rect.x, y: rect.y)
                case .scrollUp(let rect, let rows): buffer.canvas.scrollUp(rect, by: rows)
                }
            }
        }
    }

    @Test(arguments: SceneKind.allCases)
    func `a window that follows the steps shows each frame whole`(kind: SceneKind) {
        let size = PixelSize(width: 640, height: 480)
        let scene = kind.make(size: size, framesPerSecond: 30)
        let drawn = OwnedCanvas(size: size)
        let truth = OwnedCanvas(size: size)
        let window = Window(size: size)
        scene.paint(0, on: drawn.canvas)
        window.show([.put(drawn.canvas.bounds)], from: drawn.canvas)
        // Typing fills its lines after some hundred keys and begins a new page.
        for number in 1...(kind == .typing ? 700 : 40) {
            guard scene.instant(of: number) != nil else { break }
            window.show(scene.advance(to: number, on: drawn.canvas), from: drawn.canvas)
            if kind == .typing, number > 100, number % 7 != 0 { continue }
            scene.paint(number, on: truth.canvas)
            // Not pixel by pixel, which takes most of the time in a debug build.
            let same = memcmp(window.buffer.canvas.pixels, truth.canvas.pixels, size.area * 4) == 0
            #expect(same, "\(kind.rawValue), frame \(number)")
            #expect(Barcode.read(LumaFrame(truth.canvas)) == number)
        }
    }

    @Test(arguments: SceneKind.allCases)
    func `instants grow`(kind: SceneKind) {
        let scene = kind.make(size: PixelSize(width: 640, height: 480), framesPerSecond: 60, randomIntervals: true)
        var last: Int64 = -1
        for number in 0..<200 {
            guard let instant = scene.instant(of: number) else { break }
            #expect(instant > last)
            last = instant
        }
    }

    @Test func `typing strikes ten keys a second`() {
        let scene = SceneKind.typing.make(size: PixelSize(width: 640, height: 480))
        let frames = (1...).prefix { (scene.instant(of: $0) ?? .max) <= 10_000_000_000 }.count
        #expect(frames == 120)  // ten keys and two blinks a second
    }

    @Test func `a metronome beeps with every second's first frame`() {
        let scene = SceneKind.metronome.make(size: PixelSize(width: 640, height: 480), framesPerSecond: 25)
        #expect((0...100).filter { scene.beeps(at: $0) } == [25, 50, 75, 100])
        #expect(SceneKind.allCases.filter(\.hasAudio) == [.flash, .metronome])
    }

    @Test func `letters are visible and different`() {
        let font = Font(cell: PixelSize(width: 8, height: 18))
        var seen: Set<[UInt32]> = []
        for character in UInt8(33)...126 {
            let buffer = OwnedCanvas(size: font.cell)
            font.draw([character], x: 0, y: 0, .white, on: buffer.canvas)
            let pixels = Array(UnsafeBufferPointer(start: buffer.canvas.pixels, count: font.cell.area))
            #expect(pixels.contains { $0 & 255 > 128 }, "\(UnicodeScalar(character))")
            #expect(seen.insert(pixels).inserted, "\(UnicodeScalar(character)) looks like another")
        }
    }
}
