// How alike two frames are.
import KineMeasure
import KineMedia
import Testing

@Suite struct FrameMeasureTests {
    private static let size = PixelSize(width: 640, height: 360)

    private func frame(noise: Int) -> LumaFrame {
        let buffer = OwnedCanvas(size: Self.size)
        SceneKind.video.make(size: Self.size).paint(3, on: buffer.canvas)
        var luma = LumaFrame(buffer.canvas)
        if noise > 0 {
            for index in luma.pixels.indices {
                let value = Int(luma.pixels[index]) + IndexedRandom.below(2 * noise + 1, index, seed: 9) - noise
                luma.pixels[index] = UInt8(max(0, min(255, value)))
            }
        }
        return luma
    }

    @Test func `luma is BT.709 in limited range`() {
        // Rec. ITU-R BT.709 primaries at full strength, eight bits.
        let expected: [(Colour, UInt8)] = [
            (.black, 16), (.white, 235), (Colour(0xFF0000), 63), (Colour(0x00FF00), 173), (Colour(0x0000FF), 32),
            (Colour(0x808080), 126),
        ]
        for (colour, level) in expected {
            let buffer = OwnedCanvas(size: PixelSize(width: 2, height: 2))
            buffer.canvas.fill(buffer.canvas.bounds, colour)
            #expect(LumaFrame(buffer.canvas).pixels == [level, level, level, level])
        }
    }

    @Test func `equal frames have a similarity of one`() throws {
        let same = frame(noise: 0)
        let value = try #require(StructuralSimilarity.mean(same, same))
        #expect(abs(value - 1) < 1e-9)
    }

    @Test func `similarity falls with noise`() throws {
        let clean = frame(noise: 0)
        let values = [2, 8, 32].map { StructuralSimilarity.mean(clean, frame(noise: $0)) ?? 0 }
        #expect(values[0] < 1 && values[0] > 0.9)
        #expect(values[0] > values[1] && values[1] > values[2])
    }

    @Test func `flat frames of different levels follow the formula`() throws {
        // With no structure SSIM is (2ab + C1) / (a² + b² + C1), C1 = (0.01 · 255)².
        let size = PixelSize(width: 16, height: 16)
        let dark = LumaFrame(size: size, pixels: [UInt8](repeating: 100, count: 256))
        let light = LumaFrame(size: size, pixels: [UInt8](repeating: 150, count: 256))
        let c1 = 6.5025
        let value = try #require(StructuralSimilarity.mean(dark, light))
        #expect(abs(value - (2 * 100 * 150 + c1) / (100 * 100 + 150 * 150 + c1)) < 1e-6)
    }

    @Test func `frames of different sizes are not compared`() {
        let small = LumaFrame(size: PixelSize(width: 8, height: 8), pixels: [UInt8](repeating: 0, count: 64))
        #expect(StructuralSimilarity.mean(small, frame(noise: 0)) == nil)
    }
}
