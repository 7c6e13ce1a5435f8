// What the ways of bringing a frame to another process have in common. Each is written as its models are, with the passes
// over memory that these make; where a pass belongs to Apple's formats only, it is left out, to the way's advantage.
import ArgumentParser
import CYUV
import Glibc
import KineMeasure
import KineMedia

/// The ways that screens are shared today between an upload extension and its app.
enum FrameWay: String, CaseIterable, ExpressibleByArgument {
    /// Raw 4:2:0 of 960×540 over TCP on the loopback interface.
    case loopback
    /// The whole frame as JPEG over a unix socket.
    case jpeg

    /// The frame that the first way sends, whatever the screen's size.
    static let smallSize = PixelSize(width: 960, height: 540)

    /// - Parameters:
    ///   - address: what the receiver said.
    ///   - size: of the frames that will be sent.
    func makeSender(address: String, size: PixelSize) throws -> any FrameSender {
        switch self {
        case .loopback: try LoopbackSender(port: address)
        case .jpeg: try JPEGSender(path: address, size: size)
        }
    }

    /// - Parameter folder: for sockets and files; emptied by its owner.
    func makeReceiver(folder: String) throws -> any FrameReceiver {
        switch self {
        case .loopback: try LoopbackReceiver()
        case .jpeg: try JPEGReceiver(path: folder + "/frames.sock")
        }
    }
}

/// The extension's end.
protocol FrameSender: AnyObject {
    /// Bytes written so far, by this process and by the kernel for it.
    var movedBytes: Int { get }
    /// Brings one frame on its way. `stamp` travels with it: when it was handed to the sender, in nanoseconds of
    /// CLOCK_MONOTONIC, never 0.
    func send(_ frame: PlanarFrame, stamp: Int64) throws
}

/// The app's end.
protocol FrameReceiver: AnyObject {
    /// What a sender has to know.
    var address: String { get }
    var movedBytes: Int { get }
    /// Waits for the next frame and gives it to `handler` as a frame; false after the last. The frame lasts as long as
    /// the call.
    func receive(_ handler: (_ frame: PlanarFrame, _ stamp: Int64) -> Void) throws -> Bool
}

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
