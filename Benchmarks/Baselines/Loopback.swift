// Raw frames over TCP: what NetEase's sample for iOS does (NTESSocketPacket over GCDAsyncSocket to 127.0.0.1, port 8999,
// NTESTPCircularBuffer at the app), and the apps that copied it.
//
// Its passes over a frame: NV12 to 4:2:0 · scale · into an NSData · into a packet · the kernel in · the kernel out · into
// the ring buffer · clear a block · out of the ring into that block · into an NSData · planes of a new frame · into a pixel
// buffer. Here the first, the last, the clearing and one of the two NSData at the app are left out: eight remain.
import Glibc
import KineMeasure
import KineMedia

final class LoopbackSender: FrameSender {
    private(set) var movedBytes = 0
    private let socket: StreamSocket
    private let small = SmallFrame()

    init(port: String) throws {
        guard let number = UInt16(port) else { throw WayError.malformed("the port “\(port)”") }
        socket = try StreamSocket.connect(port: number)
    }

    func send(_ frame: PlanarFrame, stamp: Int64) throws {
        small.scale(frame)
        let data = small.serialized(stamp: stamp)
        // NTESPacketHead: version, command, service, serial number, length.
        var packet: [UInt8] = []
        packet.reserveCapacity(LoopbackReceiver.packetHeader + data.count)
        withUnsafeBytes(of: (UInt64(1), UInt64(data.count))) { packet.append(contentsOf: $0) }
        packet.append(contentsOf: data)
        try socket.sendAll(packet)
        movedBytes += data.count * 4
    }
}

final class LoopbackReceiver: FrameReceiver {
    static let packetHeader = 16
    /// GCDAsyncSocket reads what the kernel says is there; this is what one read takes at most.
    private static let readBytes = 256 * 1024

    let address: String
    private(set) var movedBytes = 0
    private let listener: StreamSocket
    private var socket: StreamSocket?
    private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: readBytes, alignment: 64)
    /// The ring buffer: it is emptied after every frame, so it never wraps.
    private let ring = UnsafeMutableRawBufferPointer.allocate(
        byteCount: packetHeader + SmallFrame.bytes + readBytes, alignment: 64)
    private var filled = 0

    init() throws {
        let (listener, port) = try StreamSocket.listen()
        self.listener = listener
        address = "\(port)"
    }

    deinit {
        chunk.deallocate()
        ring.deallocate()
    }

    func receive(_ handler: (PlanarFrame, Int64) -> Void) throws -> Bool {
        let socket = try self.socket ?? listener.accept()
        self.socket = socket
        let whole = LoopbackReceiver.packetHeader + SmallFrame.bytes
        while filled < whole {
            let count = try socket.receive(chunk)
            if count == 0 { return false }
            UnsafeMutableRawBufferPointer(rebasing: ring[filled...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
            filled += count
        }
        guard ring.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == UInt64(SmallFrame.bytes) else {
            throw WayError.malformed("a packet of another length")
        }
        let data = [UInt8](ring[LoopbackReceiver.packetHeader..<whole])
        // The sample throws away what it has of the next frame; here it is kept.
        ring.copyMemory(from: UnsafeRawBufferPointer(rebasing: ring[whole..<filled]))
        filled -= whole
        let small = SmallFrame()
        let stamp = try data.withUnsafeBytes { try small.read($0) }
        movedBytes += SmallFrame.bytes * 4
        handler(small.frame, stamp)
        return true
    }
}
