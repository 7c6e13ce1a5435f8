// A frame's number, written into it so that it can be read back from a recording of it.
import KineMedia

/// Two rows of sixteen black or white squares, each the size of a macroblock and aligned to one: a white and a black
/// square to measure against, 24 bits of the number, most significant first, and six check bits. It survives 4:2:0 and
/// a coarse quantiser because only the middle of each square is looked at.
public enum Barcode {
    /// Pixels on each side of a square.
    public static let cell = 16
    public static let columns = 16
    public static let rows = 2
    /// Where it stands on every frame.
    public static let bounds = PixelRect(x: 16, y: 16, width: columns * cell, height: rows * cell)
    /// Numbers from zero to one less than this can be written.
    public static let limit = 1 << 24

    private static let dataBits = 24
    private static let checkBits = 6

    /// Draws `number` and returns the parts that differ from the barcode of `previous`; all of it where that is nil.
    @discardableResult
    public static func draw(_ number: Int, previous: Int? = nil, on canvas: Canvas) -> [PixelRect] {
        let now = squares(number)
        let before = previous.map(squares)
        var changed: [PixelRect] = []
        for row in 0..<rows {
            var first = columns
            var last = -1
            for column in 0..<columns {
                let index = row * columns + column
                if let before, before[index] == now[index] { continue }
                first = min(first, column)
                last = max(last, column)
                canvas.fill(square(index), now[index] ? .white : .black)
            }
            guard last >= first else { continue }
            changed.append(
                PixelRect(
                    x: bounds.x + first * cell, y: bounds.y + row * cell, width: (last - first + 1) * cell, height: cell
                ))
        }
        return changed
    }

    /// Reads the number from a frame's luma; nil where there is none, or only part of one.
    public static func read(_ luma: LumaFrame) -> Int? {
        guard luma.size.width >= bounds.maxX, luma.size.height >= bounds.maxY else { return nil }
        let levels = (0..<columns * rows).map { level(of: $0, in: luma) }
        let white = levels[0]
        let black = levels[1]
        guard white - black >= 60 else { return nil }
        var bits: UInt32 = 0
        for level in levels[2...] {
            // A square that is neither black nor white belongs to a frame that was caught half drawn.
            let share = Double(level - black) / Double(white - black)
            guard share < 0.35 || share > 0.65 else { return nil }
            bits = bits << 1 | (share > 0.5 ? 1 : 0)
        }
        let number = Int(bits >> checkBits)
        return check(number) == Int(bits & 63) ? number : nil
    }

    private static func square(_ index: Int) -> PixelRect {
        PixelRect(
            x: bounds.x + index % columns * cell, y: bounds.y + index / columns * cell, width: cell, height: cell)
    }

    private static func squares(_ number: Int) -> [Bool] {
        let bits = (number & (limit - 1)) << checkBits | check(number & (limit - 1))
        return [true, false] + (0..<dataBits + checkBits).map { bits >> (dataBits + checkBits - 1 - $0) & 1 == 1 }
    }

    /// A remainder by 61, to which 2 is a primitive root: numbers one or two bits apart have different ones.
    private static func check(_ number: Int) -> Int { (number &* 37 + 11) % 61 }

    private static func level(of index: Int, in luma: LumaFrame) -> Int {
        let inner = square(index)
        var sum = 0
        for y in inner.y + 4..<inner.maxY - 4 {
            for x in inner.x + 4..<inner.maxX - 4 { sum += Int(luma.pixels[y * luma.size.width + x]) }
        }
        return sum / ((cell - 8) * (cell - 8))
    }
}
