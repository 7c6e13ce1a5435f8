// The scenes that tests measure by: colours of known value, a flash at a known instant, a running clock.
import KineMedia

/// Eight vertical bars; the barcode stands on the first.
public final class BarsScene: Scene {
    private let size: PixelSize

    /// From left to right.
    public static let colours = [
        Colour(0xFFFFFF), Colour(0xFFFF00), Colour(0x00FFFF), Colour(0x00FF00), Colour(0xFF00FF), Colour(0xFF0000),
        Colour(0x0000FF), Colour(0x404040),
    ]

    init(size: PixelSize) { self.size = size }

    public func instant(of number: Int) -> Int64? { number == 0 ? 0 : nil }

    public func paint(_ number: Int, on canvas: Canvas) {
        for (index, colour) in BarsScene.colours.enumerated() {
            canvas.fill(BarsScene.bar(index, size: size), colour)
        }
        Barcode.draw(number, on: canvas)
    }

    /// Where bar `index` stands in a frame of `size`.
    public static func bar(_ index: Int, size: PixelSize) -> PixelRect {
        let left = size.width * index / colours.count
        return PixelRect(x: left, y: 0, width: size.width * (index + 1) / colours.count - left, height: size.height)
    }
}

/// White for a tenth of a second and black otherwise. Odd frames are white and begin together with a beep.
public final class FlashScene: Scene {
    /// The time from one flash to the next.
    public enum Rhythm: Sendable {
        case second, random
        /// Half a second. The first flash comes at once, and each second beep lasts three times as long.
        case half
    }

    private let rhythm: Rhythm

    /// How long flash and beep last, in nanoseconds.
    public static let length: Int64 = 100_000_000

    public init(_ rhythm: Rhythm) { self.rhythm = rhythm }

    /// From frame 0 to the first flash: time for a recorder to start, or to show the black before it.
    private var head: Int64 { rhythm == .half ? FlashScene.length : 1_000_000_000 }

    /// How long the beep of a frame lasts, in nanoseconds.
    public func beepLength(at number: Int) -> Int64 {
        rhythm == .half && number / 2 % 2 == 1 ? 3 * FlashScene.length : FlashScene.length
    }

    public func instant(of number: Int) -> Int64? {
        guard number > 0 else { return 0 }
        let flash = (number - 1) / 2
        var start = head
        switch rhythm {
        case .second: start += Int64(flash) * 1_000_000_000
        case .half: start += Int64(flash) * 500_000_000
        case .random:
            for index in 0..<flash { start += Int64(700 + IndexedRandom.below(1000, index, seed: 77)) * 1_000_000 }
        }
        return start + (number % 2 == 1 ? 0 : FlashScene.length)
    }

    public func beeps(at number: Int) -> Bool { number % 2 == 1 }

    public func paint(_ number: Int, on canvas: Canvas) {
        canvas.fill(canvas.bounds, number % 2 == 1 ? .white : .black)
        Barcode.draw(number, on: canvas)
    }
}

/// Minutes, seconds and thousandths since frame 0, as the frame's number has them.
final class ClockScene: Scene {
    private let framesPerSecond: Int
    private let digits: Font

    init(size: PixelSize, framesPerSecond: Int) {
        self.framesPerSecond = framesPerSecond
        let width = max(8, size.width / 12)
        digits = Font(cell: PixelSize(width: width, height: width * 2))
    }

    func instant(of number: Int) -> Int64? { evenInstant(of: number, framesPerSecond: framesPerSecond) }

    func paint(_ number: Int, on canvas: Canvas) {
        canvas.fill(canvas.bounds, DesktopPage.paper)
        let milliseconds = Int(evenInstant(of: number, framesPerSecond: framesPerSecond) / 1_000_000)
        func padded(_ value: Int, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let text =
            padded(milliseconds / 60_000, 2) + ":" + padded(milliseconds / 1000 % 60, 2) + "."
            + padded(milliseconds % 1000, 3)
        digits.draw(
            text, x: (canvas.width - text.count * digits.cell.width) / 2, y: (canvas.height - digits.cell.height) / 2,
            DesktopPage.ink, on: canvas)
        Barcode.draw(number, on: canvas)
    }
}
