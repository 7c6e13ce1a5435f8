// Frames that have nothing in common, as hard to encode as any.
import CoreTesting
import KineMedia

/// A round of 4:2:0 frames that owns their planes, rows packed.
final class NoiseFrames {
    private let frames: [PlanarFrame]
    private let memory: UnsafeMutableBufferPointer<UInt8>
    private var number = 0

    init(size: PixelSize, count: Int = 6) {
        let bytes = size.area * 3 / 2
        memory = .allocate(capacity: bytes * count)
        memory.initialize(repeating: 128)
        let base = memory.baseAddress.unsafelyUnwrapped
        var generator = SeededGenerator(seed: 11)
        frames = (0..<count).map { index in
            let luma = base + index * bytes
            for byte in 0..<size.area { luma[byte] = UInt8.random(in: 16...235, using: &generator) }
            return PlanarFrame(
                size: size, y: luma, u: luma + size.area, v: luma + size.area * 5 / 4, lumaStride: size.width,
                chromaStride: size.width / 2)
        }
    }

    deinit { memory.deallocate() }

    /// The one to be shown now.
    var planes: PlanarFrame { frames[number % frames.count] }

    func change() { number += 1 }
}
