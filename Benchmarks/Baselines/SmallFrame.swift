// The small frame that two of the ways send, and its form as bytes: sizes and time in front, the planes behind.
// Both follow NetEase's published sample (NTESYUVConverter, NTESI420Frame), which many apps have copied: it scales with
// libyuv to 540×960 (a telephone held upright; a screen that lies on its side is 960×540) and lets the frame write
// itself into an NSData behind width, height, length and time.
import CYUV
import Glibc
import KineMeasure
import KineMedia

/// A 4:2:0 frame without padding, with memory of its own.
final class SmallFrame {
    static let headerBytes = 24
    static let bytes = headerBytes + PreparedFrames.bytes(of: FrameWay.smallSize)

    let frame: PlanarFrame
    private let memory: UnsafeMutablePointer<UInt8>

    init(size: PixelSize = FrameWay.smallSize) {
        memory = .allocate(capacity: PreparedFrames.bytes(of: size))
        frame = PreparedFrames.planes(of: size, in: memory)
    }

    deinit { memory.deallocate() }

    /// Makes this frame a smaller `source`. The sample first turns NV12 into 4:2:0 at full size; that pass is left out.
    func scale(_ source: PlanarFrame) {
        let size = frame.size
        _ = I420Scale(
            source.y, Int32(source.lumaStride), source.u, Int32(source.chromaStride), source.v,
            Int32(source.chromaStride), Int32(source.size.width), Int32(source.size.height), frame.y,
            Int32(frame.lumaStride), frame.u, Int32(frame.chromaStride), frame.v, Int32(frame.chromaStride),
            Int32(size.width), Int32(size.height), kFilterBox)
    }

    /// The frame as bytes.
    func serialized(stamp: Int64) -> [UInt8] {
        let length = SmallFrame.bytes - SmallFrame.headerBytes
        return [UInt8](unsafeUninitializedCapacity: SmallFrame.bytes) { buffer, count in
            let size = frame.size
            let words = [Int32(size.width), Int32(size.height), Int32(length), 0]
            words.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
            withUnsafeBytes(of: stamp) {
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[16...])
                    .copyMemory(from: $0)
            }
            _ = UnsafeMutableBufferPointer(rebasing: buffer[SmallFrame.headerBytes...])
                .update(fromContentsOf: UnsafeBufferPointer(start: memory, count: length))
            count = SmallFrame.bytes
        }
    }

    /// Makes this frame the one that `serialized` wrote, and returns its stamp.
    func read(_ bytes: UnsafeRawBufferPointer) throws(WayError) -> Int64 {
        guard bytes.count == SmallFrame.bytes, bytes.loadUnaligned(as: Int32.self) == Int32(frame.size.width) else {
            throw .malformed("a frame of \(bytes.count) bytes")
        }
        UnsafeMutableRawBufferPointer(start: memory, count: bytes.count - SmallFrame.headerBytes)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[SmallFrame.headerBytes...]))
        return bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self)
    }
}
