// The number that the bench's scenes write into their frames, read with thirty-two looks. KineMeasure's Barcode says how it
// is written and reads it more carefully, from recordings; here nothing was compressed.

import KineMedia

enum FrameNumber {
    private static let corner = 16
    private static let cell = 16
    private static let columns = 16
    private static let dataBits = 24
    private static let checkBits = 6

    /// The number in a frame's luma; -1 where there is none.
    static func read(_ luma: PixelBuffer.Plane) -> Int {
        guard luma.rows >= corner + 2 * cell, luma.rowBytes >= corner + columns * cell else { return -1 }
        var bits = 0
        for index in 0..<2 + dataBits + checkBits {
            let x = corner + index % columns * cell + cell / 2
            let y = corner + index / columns * cell + cell / 2
            let level = luma.row(y)[x]
            guard level < 40 || level > 210 else { return -1 }
            bits = bits << 1 | (level > 125 ? 1 : 0)
        }
        // A white and a black square come first.
        guard bits >> (dataBits + checkBits) == 0b10 else { return -1 }
        let number = bits >> checkBits & (1 << dataBits - 1)
        return (number &* 37 + 11) % 61 == bits & (1 << checkBits - 1) ? number : -1
    }
}
