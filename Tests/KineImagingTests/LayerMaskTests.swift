// Layers with a shape: what of them is seen, and that parts of a frame come out as they do in the whole.
import CoreTesting
import KineMedia
import Testing

@testable import KineImaging

@Suite struct LayerMaskTests {
    private static let below: UInt32 = 0xff20_4060
    private static let camera: UInt32 = 0xffc0_8040

    /// Draws a layer of one colour over another, in bands as the compositor does.
    private func picture(
        _ layout: CameraLayout, camera: PixelSize, _ picture: PixelSize, area: PixelRect? = nil
    ) -> [UInt32] {
        let geometry = layout.geometry(of: camera, in: picture)
        let layer = Layer(geometry, mask: LayerMask(layout, size: geometry.place.size))
        let pixels = [UInt32](repeating: Self.camera, count: camera.area)
        pixels.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress {
                layer.draw(PixelRect(size: camera), pixels: base, stride: camera.width * 4)
            }
        }
        var target = [UInt32](repeating: Self.below, count: picture.area)
        let area = area ?? PixelRect(size: picture)
        target.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for top in stride(from: area.y, to: area.maxY, by: Layer.bandRows) {
                let band = PixelRect(
                    x: area.x, y: top, width: area.width, height: min(Layer.bandRows, area.maxY - top))
                layer.draw(
                    over: base + (top * picture.width + area.x) * 4, stride: picture.width * 4, area: band)
            }
        }
        return target
    }

    @Test func `a circle shows the camera inside, the picture outside, and a smooth edge between`() throws {
        let size = PixelSize(width: 200, height: 100)
        let layout = CameraLayout(x: 0.5, y: 0.5, size: 1, shape: .circle)
        let pixels = picture(layout, camera: PixelSize(width: 64, height: 64), size)
        var between = 0
        for y in 0..<100 {
            for x in 0..<200 {
                let (dx, dy) = (Double(x) + 0.5 - 100, Double(y) + 0.5 - 50)
                let distance = (dx * dx + dy * dy).squareRoot()
                let pixel = pixels[y * 200 + x]
                if distance < 49.4 { #expect(pixel == Self.camera) }
                if distance > 50.6 { #expect(pixel == Self.below) }
                if pixel != Self.camera, pixel != Self.below { between += 1 }
            }
        }
        #expect(between > 100)
    }

    @Test(arguments: CameraLayout.Shape.allCases)
    func `a border is a line inside of the edge`(shape: CameraLayout.Shape) throws {
        let size = PixelSize(width: 160, height: 120)
        let layout = CameraLayout(
            x: 0.5, y: 0.5, size: 1, shape: shape, border: CameraLayout.Border(width: 0.1, colour: 0x00ff00))
        let pixels = picture(layout, camera: size, size)
        // In the middle of the left edge, 12 pixels wide; a circle begins 20 pixels farther in.
        let left = shape == .circle ? 20 : 0
        for x in left + 1..<left + 11 { #expect(pixels[60 * 160 + x] == 0xff00_ff00, "\(x)") }
        for x in left + 14..<80 { #expect(pixels[60 * 160 + x] == Self.camera, "\(x)") }
        #expect((pixels[0] == 0xff00_ff00) == (shape == .rectangle))
        if shape != .rectangle { #expect(pixels[0] == Self.below) }
    }

    @Test func `a rectangle without a border needs no mask`() {
        #expect(LayerMask(CameraLayout(shape: .rectangle), size: PixelSize(width: 9, height: 9)) == nil)
        let size = PixelSize(width: 40, height: 40)
        let pixels = picture(CameraLayout(x: 0, y: 0, size: 1, shape: .rectangle), camera: size, size)
        #expect(pixels.allSatisfy { $0 == Self.camera })
    }

    @Test func `a part of the picture is as it is in the whole`() throws {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<60 {
            let size = PixelSize(
                width: .random(in: 1...120, using: &generator), height: .random(in: 1...120, using: &generator))
            let camera = PixelSize(
                width: .random(in: 1...90, using: &generator), height: .random(in: 1...90, using: &generator))
            let layout = CameraLayout(
                x: .random(in: 0...1, using: &generator), y: .random(in: 0...1, using: &generator),
                size: .random(in: 0.02...1, using: &generator),
                shape: CameraLayout.Shape.allCases.randomElement(using: &generator) ?? .circle,
                isMirrored: .random(using: &generator),
                border: .random(using: &generator)
                    ? CameraLayout.Border(width: .random(in: 0...0.5, using: &generator)) : nil)
            let whole = picture(layout, camera: camera, size)
            let x = Int.random(in: 0..<size.width, using: &generator)
            let y = Int.random(in: 0..<size.height, using: &generator)
            let part = PixelRect(
                x: x, y: y, width: .random(in: 1...size.width - x, using: &generator),
                height: .random(in: 1...size.height - y, using: &generator))
            let drawn = picture(layout, camera: camera, size, area: part)
            for y in part.y..<part.maxY {
                let row = y * size.width + part.x..<y * size.width + part.maxX
                #expect(drawn[row] == whole[row], "\(layout) of \(camera) in \(size), \(part)")
            }
        }
    }
}
