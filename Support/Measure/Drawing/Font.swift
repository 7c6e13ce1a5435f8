// Letters as pixels: the stroke font drawn once per size with soft edges, as desktops show text, then copied.
import KineMedia

/// One size of the fixed-width font.
public final class Font {
    /// The size of a character's cell in pixels.
    public let cell: PixelSize
    /// Coverage from 0 to 255 of every cell, one after another, from the space on.
    private let coverage: [UInt8]

    private static let first: UInt8 = 32
    private static let count = 95

    /// `cell` is the advance and the height of a line in pixels; the strokes are about an eighth of the advance thick.
    public init(cell: PixelSize) {
        self.cell = cell
        let radius = max(0.55, Float(cell.width) * 0.07)
        var coverage = [UInt8](repeating: 0, count: cell.area * Font.count)
        for index in 1..<Font.count {
            let segments = Font.segments(of: Font.first + UInt8(index), cell: cell)
            for y in 0..<cell.height {
                for x in 0..<cell.width {
                    let nearest = segments.reduce(Float.greatestFiniteMagnitude) {
                        min($0, $1.distance(toX: Float(x) + 0.5, y: Float(y) + 0.5))
                    }
                    let cover = max(0, min(1, radius + 0.5 - nearest))
                    coverage[index * cell.area + y * cell.width + x] = UInt8(cover * 255)
                }
            }
        }
        self.coverage = coverage
    }

    /// A straight part of a stroke, in pixels of a cell.
    private struct Segment {
        var fromX: Float
        var fromY: Float
        var toX: Float
        var toY: Float

        func distance(toX x: Float, y: Float) -> Float {
            let dx = self.toX - fromX
            let dy = self.toY - fromY
            let length = dx * dx + dy * dy
            let along = length == 0 ? 0 : max(0, min(1, ((x - fromX) * dx + (y - fromY) * dy) / length))
            let ex = x - fromX - along * dx
            let ey = y - fromY - along * dy
            return (ex * ex + ey * ey).squareRoot()
        }
    }

    private static func segments(of character: UInt8, cell: PixelSize) -> [Segment] {
        // The glyphs' grid of 4 by 8 fills two thirds of the cell; the rest is the space between letters and lines.
        let scaleX = Float(cell.width) * 0.66 / 4
        let scaleY = Float(cell.height) * 0.70 / 8
        let left = Float(cell.width) * 0.17
        let top = Float(cell.height) * 0.13
        return GlyphStrokes.strokes(of: character).flatMap { stroke in
            zip(stroke, stroke.dropFirst()).map { a, b in
                Segment(
                    fromX: left + a.x * scaleX, fromY: top + a.y * scaleY, toX: left + b.x * scaleX,
                    toY: top + b.y * scaleY)
            }
        }
    }

    /// Draws ASCII `text` with its first cell's corner on (`x`, `y`), mixed over what is there. A character that the font
    /// does not have leaves its cell as it is.
    public func draw(_ text: some Sequence<UInt8>, x: Int, y: Int, _ colour: Colour, on canvas: Canvas) {
        var cellX = x
        for character in text {
            drawCell(character, x: cellX, y: y, colour, on: canvas)
            cellX += cell.width
        }
    }

    public func draw(_ text: String, x: Int, y: Int, _ colour: Colour, on canvas: Canvas) {
        draw(text.utf8, x: x, y: y, colour, on: canvas)
    }

    private func drawCell(_ character: UInt8, x: Int, y: Int, _ colour: Colour, on canvas: Canvas) {
        let index = Int(character) - Int(Font.first)
        guard index > 0, index < Font.count else { return }
        let visible = PixelRect(x: x, y: y, width: cell.width, height: cell.height).intersection(canvas.bounds)
        guard !visible.isEmpty else { return }
        coverage.withUnsafeBufferPointer { coverage in
            for line in visible.y..<visible.maxY {
                let row = canvas.row(line)
                let start = index * cell.area + (line - y) * cell.width - x
                for column in visible.x..<visible.maxX {
                    let cover = UInt32(coverage[start + column])
                    if cover == 0 { continue }
                    row[column] = Font.mix(row[column], colour.pixel, cover)
                }
            }
        }
    }

    /// `over` on top of `under` with `cover` of 255.
    private static func mix(_ under: UInt32, _ over: UInt32, _ cover: UInt32) -> UInt32 {
        func channel(_ shift: UInt32) -> UInt32 {
            let a = under >> shift & 255
            let b = over >> shift & 255
            return ((a * (255 - cover) + b * cover + 127) / 255) << shift
        }
        return channel(0) | channel(8) | channel(16)
    }
}
