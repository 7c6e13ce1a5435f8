// The picture in which a region is drawn: where it lies in a window, and what is shown of it.
import KineMedia
import Testing

@testable import KineCapture

@Suite struct RegionPictureTests {
    typealias Point = PixelPoint

    private func fit(_ picture: (Int, Int), in surface: (Int, Int)) -> PictureFit {
        PictureFit(
            PixelSize(width: picture.0, height: picture.1), in: PixelSize(width: surface.0, height: surface.1))
    }

    // MARK: The place

    @Test(
        arguments: [
            // The same size; a dense monitor; one with a factor of 1.5, whose window has more pixels than the picture.
            ((640, 480), (640, 480), 1, PixelRect(x: 0, y: 0, width: 640, height: 480)),
            ((1280, 960), (640, 480), 2, PixelRect(x: 0, y: 0, width: 1280, height: 960)),
            ((1920, 1080), (1280, 720), 2, PixelRect(x: 0, y: 0, width: 2560, height: 1440)),
            // Another shape, wider and higher.
            ((160, 96), (640, 480), 1, PixelRect(x: 0, y: 48, width: 640, height: 384)),
            ((96, 160), (640, 480), 1, PixelRect(x: 176, y: 0, width: 288, height: 480)),
            // Larger than the window on any monitor.
            ((6400, 480), (640, 480), 4, PixelRect(x: 0, y: 864, width: 2560, height: 192)),
        ] as [((Int, Int), (Int, Int), Int, PixelRect)])
    func `a picture is as large as it fits, in the middle`(
        picture: (Int, Int), surface: (Int, Int), scale: Int, place: PixelRect
    ) {
        let fit = fit(picture, in: surface)
        #expect(fit.scale == scale && fit.place == place)
        #expect(fit.window == PixelSize(width: surface.0 * scale, height: surface.1 * scale))
    }

    @Test func `the mouse is over the pixel that the person sees there`() {
        let same = fit((640, 480), in: (640, 480))
        #expect(same.point(x: 0, y: 0) == Point(x: 0, y: 0))
        #expect(same.point(x: 639.99, y: 479.5) == Point(x: 639, y: 479))
        #expect(same.point(x: -0.5, y: 480) == Point(x: -1, y: 480))
        let dense = fit((1280, 960), in: (640, 480))
        #expect(dense.point(x: 10, y: 20.5) == Point(x: 20, y: 41))
        let fraction = fit((1920, 1080), in: (1280, 720))
        #expect(fraction.point(x: 100, y: 100) == Point(x: 150, y: 150))
        let black = fit((160, 96), in: (640, 480))
        #expect(black.point(x: 0, y: 48) == Point(x: 0, y: 0))
        #expect(black.point(x: 639, y: 431) == Point(x: 159, y: 95))
        #expect(black.point(x: 4, y: 47) == Point(x: 1, y: -1))
    }

    @Test(arguments: [(640, 480), (1280, 960), (160, 96), (1000, 333)])
    func `a part is shown where the mouse finds it`(picture: (Int, Int)) {
        let fit = fit(picture, in: (640, 480))
        for rect in [
            PixelRect(x: 0, y: 0, width: picture.0, height: picture.1), PixelRect(x: 33, y: 17, width: 16, height: 31),
        ] {
            let shown = fit.windowRect(of: rect)
            #expect(shown.intersection(fit.place) == shown)
            // The pixels of the window that show it, and no others.
            func point(_ x: Int, _ y: Int) -> Point {
                fit.point(x: (Double(x) + 0.5) / Double(fit.scale), y: (Double(y) + 0.5) / Double(fit.scale))
            }
            let (first, last) = (point(shown.x, shown.y), point(shown.maxX - 1, shown.maxY - 1))
            #expect(first.x <= rect.x && first.y <= rect.y && last.x >= rect.maxX - 1 && last.y >= rect.maxY - 1)
            let (before, after) = (point(shown.x - 1, shown.y - 1), point(shown.maxX, shown.maxY))
            #expect(before.x < rect.x && before.y < rect.y && after.x >= rect.maxX && after.y >= rect.maxY)
        }
    }

    // MARK: The pixels

    private static let size = PixelSize(width: 320, height: 240)

    /// Each pixel of it differs from its neighbours, and none is as the same in the dark.
    private static let pixels: [UInt32] = (0..<size.area).map { index in
        let (x, y) = (UInt32(index % 320), UInt32(index / 320))
        return 0x80_0000 | x << 8 | y
    }

    /// A window with a picture, as it is drawn on over and over.
    private final class Window {
        let picture: RegionPicture
        var pixels: [UInt32]
        var drawn: PixelRect?

        init() {
            picture = RegionPicture(RegionPictureTests.pixels, fit: PictureFit(size, in: size))
            pixels = [UInt32](repeating: 0x12_3456, count: size.area)
        }

        func draw(_ content: RegionPicture.Content) {
            pixels.withUnsafeMutableBufferPointer { picture.draw(content, on: $0.baseAddress!, over: &drawn) }
        }

        func bright(in rect: PixelRect) -> Bool { all(in: rect) { $0 } }
        func dark(in rect: PixelRect) -> Bool { all(in: rect) { $0 >> 1 & 0x7f_7f7f } }

        private func all(in rect: PixelRect, _ shown: (UInt32) -> UInt32) -> Bool {
            (rect.y..<rect.maxY).allSatisfy { y in
                (rect.x..<rect.maxX).allSatisfy {
                    pixels[y * size.width + $0] == shown(RegionPictureTests.pixels[y * size.width + $0])
                }
            }
        }
    }

    @Test func `the rectangle is bright within a white line, and everything else is dark`() {
        let window = Window()
        let rect = PixelRect(x: 100, y: 120, width: 60, height: 40)
        window.draw(.selection(rect))
        #expect(window.bright(in: rect))
        for x in 99...160 {
            #expect(window.pixels[119 * 320 + x] == 0xff_ffff && window.pixels[160 * 320 + x] == 0xff_ffff)
        }
        for y in 119...160 {
            #expect(window.pixels[y * 320 + 99] == 0xff_ffff && window.pixels[y * 320 + 160] == 0xff_ffff)
        }
        #expect(window.dark(in: PixelRect(x: 0, y: 0, width: 99, height: 240)))
        #expect(window.dark(in: PixelRect(x: 0, y: 161, width: 320, height: 79)))
        // Its size is written above it.
        #expect(!window.dark(in: PixelRect(x: 100, y: 80, width: 60, height: 39)))
    }

    @Test func `what was drawn before is as dark as if it had never been`() {
        let contents: [RegionPicture.Content] = [
            .hint(Point(x: 310, y: 230)), .selection(PixelRect(x: 100, y: 120, width: 60, height: 40)),
            .selection(PixelRect(x: 0, y: 0, width: 320, height: 240)),
            .selection(PixelRect(x: 300, y: 0, width: 20, height: 3)), .hint(Point(x: 0, y: 0)),
            .selection(PixelRect(x: 5, y: 5, width: 0, height: 7)),
            .selection(PixelRect(x: 319, y: 239, width: 1, height: 1)),
        ]
        let window = Window()
        for content in contents {
            window.draw(content)
            let fresh = Window()
            fresh.draw(content)
            #expect(window.pixels == fresh.pixels && window.drawn == fresh.drawn, "\(content)")
        }
    }

    @Test func `a picture of another shape has black around it`() {
        let fit = PictureFit(PixelSize(width: 4, height: 2), in: PixelSize(width: 8, height: 8))
        let picture = RegionPicture([UInt32](repeating: 0xc0_8040, count: 8), fit: fit)
        var (pixels, drawn) = ([UInt32](repeating: 1, count: 64), nil as PixelRect?)
        pixels.withUnsafeMutableBufferPointer {
            picture.draw(.selection(PixelRect(x: 0, y: 0, width: 0, height: 0)), on: $0.baseAddress!, over: &drawn)
        }
        for y in 0..<8 {
            for x in 0..<8 {
                let pixel = pixels[y * 8 + x]
                let isBlack = pixel & 0xff_ffff == 0
                // Scaling changes a colour by a step at most.
                let isPicture = (0x5f...0x60).contains(pixel >> 16 & 255) && (0x3f...0x40).contains(pixel >> 8 & 255)
                #expect((2..<6).contains(y) ? isPicture : isBlack, "\(x), \(y)")
            }
        }
    }

    // MARK: The still picture

    @Test(arguments: Orientation.allCases)
    func `a turned frame becomes an upright picture`(orientation: Orientation) {
        let size = PixelSize(width: 3, height: 2)
        let picture = StillPicture([0, 1, 2, 3, 4, 5], size, orientation)
        #expect(picture.size == orientation.turned(size))
        for index in 0..<6 {
            let pixel = PixelRect(x: index % 3, y: index / 3, width: 1, height: 1)
            let place = orientation.turned(pixel, of: size)
            #expect(picture.pixels[place.y * picture.size.width + place.x] == UInt32(index))
        }
    }
}
