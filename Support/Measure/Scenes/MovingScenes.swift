// The scenes that move: a video in a page, and screens of which every pixel changes.
import Glibc
import KineMedia

/// A video of 640×360 with a background that drifts, something nearer that drifts faster, and film grain.
final class VideoScene: Scene {
    private let page: DesktopPage
    private let framesPerSecond: Int
    private let place: PixelRect
    private let far = Texture(side: 1024, seed: 3, dark: Colour(0x24405A), light: Colour(0xE6EEF2), grain: 2)
    private let near = Texture(side: 512, seed: 8, dark: Colour(0x2E2114), light: Colour(0xA9BE6C), grain: 4)

    init(size: PixelSize, framesPerSecond: Int) {
        page = DesktopPage(size: size)
        self.framesPerSecond = framesPerSecond
        let width = min(640, size.width / 2)
        let height = min(360, size.height / 2)
        place = PixelRect(x: (size.width - width) / 2, y: (size.height - height) / 2, width: width, height: height)
    }

    func instant(of number: Int) -> Int64? { evenInstant(of: number, framesPerSecond: framesPerSecond) }

    func paint(_ number: Int, on canvas: Canvas) {
        page.paint(textLines: page.lines, on: canvas)
        paintFrame(number, on: canvas)
        Barcode.draw(number, on: canvas)
    }

    func advance(to number: Int, on canvas: Canvas) -> [DrawStep] {
        paintFrame(number, on: canvas)
        return [.put(place)] + Barcode.draw(number, previous: number - 1, on: canvas).map { .put($0) }
    }

    private func paintFrame(_ number: Int, on canvas: Canvas) {
        let time = Double(number) / Double(framesPerSecond)
        far.draw(fromX: Int(time * 24), y: Int(40 * sin(time * 0.7)) & 1023, in: place, on: canvas)
        // A hill's outline: nearer, so it moves faster.
        let shift = Int(time * 130)
        for column in 0..<place.width {
            let x = Double(column + shift)
            let top = Int(Double(place.height) * 0.62 + 34 * sin(x / 90) + 16 * sin(x / 37))
            near.draw(
                fromX: column + shift, y: top & 511,
                in: PixelRect(x: place.x + column, y: place.y + top, width: 1, height: place.height - top), on: canvas)
        }
        let ball = PixelRect(
            x: place.x + Int(Double(place.width) * (0.5 + 0.4 * sin(time * 1.9))) - 20,
            y: place.y + Int(Double(place.height) * (0.3 + 0.18 * cos(time * 2.7))) - 20, width: 40, height: 40)
        canvas.fill(ball.intersection(place), Colour(0xD8502C))
        grain(number, on: canvas)
    }

    /// Moves the brightness of every pixel by at most two, differently in every frame.
    private func grain(_ number: Int, on canvas: Canvas) {
        var bits: UInt64 = 0
        for line in 0..<place.height {
            let row = canvas.row(place.y + line) + place.x
            for column in 0..<place.width {
                if column & 31 == 0 { bits = IndexedRandom.bits(line &* 64 &+ column >> 5, seed: UInt64(number)) }
                // Each channel stays clear of overflow: the textures keep away from 0 and 255 by more than this.
                let lift = UInt32(bits & 3)
                bits >>= 2
                let pixel = row[column]
                row[column] = (pixel & 0xFCFCFC) &+ lift &* 0x010101
            }
        }
    }
}

/// A smooth pan over a desktop larger than the screen, with pages, photographs and gradients on it. Each second may begin
/// with a beep.
final class MotionScene: Scene {
    private let framesPerSecond: Int
    private let isBeeping: Bool
    private let world: OwnedCanvas
    private let reach: PixelSize

    init(size: PixelSize, framesPerSecond: Int, isBeeping: Bool = false) {
        self.framesPerSecond = framesPerSecond
        self.isBeeping = isBeeping
        reach = PixelSize(width: size.width / 3, height: size.height / 3)
        world = OwnedCanvas(
            size: PixelSize(width: size.width + reach.width, height: size.height + reach.height))
        MotionScene.furnish(world.canvas)
    }

    func instant(of number: Int) -> Int64? { evenInstant(of: number, framesPerSecond: framesPerSecond) }

    func beeps(at number: Int) -> Bool { isBeeping && number > 0 && number.isMultiple(of: framesPerSecond) }

    func paint(_ number: Int, on canvas: Canvas) {
        let time = Double(number) / Double(framesPerSecond)
        let x = Int((Double(reach.width) * (0.5 - 0.5 * cos(time * 0.8))).rounded())
        let y = Int((Double(reach.height) * (0.5 + 0.5 * sin(time * 0.57))).rounded())
        canvas.copy(world.canvas, PixelRect(origin: (x, y), size: canvas.size), toX: 0, y: 0)
        Barcode.draw(number, on: canvas)
    }

    private static func furnish(_ canvas: Canvas) {
        let wall = Texture(side: 1024, seed: 21, dark: Colour(0x20344A), light: Colour(0xC9A98A), grain: 3)
        wall.draw(fromX: 0, y: 0, in: canvas.bounds, on: canvas)
        let meadow = Texture(side: 512, seed: 22, dark: Colour(0x1D3A1A), light: Colour(0xDCE8A0), grain: 5)
        let font = Font(cell: PixelSize(width: 8, height: 18))
        for index in 0..<9 {
            let window = PixelRect(
                x: canvas.width * (index % 3) / 3 + 40, y: canvas.height * (index / 3) / 3 + 36,
                width: canvas.width / 3 - 90, height: canvas.height / 3 - 80)
            if index % 4 == 3 {
                meadow.draw(fromX: index * 77, y: 0, in: window, on: canvas)
            } else {
                let dark = index % 2 == 1
                canvas.fill(window, dark ? Colour(0x1E2127) : DesktopPage.paper)
                let columns = window.width / font.cell.width - 2
                for line in 0..<max(0, window.height / font.cell.height - 2) {
                    font.draw(
                        Prose.line(line, columns: columns, seed: UInt64(index)), x: window.x + 8,
                        y: window.y + 30 + line * font.cell.height, dark ? Colour(0xC9D1C0) : DesktopPage.ink,
                        on: canvas)
                }
            }
            canvas.fill(
                PixelRect(x: window.x, y: window.y, width: window.width, height: 24), Colour(0x4B6EA9))
            canvas.frame(window, Colour(0x303030), thickness: 2)
        }
    }
}

/// A part of a larger field of noise, another one each time and farther from the last than encoders look for motion.
final class NoiseScene: Scene {
    private let framesPerSecond: Int
    private let world: OwnedCanvas

    private static let reach = 1024

    init(size: PixelSize, framesPerSecond: Int) {
        self.framesPerSecond = framesPerSecond
        world = OwnedCanvas(
            size: PixelSize(width: size.width + NoiseScene.reach, height: size.height + NoiseScene.reach))
        for index in 0..<world.canvas.size.area {
            world.canvas.pixels[index] = UInt32(truncatingIfNeeded: IndexedRandom.bits(index, seed: 5)) & 0xFFFFFF
        }
    }

    func instant(of number: Int) -> Int64? { evenInstant(of: number, framesPerSecond: framesPerSecond) }

    func paint(_ number: Int, on canvas: Canvas) {
        let x = IndexedRandom.below(NoiseScene.reach, number, seed: 6)
        let y = IndexedRandom.below(NoiseScene.reach, number, seed: 7)
        canvas.copy(world.canvas, PixelRect(origin: (x, y), size: canvas.size), toX: 0, y: 0)
        Barcode.draw(number, on: canvas)
    }
}
