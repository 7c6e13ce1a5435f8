// The two quiet scenes: a page that nobody touches, and the same page while somebody types in it.
import KineMedia

/// Nothing after the first frame.
final class IdleScene: Scene {
    private let desktop: DesktopPage

    init(size: PixelSize) { desktop = DesktopPage(size: size) }

    func instant(of number: Int) -> Int64? { number == 0 ? 0 : nil }

    func paint(_ number: Int, on canvas: Canvas) {
        desktop.paint(textLines: desktop.lines, on: canvas)
        Barcode.draw(number, on: canvas)
    }
}

/// A key every tenth of a second at the end of a text; twice a second the caret disappears for 50 ms, until the next
/// key brings it back. Each such event is a frame.
final class TypingScene: Scene {
    private let desktop: DesktopPage
    /// The page above the typed lines.
    private let writtenLines: Int
    private let columns: Int
    private let typedLines: Int

    /// What happens in every second: when, in milliseconds, and how many keys of this second were struck by then.
    private static let rhythm: [(milliseconds: Int64, keys: Int, caret: Bool)] = [
        (0, 1, true), (100, 2, true), (200, 3, true), (250, 3, false), (300, 4, true), (400, 5, true),
        (500, 6, true), (600, 7, true), (700, 8, true), (750, 8, false), (800, 9, true), (900, 10, true),
    ]
    private static let keysPerSecond = 10
    /// Frame 0 is the page before the first key, this long before it.
    private static let head: Int64 = 100_000_000

    init(size: PixelSize) {
        desktop = DesktopPage(size: size)
        writtenLines = desktop.lines / 2
        typedLines = max(1, desktop.lines - writtenLines - 2)
        columns = max(1, min(96, desktop.columns - 1))
    }

    func instant(of number: Int) -> Int64? {
        guard number > 0 else { return 0 }
        let (second, event) = (number - 1).quotientAndRemainder(dividingBy: TypingScene.rhythm.count)
        return TypingScene.head + Int64(second) * 1_000_000_000 + TypingScene.rhythm[event].milliseconds * 1_000_000
    }

    func paint(_ number: Int, on canvas: Canvas) {
        desktop.paint(textLines: writtenLines, on: canvas)
        let state = state(number)
        let page = state.keys / (columns * typedLines)
        for key in page * columns * typedLines..<state.keys { drawKey(key, on: canvas) }
        if state.caret { canvas.fill(caret(after: state.keys), DesktopPage.ink) }
        Barcode.draw(number, on: canvas)
    }

    func advance(to number: Int, on canvas: Canvas) -> [DrawStep] {
        let before = state(number - 1)
        let now = state(number)
        guard now.keys / (columns * typedLines) == before.keys / (columns * typedLines) else {
            paint(number, on: canvas)
            return [.put(canvas.bounds)]
        }
        var steps: [DrawStep] = []
        let oldCaret = caret(after: before.keys)
        let newCaret = caret(after: now.keys)
        if before.caret, !now.caret || oldCaret != newCaret {
            canvas.fill(oldCaret, DesktopPage.paper)
            if now.keys == before.keys || oldCaret.y != newCaret.y { steps.append(.put(oldCaret)) }
        }
        if now.keys > before.keys {
            drawKey(before.keys, on: canvas)
            let cell = cell(of: before.keys)
            // An editor repaints the cell together with the caret beside it.
            let right = newCaret.y == cell.y ? newCaret.maxX : cell.maxX
            if now.caret { canvas.fill(newCaret, DesktopPage.ink) }
            steps.append(.put(PixelRect(x: cell.x, y: cell.y, width: right - cell.x, height: cell.height)))
            if newCaret.y != cell.y { steps.append(.put(newCaret)) }
        }
        return steps + Barcode.draw(number, previous: number - 1, on: canvas).map { .put($0) }
    }

    private func state(_ number: Int) -> (keys: Int, caret: Bool) {
        guard number > 0 else { return (0, true) }
        let (second, event) = (number - 1).quotientAndRemainder(dividingBy: TypingScene.rhythm.count)
        let entry = TypingScene.rhythm[event]
        return (second * TypingScene.keysPerSecond + entry.keys, entry.caret)
    }

    private func cell(of key: Int) -> PixelRect {
        let place = key % (columns * typedLines)
        let line = desktop.line(writtenLines + 1 + place / columns)
        return PixelRect(
            x: line.x + place % columns * desktop.body.cell.width, y: line.y, width: desktop.body.cell.width,
            height: desktop.body.cell.height)
    }

    /// The caret stands before the cell of the key that comes next.
    private func caret(after keys: Int) -> PixelRect {
        let next = cell(of: keys)
        return PixelRect(x: next.x, y: next.y, width: 2, height: next.height)
    }

    private func drawKey(_ key: Int, on canvas: Canvas) {
        let line = Prose.line(key / columns, columns: columns, seed: 11)
        let column = key % columns
        guard column < line.count else { return }
        let cell = cell(of: key)
        desktop.body.draw([line[column]], x: cell.x, y: cell.y, DesktopPage.ink, on: canvas)
    }
}
