// The conversion from BGRA to 4:2:0 against the recommendation's formulas in floating point.
import CPixels
import CoreTesting
import KineMedia
import Testing

/// BT.709 of one colour (ITU-R BT.709-6, 3.2 to 3.5) for eight bits, not rounded.
private func reference(red: Double, green: Double, blue: Double) -> (y: Double, u: Double, v: Double) {
    let (r, g, b) = (red / 255, green / 255, blue / 255)
    let luma = 0.2126 * r + 0.7152 * g + 0.0722 * b
    return (16 + 219 * luma, 128 + 224 * (b - luma) / 1.8556, 128 + 224 * (r - luma) / 1.5748)
}

private func components(_ pixel: UInt32) -> (red: Double, green: Double, blue: Double) {
    (Double(pixel >> 16 & 255), Double(pixel >> 8 & 255), Double(pixel & 255))
}

@Suite struct ConversionTests {
    @Test(arguments: [
        PixelSize(width: 1, height: 1), PixelSize(width: 2, height: 2), PixelSize(width: 7, height: 3),
        PixelSize(width: 16, height: 16), PixelSize(width: 33, height: 17), PixelSize(width: 130, height: 6),
        PixelSize(width: 255, height: 64),
    ])
    func `every sample is within one of the recommendation's value`(size: PixelSize) {
        var generator = SeededGenerator(seed: UInt64(size.area))
        var screen = TestScreen(size: size)
        screen.scribble(PixelRect(size: size), using: &generator)
        // The corners of the colour cube reach the ends of every range.
        let corners: [UInt32] = [0, 0xff_ffff, 0xff_0000, 0xff00, 0xff, 0xffff, 0xff_00ff, 0xff_ff00]
        for (index, corner) in corners.prefix(size.width).enumerated() { screen.pixels[index] = corner }
        let planes = Planes(converting: screen)
        var worst = 0.0
        for y in 0..<planes.size.height {
            for x in 0..<planes.size.width {
                let pixel = screen.pixels[min(y, size.height - 1) * size.width + min(x, size.width - 1)]
                let (red, green, blue) = components(pixel)
                let wanted = reference(red: red, green: green, blue: blue).y
                worst = max(worst, abs(wanted - Double(planes.y[y * planes.size.width + x])))
            }
        }
        #expect(worst <= 1)
        worst = 0
        for y in 0..<planes.size.height / 2 {
            for x in 0..<planes.size.width / 2 {
                var sum = (red: 0.0, green: 0.0, blue: 0.0)
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let column = min(2 * x + dx, size.width - 1)
                    let (red, green, blue) = components(
                        screen.pixels[min(2 * y + dy, size.height - 1) * size.width + column])
                    sum = (sum.red + red / 4, sum.green + green / 4, sum.blue + blue / 4)
                }
                let wanted = reference(red: sum.red, green: sum.green, blue: sum.blue)
                let index = y * planes.size.width / 2 + x
                worst = max(
                    worst, abs(wanted.u - Double(planes.u[index])), abs(wanted.v - Double(planes.v[index])))
            }
        }
        #expect(worst <= 1)
    }

    @Test func `grey has no colour, black is 16 and white is 235`() {
        for level in UInt32(0)...255 {
            let planes = Planes(
                converting: TestScreen(size: PixelSize(width: 2, height: 2), colour: level * 0x01_0101))
            #expect(planes.u == [128])
            #expect(planes.v == [128])
            if level == 0 { #expect(planes.y[0] == 16) }
            if level == 255 { #expect(planes.y[0] == 235) }
        }
    }

    @Test func `the fourth byte of a pixel does not matter`() {
        var generator = SeededGenerator(seed: 4)
        var screen = TestScreen(size: PixelSize(width: 37, height: 9))
        screen.scribble(PixelRect(size: screen.size), using: &generator)
        let planes = Planes(converting: screen)
        for index in screen.pixels.indices { screen.pixels[index] |= 0xff00_0000 }
        #expect(Planes(converting: screen) == planes)
    }

    @Test(arguments: 1...35)
    func `nothing is written past the last column or row`(width: Int) {
        var generator = SeededGenerator(seed: UInt64(width))
        let height = 3
        var screen = TestScreen(size: PixelSize(width: width, height: height))
        screen.scribble(PixelRect(size: screen.size), using: &generator)
        let stride = 64
        var y = [UInt8](repeating: 7, count: stride * (height + 1))
        var u = [UInt8](repeating: 7, count: stride * (height + 1))
        var v = u
        screen.withPixels(at: PixelRect(size: screen.size)) { pixels, rowBytes in
            kine_bgra_to_i420_bt709(
                pixels.assumingMemoryBound(to: UInt8.self), rowBytes, &y, stride, &u, stride, &v, stride, Int32(width),
                Int32(height))
        }
        func isUntouched(_ plane: [UInt8], width: Int, height: Int) -> Bool {
            plane.indices.allSatisfy { $0 % stride < width && $0 / stride < height || plane[$0] == 7 }
        }
        #expect(isUntouched(y, width: width, height: height))
        #expect(isUntouched(u, width: (width + 1) / 2, height: (height + 1) / 2))
        #expect(isUntouched(v, width: (width + 1) / 2, height: (height + 1) / 2))
    }

    @Test func `one differing byte anywhere makes blocks differ, and bytes beside them do not`() {
        for width in [1, 2, 5, 8, 16] {
            let stride = 24
            let block = [UInt8](repeating: 3, count: stride * 4)
            for index in block.indices {
                var other = block
                other[index] = 4
                let inside = index % stride < width && index / stride < 3
                #expect(kine_block_differs(block, stride, other, stride, Int32(width), 3) == inside)
            }
        }
    }
}
