// Images that are drawn over frames: enlarged, and cut at the edges.
import KineMedia
import Testing

@testable import KineCapture

@Suite struct OverlayImageTests {
    private static let clear: UInt32 = 0
    private static let white: UInt32 = 0xffff_ffff

    @Test func `an image of one colour stays that colour at any size`() {
        let image = OverlayImage(size: PixelSize(width: 5, height: 3), pixels: Array(repeating: 0xff12_34fe, count: 15))
        for factor in [1, 1.1, 1.5, 2, 7.9] {
            let large = image.enlarged(by: factor)
            #expect(large.size.width == Int((5 * factor).rounded()))
            #expect(large.size.height == Int((3 * factor).rounded()))
            #expect(large.pixels.count == large.size.area && large.pixels.allSatisfy { $0 == 0xff12_34fe })
        }
    }

    @Test func `between two pixels are their means, without a fringe`() {
        let image = OverlayImage(size: PixelSize(width: 2, height: 1), pixels: [Self.clear, Self.white])
        let large = image.enlarged(by: 4)
        #expect(large.size == PixelSize(width: 8, height: 4))
        let row = Array(large.pixels[0..<8])
        // Colours never exceed the opacity, or the blend would be too bright.
        #expect(row.allSatisfy { pixel in [0, 8, 16].allSatisfy { pixel >> $0 & 255 == pixel >> 24 } })
        #expect(row.map { $0 >> 24 } == [0, 0, 32, 96, 159, 223, 255, 255])
        #expect(large.pixels == Array(repeating: row, count: 4).flatMap(\.self))
    }

    @Test func `an image without pixels stays so`() {
        #expect(OverlayImage.empty.enlarged(by: 3).pixels.isEmpty)
    }

    @Test(arguments: [(-1, -1), (3, 2), (0, 0), (1, 1)])
    func `only the pixels under the image change, and half opaque ones are mixed`(x: Int, y: Int) {
        let image = OverlayImage(
            size: PixelSize(width: 2, height: 2), pixels: [Self.white, 0, 0x8000_0080, Self.white])
        let area = PixelRect(x: 10, y: 20, width: 4, height: 3)
        var pixels = [UInt32](repeating: 0x0010_2030, count: area.size.area)
        pixels.withUnsafeMutableBytes {
            image.draw(at: (10 + x, 20 + y), over: $0.baseAddress!, stride: area.width * 4, area: area)
        }
        let drawn: [UInt32] = [0xff_ffff, 0x10_2030, 0x08_1098, 0xff_ffff]
        for row in 0..<area.height {
            for column in 0..<area.width {
                let isInside = (x...x + 1).contains(column) && (y...y + 1).contains(row)
                let expected = isInside ? drawn[(row - y) * 2 + column - x] : 0x10_2030
                #expect(pixels[row * area.width + column] & 0xff_ffff == expected)
            }
        }
    }
}
