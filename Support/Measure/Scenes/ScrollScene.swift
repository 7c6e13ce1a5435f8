// A terminal over the right half of the screen, into which a program prints: one line a frame.
import KineMedia

/// The window is moved up by a line as terminals do it, by copying within itself, and only the new line is drawn.
final class ScrollScene: Scene {
    private let page: DesktopPage
    private let framesPerSecond: Int
    private let font = Font(cell: PixelSize(width: 8, height: 18))
    private let area: PixelRect
    private let rows: Int
    private let columns: Int

    private static let background = Colour(0x14161B)
    private static let colours = [
        Colour(0xD0D0D0), Colour(0x8FBF6A), Colour(0xD0D0D0), Colour(0x6FA8DC), Colour(0xE0B050), Colour(0xD0D0D0),
    ]

    init(size: PixelSize, framesPerSecond: Int) {
        page = DesktopPage(size: size)
        self.framesPerSecond = framesPerSecond
        let left = max(Barcode.bounds.maxX + 16, size.width / 2)
        rows = max(1, size.height / font.cell.height)
        area = PixelRect(x: left, y: 0, width: max(1, size.width - left), height: rows * font.cell.height)
        columns = area.width / font.cell.width - 1
    }

    func instant(of number: Int) -> Int64? { evenInstant(of: number, framesPerSecond: framesPerSecond) }

    func paint(_ number: Int, on canvas: Canvas) {
        page.paint(textLines: page.lines, on: canvas)
        canvas.fill(
            PixelRect(x: area.x, y: 0, width: area.width, height: canvas.height), ScrollScene.background)
        for row in 0..<rows { drawLine(number + row, row: row, on: canvas) }
        Barcode.draw(number, on: canvas)
    }

    func advance(to number: Int, on canvas: Canvas) -> [DrawStep] {
        canvas.scrollUp(area, by: font.cell.height)
        let last = PixelRect(
            x: area.x, y: area.maxY - font.cell.height, width: area.width, height: font.cell.height)
        canvas.fill(last, ScrollScene.background)
        drawLine(number + rows - 1, row: rows - 1, on: canvas)
        let barcode = Barcode.draw(number, previous: number - 1, on: canvas)
        return [.scrollUp(area, rows: font.cell.height), .put(last)] + barcode.map { .put($0) }
    }

    private func drawLine(_ line: Int, row: Int, on canvas: Canvas) {
        let colour = ScrollScene.colours[IndexedRandom.below(ScrollScene.colours.count, line, seed: 31)]
        font.draw(
            Prose.logLine(line, columns: columns, seed: 17), x: area.x + 6, y: area.y + row * font.cell.height, colour,
            on: canvas)
    }
}
