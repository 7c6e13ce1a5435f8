// The conversions between BGRA and planes against the recommendation's formulas in floating point.
import CPixels
import CoreTesting
import KineMedia
import Testing

@testable import KineImaging

/// BT.709 of one colour (ITU-R BT.709-6, 3.2 to 3.5; ITU-T H.273, 8.3) for eight bits, not rounded.
private func reference(
    red: Double, green: Double, blue: Double, isFullRange: Bool
) -> (y: Double, u: Double, v: Double) {
    let (r, g, b) = (red / 255, green / 255, blue / 255)
    let luma = 0.2126 * r + 0.7152 * g + 0.0722 * b
    let (black, lumaRange, chromaRange) = isFullRange ? (0.0, 255.0, 255.0) : (16, 219, 224)
    return (
        black + lumaRange * luma, min(255, 128 + chromaRange * (b - luma) / 1.8556),
        min(255, 128 + chromaRange * (r - luma) / 1.5748)
    )
}

private func components(_ pixel: UInt32) -> (red: Double, green: Double, blue: Double) {
    (Double(pixel >> 16 & 255), Double(pixel >> 8 & 255), Double(pixel & 255))
}

@Suite struct ConversionTests {
    @Test(
        arguments: [
            PixelSize(width: 1, height: 1), PixelSize(width: 2, height: 2), PixelSize(width: 7, height: 3),
            PixelSize(width: 16, height: 16), PixelSize(width: 33, height: 17), PixelSize(width: 130, height: 6),
            PixelSize(width: 255, height: 64),
        ], ColourFormat.allCases)
    func `every sample is within one of the recommendation's value`(size: PixelSize, colour: ColourFormat) {
        var generator = SeededGenerator(seed: UInt64(size.area))
        var screen = TestScreen(size: size)
        screen.scribble(PixelRect(size: size), using: &generator)
        // The corners of the colour cube reach the ends of every range.
        let corners: [UInt32] = [0, 0xff_ffff, 0xff_0000, 0xff00, 0xff, 0xffff, 0xff_00ff, 0xff_ff00]
        for (index, corner) in corners.prefix(size.width).enumerated() { screen.pixels[index] = corner }
        let planes = Planes(converting: screen, to: colour)
        func pixel(_ x: Int, _ y: Int) -> (red: Double, green: Double, blue: Double) {
            components(screen.pixels[min(y, size.height - 1) * size.width + min(x, size.width - 1)])
        }
        var worst = 0.0
        for y in 0..<planes.size.height {
            for x in 0..<planes.size.width {
                let (red, green, blue) = pixel(x, y)
                let wanted = reference(red: red, green: green, blue: blue, isFullRange: colour.isFullRange).y
                worst = max(worst, abs(wanted - Double(planes.y[y * planes.size.width + x])))
            }
        }
        #expect(worst <= 1)
        worst = 0
        let (columns, rows) = (
            colour.chroma.samples(of: planes.size.width), colour.chroma.samples(of: planes.size.height)
        )
        let square = colour.chroma == .yuv420 ? [(0, 0), (1, 0), (0, 1), (1, 1)] : [(0, 0)]
        for y in 0..<rows {
            for x in 0..<columns {
                var sum = (red: 0.0, green: 0.0, blue: 0.0)
                for (dx, dy) in square {
                    let (red, green, blue) = pixel(
                        x * planes.size.width / columns + dx, y * planes.size.height / rows + dy)
                    sum = (sum.red + red, sum.green + green, sum.blue + blue)
                }
                let count = Double(square.count)
                let wanted = reference(
                    red: sum.red / count, green: sum.green / count, blue: sum.blue / count,
                    isFullRange: colour.isFullRange)
                let index = y * columns + x
                worst = max(
                    worst, abs(wanted.u - Double(planes.u[index])), abs(wanted.v - Double(planes.v[index])))
            }
        }
        #expect(worst <= 1)
    }

    @Test(arguments: ColourFormat.allCases)
    func `colours come back as they were, within the steps of the range`(colour: ColourFormat) {
        var generator = SeededGenerator(seed: 12)
        var screen = TestScreen(size: PixelSize(width: 514, height: 34))
        let corners: [UInt32] = [0, 0xff_ffff, 0xff_0000, 0xff00, 0xff, 0xffff, 0xff_00ff, 0xff_ff00]
        for x in stride(from: 0, to: screen.size.width, by: 2) {
            for y in stride(from: 0, to: screen.size.height, by: 2) {
                let random = UInt32.random(in: 0...0xff_ffff, using: &generator)
                screen.fill(
                    PixelRect(x: x, y: y, width: 2, height: 2), y == 0 && x / 2 < 8 ? corners[x / 2] : random)
            }
        }
        var planes = Planes(converting: screen, to: colour)
        var back = TestScreen(size: screen.size)
        let chromaWidth = colour.chroma.samples(of: screen.size.width)
        planes.y.withUnsafeMutableBufferPointer { y in
            planes.u.withUnsafeMutableBufferPointer { u in
                planes.v.withUnsafeMutableBufferPointer { v in
                    back.pixels.withUnsafeMutableBytes { bytes in
                        guard let y = y.baseAddress, let u = u.baseAddress, let v = v.baseAddress,
                            let target = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                        else { return }
                        PlanarFrame(
                            size: screen.size, colour: colour, y: y, u: u, v: v, lumaStride: screen.size.width,
                            chromaStride: chromaWidth
                        ).convert(toBGRA: target, stride: screen.stride)
                    }
                }
            }
        }
        var worst = 0.0
        for (before, after) in zip(screen.pixels, back.pixels) {
            let (a, b) = (components(before), components(after))
            worst = max(worst, abs(a.red - b.red), abs(a.green - b.green), abs(a.blue - b.blue))
        }
        #expect(worst <= (colour.isFullRange ? 2 : 3))
        #expect(back.pixels.allSatisfy { $0 >> 24 == 255 })
    }

    @Test(arguments: ColourFormat.allCases)
    func `grey has no colour, and black and white are the ends of the range`(colour: ColourFormat) {
        for level in UInt32(0)...255 {
            let planes = Planes(
                converting: TestScreen(size: PixelSize(width: 2, height: 2), colour: level * 0x01_0101), to: colour)
            #expect(planes.u.allSatisfy { $0 == 128 } && planes.v.allSatisfy { $0 == 128 })
            if level == 0 { #expect(planes.y[0] == (colour.isFullRange ? 0 : 16)) }
            if level == 255 { #expect(planes.y[0] == (colour.isFullRange ? 255 : 235)) }
            if colour.isFullRange { #expect(planes.y.allSatisfy { $0 == level }) }
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

    @Test(arguments: 1...35, ColourFormat.allCases)
    func `nothing is written past the last column or row`(width: Int, colour: ColourFormat) {
        var generator = SeededGenerator(seed: UInt64(width))
        let height = 3
        var screen = TestScreen(size: PixelSize(width: width, height: height))
        screen.scribble(PixelRect(size: screen.size), using: &generator)
        let stride = 64
        var y = [UInt8](repeating: 7, count: stride * (height + 1))
        var u = [UInt8](repeating: 7, count: stride * (height + 1))
        var v = u
        y.withUnsafeMutableBufferPointer { y in
            u.withUnsafeMutableBufferPointer { u in
                v.withUnsafeMutableBufferPointer { v in
                    guard let y = y.baseAddress, let u = u.baseAddress, let v = v.baseAddress else { return }
                    let planes = PlanarFrame(
                        size: PixelSize(width: stride, height: 4), colour: colour, y: y, u: u, v: v,
                        lumaStride: stride, chromaStride: stride)
                    screen.withPixels(at: PixelRect(size: screen.size)) { pixels, rowBytes in
                        planes.convert(
                            bgra: pixels.assumingMemoryBound(to: UInt8.self), stride: rowBytes, width: width,
                            height: height)
                    }
                }
            }
        }
        func isUntouched(_ plane: [UInt8], width: Int, height: Int) -> Bool {
            plane.indices.allSatisfy { $0 % stride < width && $0 / stride < height || plane[$0] == 7 }
        }
        #expect(isUntouched(y, width: width, height: height))
        let (columns, rows) = (colour.chroma.samples(of: width), colour.chroma.samples(of: height))
        #expect(isUntouched(u, width: columns, height: rows))
        #expect(isUntouched(v, width: columns, height: rows))
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
