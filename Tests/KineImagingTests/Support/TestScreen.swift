// A screen in memory, and frames copied out of the memory they were lent in.
import CPixels
import CoreTesting
import KineMedia

/// BGRA pixels, rows packed.
struct TestScreen {
    let size: PixelSize
    var pixels: [UInt32]

    init(size: PixelSize, colour: UInt32 = 0) {
        self.size = size
        pixels = [UInt32](repeating: colour, count: size.area)
    }

    /// Text and bars, as screens have them: dark strokes of one and two pixels on white, and a band of colours.
    init(page size: PixelSize) {
        var generator = SeededGenerator(seed: 7)
        self.init(size: size, colour: 0xff_ffff)
        for line in Swift.stride(from: 4, to: size.height - 12, by: 14) {
            for column in Swift.stride(from: 6, to: size.width - 8, by: 7)
            where Int.random(in: 0..<6, using: &generator) > 0 {
                let bar = line + Int.random(in: 0..<8, using: &generator)
                fill(PixelRect(x: column, y: line, width: 1 + column % 2, height: 9), 0x20_2020)
                fill(PixelRect(x: column, y: bar, width: 5, height: 1), 0)
            }
        }
        let colours: [UInt32] = [0xff_ffff, 0xff_ff00, 0x00_ffff, 0x00_ff00, 0xff_00ff, 0xff_0000, 0x00_00ff, 0]
        for (index, colour) in colours.enumerated() {
            fill(
                PixelRect(x: index * size.width / 8, y: size.height - 20, width: size.width / 8, height: 20), colour)
        }
    }

    var stride: Int { size.width * 4 }

    mutating func fill(_ rect: PixelRect, _ colour: UInt32) {
        let inside = rect.intersection(PixelRect(size: size))
        for y in inside.y..<inside.maxY {
            for x in inside.x..<inside.maxX { pixels[y * size.width + x] = colour }
        }
    }

    /// Every pixel of `rect` gets a colour of its own.
    mutating func scribble(_ rect: PixelRect, using generator: inout some RandomNumberGenerator) {
        let inside = rect.intersection(PixelRect(size: size))
        for y in inside.y..<inside.maxY {
            for x in inside.x..<inside.maxX {
                pixels[y * size.width + x] = UInt32.random(in: 0...0xff_ffff, using: &generator)
            }
        }
    }

    func randomRect(using generator: inout some RandomNumberGenerator) -> PixelRect {
        let x = Int.random(in: 0..<size.width, using: &generator)
        let y = Int.random(in: 0..<size.height, using: &generator)
        return PixelRect(
            x: x, y: y, width: Int.random(in: 1...size.width - x, using: &generator),
            height: Int.random(in: 1...size.height - y, using: &generator))
    }

    /// Shows the pixels from the top left corner of `rect` on.
    func withPixels(at rect: PixelRect, _ body: (UnsafeRawPointer, Int) -> Void) {
        pixels.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            body(base + (rect.y * size.width + rect.x) * 4, stride)
        }
    }
}

/// The three planes of a frame, without the padding between its rows.
struct Planes: Equatable {
    let size: PixelSize
    let colour: ColourFormat
    var y: [UInt8]
    var u: [UInt8]
    var v: [UInt8]

    init(_ frame: PlanarFrame) {
        size = frame.size
        colour = frame.colour
        func copy(_ plane: UnsafeMutablePointer<UInt8>, _ width: Int, _ height: Int, _ stride: Int) -> [UInt8] {
            var result: [UInt8] = []
            result.reserveCapacity(width * height)
            for row in 0..<height { result += UnsafeBufferPointer(start: plane + row * stride, count: width) }
            return result
        }
        let (width, height) = (colour.chroma.samples(of: size.width), colour.chroma.samples(of: size.height))
        y = copy(frame.y, size.width, size.height, frame.lumaStride)
        u = copy(frame.u, width, height, frame.chromaStride)
        v = copy(frame.v, width, height, frame.chromaStride)
    }

    /// All of `screen` converted at once; an odd last column or row is repeated.
    init(converting screen: TestScreen, to colour: ColourFormat = .standard) {
        size = screen.size.roundedUpToEven
        self.colour = colour
        var padded = TestScreen(size: size)
        for row in 0..<size.height {
            for column in 0..<size.width {
                padded.pixels[row * size.width + column] =
                    screen.pixels[
                        min(row, screen.size.height - 1) * screen.size.width + min(column, screen.size.width - 1)]
            }
        }
        let chromaWidth = colour.chroma.samples(of: size.width)
        y = [UInt8](repeating: 0, count: size.area)
        u = [UInt8](repeating: 0, count: chromaWidth * colour.chroma.samples(of: size.height))
        v = u
        padded.pixels.withUnsafeBytes { pixels in
            kine_bgra_to_planes(
                pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), size.width * 4, &y, size.width, &u,
                chromaWidth, &v, chromaWidth, Int32(size.width), Int32(size.height), colour.isFullRange,
                colour.chroma == .yuv444)
        }
    }

    /// The tiles in which `self` and `other` differ.
    func difference(from other: Planes) -> DamageRegion {
        var region = DamageRegion(size: size)
        func mark(_ a: [UInt8], _ b: [UInt8], width: Int, side: Int) {
            guard a != b else { return }
            for index in a.indices where a[index] != b[index] {
                region.insert(column: index % width / side, row: index / width / side)
            }
        }
        let (width, side) = (colour.chroma.samples(of: size.width), colour.chroma.samples(of: 16))
        mark(y, other.y, width: size.width, side: 16)
        mark(u, other.u, width: width, side: side)
        mark(v, other.v, width: width, side: side)
        return region
    }
}
