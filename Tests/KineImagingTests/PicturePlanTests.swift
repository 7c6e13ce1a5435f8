// Pictures drawn part by part: byte for byte as when drawn at once, and like those of a slow reference.
import CoreTesting
import KineMedia
import Testing

@testable import KineImaging

@Suite struct PicturePlanTests {
    /// BGRA pixels of a part of the picture.
    private func drawn(_ rect: PixelRect, _ plan: PicturePlan, _ screen: TestScreen) -> [UInt8] {
        var bytes = [UInt8](repeating: 0x55, count: rect.size.area * 4)
        screen.withPixels(at: PixelRect(size: screen.size)) { pixels, stride in
            bytes.withUnsafeMutableBytes {
                plan.draw(rect, of: .bgra(base: pixels, stride: stride), to: $0.baseAddress!, stride: rect.width * 4)
            }
        }
        return bytes
    }

    private func scribbled(_ size: PixelSize, seed: UInt64) -> TestScreen {
        var generator = SeededGenerator(seed: seed)
        var screen = TestScreen(size: size)
        screen.scribble(PixelRect(size: size), using: &generator)
        return screen
    }

    private static let crops: [PictureGeometry.Crop] = [.fit, .fill, .part(PixelRect(x: 1, y: 2, width: 5, height: 3))]

    @Test(arguments: Orientation.allCases)
    func `every part of a small picture is as in the whole`(orientation: Orientation) {
        for (width, height) in [(1, 1), (2, 5), (7, 4), (9, 9), (17, 3)] {
            let screen = scribbled(PixelSize(width: width, height: height), seed: 3)
            for (targetWidth, targetHeight) in [(1, 1), (3, 2), (7, 4), (8, 13), (19, 5)] {
                let size = PixelSize(width: targetWidth, height: targetHeight)
                for crop in Self.crops {
                    let plan = PicturePlan(
                        PictureGeometry(source: screen.size, orientation: orientation, crop: crop, size: size))
                    let whole = drawn(PixelRect(size: size), plan, screen)
                    for x in 0..<size.width {
                        for y in 0..<size.height {
                            for right in Set([x + 1, min(x + 4, size.width), size.width]) {
                                for bottom in Set([y + 1, min(y + 3, size.height), size.height]) {
                                    let rect = PixelRect(x: x, y: y, width: right - x, height: bottom - y)
                                    let part = drawn(rect, plan, screen)
                                    guard part == cut(rect, of: whole, size) else {
                                        Issue.record("\(rect) of \(plan.geometry)")
                                        return
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test(.tags(.slow), arguments: Orientation.allCases)
    func `parts of large pictures are as in the whole`(orientation: Orientation) {
        var generator = SeededGenerator(seed: 5)
        let sizes = [(320, 200), (241, 181), (635, 477), (64, 700), (1001, 333), (1920, 1080)]
        for (width, height) in sizes {
            let screen = scribbled(PixelSize(width: width, height: height), seed: UInt64(width))
            for (targetWidth, targetHeight) in [(120, 90), (161, 201), (540, 960), (width, height), (height, width)] {
                let size = PixelSize(width: targetWidth, height: targetHeight)
                let upright = orientation.turned(screen.size)
                let part = PixelRect(
                    x: Int.random(in: 0..<upright.width / 2, using: &generator),
                    y: Int.random(in: 0..<upright.height / 2, using: &generator), width: upright.width / 2 - 1,
                    height: upright.height / 2 - 1)
                for crop in [.fit, .fill, .part(part)] as [PictureGeometry.Crop] {
                    let plan = PicturePlan(
                        PictureGeometry(source: screen.size, orientation: orientation, crop: crop, size: size))
                    let whole = drawn(PixelRect(size: size), plan, screen)
                    for _ in 0..<12 {
                        let x = Int.random(in: 0..<size.width, using: &generator)
                        let y = Int.random(in: 0..<size.height, using: &generator)
                        let rect = PixelRect(
                            x: x, y: y, width: Int.random(in: 1...min(200, size.width - x), using: &generator),
                            height: Int.random(in: 1...min(70, size.height - y), using: &generator))
                        guard drawn(rect, plan, screen) == cut(rect, of: whole, size) else {
                            Issue.record("\(rect) of \(plan.geometry)")
                            return
                        }
                    }
                }
            }
        }
    }

    private func cut(_ rect: PixelRect, of whole: [UInt8], _ size: PixelSize) -> [UInt8] {
        (rect.y..<rect.maxY).flatMap { whole[($0 * size.width + rect.x) * 4..<($0 * size.width + rect.maxX) * 4] }
    }

    @Test(arguments: Orientation.allCases)
    func `a picture is like that of the reference`(orientation: Orientation) {
        let screen = TestScreen(page: PixelSize(width: 317, height: 203))
        let upright = orientation.turned(screen.size)
        let crops: [(PictureGeometry.Crop, PixelSize?)] = [
            (.fit, nil), (.part(PixelRect(x: 33, y: 17, width: 101, height: 80)), nil),
            (.fit, PixelSize(width: 160, height: 120)), (.fit, PixelSize(width: 400, height: 300)),
            (.fit, PixelSize(width: 54, height: 96)), (.fill, PixelSize(width: 108, height: 192)),
            (.fill, PixelSize(width: 320, height: 180)),
            (.part(PixelRect(x: 20, y: 30, width: 90, height: 121)), PixelSize(width: 64, height: 64)),
        ]
        for (crop, size) in crops {
            let geometry = PictureGeometry(source: screen.size, orientation: orientation, crop: crop, size: size)
            let shown = geometry.orientation.turned(geometry.part, of: screen.size)
            let reference = ReferencePicture(
                screen, orientation: orientation, part: shown, place: geometry.place, in: geometry.size)
            let picture = drawn(PixelRect(size: geometry.size), PicturePlan(geometry), screen)
            let likeness = reference.likeness(of: picture)
            #expect(likeness >= 45, "\(likeness) dB, \(geometry)")
            if geometry.part.size == geometry.scaledSize { #expect(likeness == .infinity, "\(geometry)") }
            #expect(crop != .fit || shown.size == upright)
        }
    }
}
