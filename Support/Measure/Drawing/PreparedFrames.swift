// Frames that are ready before anything is measured: the same for every way of bringing them to another process.
import CPixels
import KineMedia

/// A few frames of a scene that changes everywhere, converted to 4:2:0. The sender begins again after the last.
public final class PreparedFrames {
    public let size: PixelSize
    public let count: Int
    private let memory: UnsafeMutablePointer<UInt8>

    /// Bytes of a 4:2:0 frame of `size` without padding.
    public static func bytes(of size: PixelSize) -> Int { size.area * 3 / 2 }

    /// Renders `count` frames; takes some seconds for large ones. Both sides of `size` must be even.
    public init(size: PixelSize, count: Int) {
        precondition(size.width % 2 == 0 && size.height % 2 == 0 && count > 0, "4:2:0 needs even sides")
        self.size = size
        self.count = count
        memory = .allocate(capacity: PreparedFrames.bytes(of: size) * count)
        let scene = SceneKind.motion.make(size: size, framesPerSecond: 30)
        let buffer = OwnedCanvas(size: size)
        for index in 0..<count {
            scene.paint(index, on: buffer.canvas)
            let frame = self[index]
            kine_bgra_to_planes(
                UnsafeRawPointer(buffer.canvas.pixels).assumingMemoryBound(to: UInt8.self), size.width * 4,
                frame.y, frame.lumaStride, frame.u, frame.chromaStride, frame.v, frame.chromaStride,
                Int32(size.width), Int32(size.height), false, false)
        }
    }

    deinit { memory.deallocate() }

    /// A view of frame `index` modulo `count`; it lasts as long as this object.
    public subscript(index: Int) -> PlanarFrame {
        PreparedFrames.planes(of: size, in: memory + index % count * PreparedFrames.bytes(of: size))
    }

    /// How a 4:2:0 frame without padding lies in memory: Y, U, V, one behind the other.
    public static func planes(of size: PixelSize, in memory: UnsafeMutablePointer<UInt8>) -> PlanarFrame {
        PlanarFrame(
            size: size, y: memory, u: memory + size.area, v: memory + size.area * 5 / 4, lumaStride: size.width,
            chromaStride: size.width / 2)
    }
}
