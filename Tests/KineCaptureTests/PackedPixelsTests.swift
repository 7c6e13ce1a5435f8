// The formats of compositors' pixels.
import Testing

@testable import KineCapture

@Suite struct PackedPixelsTests {
    /// Red 200, green 100, blue 40, as each format has it in memory.
    private static func bytes(_ packing: PackedPixels) -> [UInt8] {
        let (red, green, blue) = (UInt32(200), UInt32(100), UInt32(40))
        func little(_ word: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
        return switch packing {
        case .bgra: [40, 100, 200, 0]
        case .rgba: [200, 100, 40, 0]
        case .bgr: [40, 100, 200]
        case .rgb: [200, 100, 40]
        case .bgr30: little(red << 22 | green << 12 | blue << 2, 4)
        case .rgb30: little(blue << 22 | green << 12 | red << 2, 4)
        case .bgr565: little((red >> 3) << 11 | (green >> 2) << 5 | blue >> 3, 2)
        }
    }

    @Test(arguments: PackedPixels.allCases) func `every format becomes blue, green, red`(packing: PackedPixels) {
        let (width, height) = (7, 3)
        let stride = width * packing.bytesPerPixel + 5
        var source = [UInt8](repeating: 255, count: stride * height)
        for row in 0..<height {
            for column in 0..<width {
                let place = row * stride + column * packing.bytesPerPixel
                source.replaceSubrange(place..<place + packing.bytesPerPixel, with: Self.bytes(packing))
            }
        }
        var target = [UInt8](repeating: 0, count: width * 4 * height)
        source.withUnsafeBytes { source in
            target.withUnsafeMutableBytes { target in
                packing.convert(
                    source.baseAddress!, stride: stride, to: target.baseAddress!, targetStride: width * 4, width: width,
                    height: height)
            }
        }
        expectColour(target, tolerance: packing == .bgr565 ? 8 : 0)
    }

    @Test(arguments: PackedPixels.allCases.filter { $0.bytesPerPixel == 4 })
    func `pixels of four bytes are converted where they are`(packing: PackedPixels) {
        // Of every width that a vector may have left over.
        for width in 1...70 {
            var pixels = Array(repeating: Self.bytes(packing), count: width * 2).flatMap(\.self)
            pixels.withUnsafeMutableBytes { pixels in
                packing.convert(
                    pixels.baseAddress!, stride: width * 4, to: pixels.baseAddress!, targetStride: width * 4,
                    width: width, height: 2)
            }
            expectColour(pixels)
        }
    }

    private func expectColour(_ target: [UInt8], tolerance: Int = 0) {
        for pixel in 0..<target.count / 4 {
            for (channel, value) in [40, 100, 200].enumerated() {
                #expect(abs(Int(target[pixel * 4 + channel]) - value) <= tolerance)
            }
        }
    }

    @Test func `rows from the bottom up come out from the top down`() {
        let source: [UInt8] = [1, 1, 1, 0, 2, 2, 2, 0, 3, 3, 3, 0]  // three rows of one pixel
        var target = [UInt8](repeating: 0, count: 12)
        source.withUnsafeBytes { source in
            target.withUnsafeMutableBytes { target in
                PackedPixels.bgra.convert(
                    source.baseAddress! + 8, stride: -4, to: target.baseAddress!, targetStride: 4, width: 1, height: 3)
            }
        }
        #expect([target[0], target[4], target[8]] == [3, 2, 1])
    }

    @Test func `formats are known by their numbers, and others are not`() {
        // drm_fourcc.h: XR24's and AR24's numbers in wl_shm are 1 and 0.
        let known: [UInt32: PackedPixels] = [
            0: .bgra, 1: .bgra, 0x3432_4241: .rgba, 0x3432_4258: .rgba, 0x3432_4752: .bgr, 0x3432_4742: .rgb,
            0x3033_5258: .bgr30, 0x3033_4258: .rgb30, 0x3631_4752: .bgr565,
        ]
        for (number, packing) in known { #expect(PackedPixels(shmFormat: number) == packing) }
        #expect(PackedPixels(shmFormat: 2) == nil && PackedPixels(shmFormat: 0x3231_564e) == nil)
    }
}
