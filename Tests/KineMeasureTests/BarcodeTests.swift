// The number drawn into each frame, and read back from a decoded one.
import KineMeasure
import KineMedia
import Testing

@Suite struct BarcodeTests {
    private static let size = PixelSize(width: 320, height: 96)

    @Test(arguments: [0, 1, 2, 59, 60, 61, 4095, 4096, 1_000_000, Barcode.limit - 1])
    func `a number comes back`(number: Int) {
        let buffer = OwnedCanvas(size: Self.size)
        Barcode.draw(number, on: buffer.canvas)
        #expect(Barcode.read(LumaFrame(buffer.canvas)) == number)
    }

    @Test func `every step from the number before is the whole barcode`() {
        let stepped = OwnedCanvas(size: Self.size)
        Barcode.draw(0, on: stepped.canvas)
        for number in 1..<300 {
            Barcode.draw(number, previous: number - 1, on: stepped.canvas)
            #expect(Barcode.read(LumaFrame(stepped.canvas)) == number)
        }
    }

    @Test func `noise and ringing do not change the number`() {
        let buffer = OwnedCanvas(size: Self.size)
        Barcode.draw(123_456, on: buffer.canvas)
        var luma = LumaFrame(buffer.canvas)
        for index in luma.pixels.indices {
            let noisy = Int(luma.pixels[index]) + IndexedRandom.below(61, index, seed: 1) - 30
            luma.pixels[index] = UInt8(max(0, min(255, noisy)))
        }
        #expect(Barcode.read(luma) == 123_456)
    }

    @Test func `a half-drawn barcode is not read`() {
        // The upper row of one number over the lower row of another: the check bits belong to the other.
        let old = OwnedCanvas(size: Self.size)
        let new = OwnedCanvas(size: Self.size)
        Barcode.draw(0x3FFFF, on: old.canvas)
        Barcode.draw(0x40000, on: new.canvas)
        let upper = PixelRect(x: Barcode.bounds.x, y: Barcode.bounds.y, width: Barcode.bounds.width, height: 16)
        old.canvas.copy(new.canvas, upper, toX: upper.x, y: upper.y)
        let read = Barcode.read(LumaFrame(old.canvas))
        #expect(read == nil || read == 0x3FFFF)
    }

    @Test func `a frame without a barcode is not read`() {
        let buffer = OwnedCanvas(size: Self.size)
        #expect(Barcode.read(LumaFrame(buffer.canvas)) == nil)
        buffer.canvas.fill(buffer.canvas.bounds, .white)
        #expect(Barcode.read(LumaFrame(buffer.canvas)) == nil)
        #expect(Barcode.read(LumaFrame(OwnedCanvas(size: PixelSize(width: 64, height: 16)).canvas)) == nil)
    }
}
