// The picture in which a person draws a region: a still picture of the screen, dark except for the region. Pure.
import CYUV
import KineMedia

/// The place of a picture in a window: as large as fits, in the middle. The window has `scale` × `scale` pixels for
/// each unit of the mouse's coordinates.
package struct PictureFit: Equatable {
    let picture: PixelSize
    package let window: PixelSize
    package let scale: Int
    /// The picture's rectangle, in the window's pixels.
    let place: PixelRect

    /// - Parameter surface: the window's size in the mouse's units. Its pixels are at least as dense as the picture's.
    package init(_ picture: PixelSize, in surface: PixelSize) {
        self.picture = picture
        let factor = max(
            (picture.width + surface.width - 1) / surface.width, (picture.height + surface.height - 1) / surface.height)
        // Above any monitor's density. A window much smaller than the picture need not show all its pixels.
        scale = min(max(1, factor), 4)
        window = PixelSize(width: surface.width * scale, height: surface.height * scale)
        let size = picture.aspectFit(into: window)
        place = PixelRect(
            origin: ((window.width - size.width) / 2, (window.height - size.height) / 2), size: size)
    }

    /// The picture's pixel at a mouse position, which may lie outside.
    package func point(x: Double, y: Double) -> PixelPoint {
        func pixel(_ value: Double, _ start: Int, _ side: Int, _ pixels: Int) -> Int {
            Int(((value * Double(scale) - Double(start)) * Double(pixels) / Double(side)).rounded(.down))
        }
        return PixelPoint(
            x: pixel(x, place.x, place.width, picture.width), y: pixel(y, place.y, place.height, picture.height))
    }

    /// The window's pixels for a part of the picture.
    func windowRect(of rect: PixelRect) -> PixelRect {
        func side(_ first: Int, _ end: Int, _ start: Int, _ side: Int, _ pixels: Int) -> (Int, Int) {
            (start + first * side / pixels, start + (end * side + pixels - 1) / pixels)
        }
        let (left, right) = side(rect.x, rect.maxX, place.x, place.width, picture.width)
        let (top, bottom) = side(rect.y, rect.maxY, place.y, place.height, picture.height)
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}

/// The pixels of that window: words of 0xRRGGBB. The highest byte is unused.
package struct RegionPicture {
    package enum Content: Equatable {
        /// A line of text beside a point of the window.
        case hint(PixelPoint)
        /// A bright part of the picture, with its size beside it.
        case selection(PixelRect)
    }

    static let hint = "Drag over the part to capture. Escape cancels."

    package let fit: PictureFit
    /// The window's bright contents: the picture with black around; rows packed.
    private let bright: [UInt32]
    /// Nil without cairo or a font.
    private let text: KeyBadge?
    private let hintImage: OverlayImage?

    /// - Parameter pixels: of the upright picture, rows packed.
    package init(_ pixels: [UInt32], fit: PictureFit) {
        self.fit = fit
        bright = Self.fitted(pixels, fit)
        // The text looks equally large on a dense monitor.
        text = try? KeyBadge(frameHeight: fit.window.height)
        hintImage = text?.image(of: Self.hint)
    }

    private static func fitted(_ pixels: [UInt32], _ fit: PictureFit) -> [UInt32] {
        if fit.place.size == fit.picture, fit.place.size == fit.window { return pixels }
        var result = [UInt32](repeating: 0, count: fit.window.area)
        let (picture, place, window) = (fit.picture, fit.place, fit.window)
        result.withUnsafeMutableBytes { target in
            pixels.withUnsafeBytes { source in
                guard let target = target.baseAddress, let source = source.baseAddress else { return }
                let first = target + (place.y * window.width + place.x) * 4
                _ = ARGBScale(
                    source.assumingMemoryBound(to: UInt8.self), Int32(picture.width * 4), Int32(picture.width),
                    Int32(picture.height), first.assumingMemoryBound(to: UInt8.self), Int32(window.width * 4),
                    Int32(place.width), Int32(place.height), kFilterBox)
            }
        }
        return result
    }

    /// Draws `content` into the pixels of a window.
    ///
    /// - Parameter drawn: the part of the pixels that differs from the dark picture; nil: nothing was drawn yet.
    package func draw(_ content: Content, on pixels: UnsafeMutablePointer<UInt32>, over drawn: inout PixelRect?) {
        let whole = PixelRect(size: fit.window)
        copy(drawn ?? whole, to: pixels, isDark: true)
        let new =
            switch content {
            case .hint(let point): drawHint(beside: point, on: pixels)
            case .selection(let rect): draw(rect, on: pixels)
            }
        drawn = new.intersection(whole)
    }

    private func draw(_ selection: PixelRect, on pixels: UnsafeMutablePointer<UInt32>) -> PixelRect {
        guard !selection.isEmpty else { return selection }
        let rect = fit.windowRect(of: selection).intersection(PixelRect(size: fit.window))
        copy(rect, to: pixels, isDark: false)
        let width = fit.scale
        let frame = PixelRect(
            x: rect.x - width, y: rect.y - width, width: rect.width + 2 * width, height: rect.height + 2 * width)
        for (x, y, sideWidth, sideHeight) in [
            (frame.x, frame.y, frame.width, width), (frame.x, rect.maxY, frame.width, width),
            (frame.x, frame.y, width, frame.height), (rect.maxX, frame.y, width, frame.height),
        ] {
            fill(PixelRect(x: x, y: y, width: sideWidth, height: sideHeight), on: pixels)
        }
        guard let label = text?.image(of: "\(selection.width)x\(selection.height)") else { return frame }
        // Above the rectangle if there is room, otherwise inside.
        let top = frame.y - label.size.height
        let origin = (x: rect.x, y: top >= 0 ? top : rect.y + width)
        return frame.union(draw(label, at: origin, on: pixels))
    }

    private func drawHint(
        beside point: PixelPoint, on pixels: UnsafeMutablePointer<UInt32>
    ) -> PixelRect {
        guard let hintImage else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        let distance = 20 * fit.scale
        return draw(hintImage, at: (point.x + distance, point.y + distance), on: pixels)
    }

    /// Draws an image within the window. Returns its rectangle.
    private func draw(
        _ image: OverlayImage, at origin: (x: Int, y: Int), on pixels: UnsafeMutablePointer<UInt32>
    ) -> PixelRect {
        let window = fit.window
        let origin = (
            x: max(0, min(origin.x, window.width - image.size.width)),
            y: max(0, min(origin.y, window.height - image.size.height))
        )
        image.draw(
            at: origin, over: UnsafeMutableRawPointer(pixels), stride: window.width * 4, area: PixelRect(size: window))
        return PixelRect(origin: origin, size: image.size)
    }

    private func copy(_ rect: PixelRect, to pixels: UnsafeMutablePointer<UInt32>, isDark: Bool) {
        let width = fit.window.width
        bright.withUnsafeBufferPointer { bright in
            for y in rect.y..<rect.maxY {
                let row = y * width
                if isDark {
                    for index in row + rect.x..<row + rect.maxX { pixels[index] = bright[index] >> 1 & 0x7f_7f7f }
                } else {
                    for index in row + rect.x..<row + rect.maxX { pixels[index] = bright[index] }
                }
            }
        }
    }

    private func fill(_ rect: PixelRect, on pixels: UnsafeMutablePointer<UInt32>) {
        let rect = rect.intersection(PixelRect(size: fit.window))
        guard !rect.isEmpty else { return }
        for y in rect.y..<rect.maxY {
            for x in rect.x..<rect.maxX { pixels[y * fit.window.width + x] = 0xff_ffff }
        }
    }
}
