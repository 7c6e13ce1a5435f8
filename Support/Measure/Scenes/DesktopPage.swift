// The still part of most scenes: a window with a page of text beside a list, a photograph and a few buttons, as a desktop
// looks to an encoder.
import KineMedia

/// Paints the page, always the same one for the same size.
public struct DesktopPage {
    public let size: PixelSize
    let body = Font(cell: PixelSize(width: 8, height: 18))
    private let heading = Font(cell: PixelSize(width: 18, height: 36))
    private let photograph = Texture(
        side: 256, seed: 42, dark: Colour(0x1B2A38), light: Colour(0xE8D8B0), grain: 3)

    /// Where the lines of text stand.
    let text: PixelRect

    static let paper = Colour(0xFDFDFB)
    static let ink = Colour(0x1D1F21)

    private static let sideBar = 272
    private static let titleBar = 64

    init(size: PixelSize) {
        self.size = size
        text = PixelRect(
            x: DesktopPage.sideBar + 32, y: DesktopPage.titleBar + 72,
            width: max(0, size.width - DesktopPage.sideBar - 64),
            height: max(0, size.height - DesktopPage.titleBar - 88))
    }

    /// The columns and lines that fit the text's area.
    var columns: Int { text.width / body.cell.width }
    var lines: Int { text.height / body.cell.height }

    /// Where line `index` of the text stands.
    func line(_ index: Int) -> PixelRect {
        PixelRect(x: text.x, y: text.y + index * body.cell.height, width: text.width, height: body.cell.height)
    }

    /// Paints the page with the first `textLines` lines of text; the others stay blank.
    func paint(textLines: Int, on canvas: Canvas) {
        canvas.fill(canvas.bounds, DesktopPage.paper)
        paintTitleBar(on: canvas)
        paintSideBar(on: canvas)
        heading.draw(
            "On keeping pictures and sound together", x: text.x, y: DesktopPage.titleBar + 20, DesktopPage.ink,
            on: canvas)
        for index in 0..<min(textLines, lines) {
            // A paragraph is seven lines; the last one is short and an empty line follows.
            if index % 8 == 7 { continue }
            let width = index % 8 == 6 ? columns / 2 : columns
            let place = line(index)
            body.draw(Prose.line(index, columns: width, seed: 5), x: place.x, y: place.y, DesktopPage.ink, on: canvas)
        }
    }

    private func paintTitleBar(on canvas: Canvas) {
        canvas.fill(PixelRect(x: 0, y: 0, width: size.width, height: DesktopPage.titleBar), Colour(0xDEDEDE))
        canvas.fill(PixelRect(x: 0, y: DesktopPage.titleBar - 1, width: size.width, height: 1), Colour(0xA8A8A8))
        body.draw("report-final.txt - Editor", x: 320, y: 24, Colour(0x333333), on: canvas)
        for (index, colour) in [Colour(0x4C9A52), Colour(0xD9A33A), Colour(0xC64B40)].enumerated() {
            let button = PixelRect(x: size.width - 104 + index * 32, y: 22, width: 20, height: 20)
            canvas.fill(button, colour)
            canvas.frame(button, Colour(0x555555))
        }
    }

    private func paintSideBar(on canvas: Canvas) {
        let bar = PixelRect(
            x: 0, y: DesktopPage.titleBar, width: DesktopPage.sideBar, height: size.height - DesktopPage.titleBar)
        canvas.fill(bar, Colour(0x2B303B))
        photograph.draw(
            fromX: 0, y: 0,
            in: PixelRect(x: 16, y: DesktopPage.titleBar + 16, width: DesktopPage.sideBar - 32, height: 160),
            on: canvas)
        var y = DesktopPage.titleBar + 196
        var index = 0
        while y + body.cell.height < size.height {
            let name = Prose.line(index, columns: 26, seed: 99)
            if index == 4 {
                canvas.fill(PixelRect(x: 8, y: y - 2, width: DesktopPage.sideBar - 16, height: 22), Colour(0x3D6FB4))
            }
            body.draw(name, x: 20, y: y, Colour(0xC8CED8), on: canvas)
            y += 24
            index += 1
        }
    }
}
