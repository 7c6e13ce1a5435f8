// Whole frames as JPEG over a unix socket: what LiveKit's SDK for Swift does (BroadcastImageCodec: Core Image on the
// processor, quality 1.0 of 1; IPCChannel: a property list with the size, then the image, as one message; an image that comes
// while another is sent is left out).
//
// Its receiver lets Core Image draw into a BGRA buffer, which WebRTC converts again; here libjpeg-turbo reads and writes 4:2:0
// planes directly, and the buffers are kept from frame to frame, to this way's advantage.
import CTurboJPEG
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia

private struct ImageHeader: Codable {
    var width: Int
    var height: Int
    var rotation: Int
    var timestamp: Int64
}

/// In front of each message: the header's length and the image's, eight bytes each.
private let frameBytes = 16

final class JPEGSender: FrameSender {
    /// Quality 1.0: the finest that the encoder has.
    private static let quality: Int32 = 100

    private(set) var movedBytes = 0
    private let socket: StreamSocket
    private let compressor: tjhandle
    private var image: UnsafeMutablePointer<UInt8>?
    private let encoder = PropertyListEncoder()

    init(path: String, size: PixelSize) throws {
        socket = try StreamSocket.connect(path: path)
        guard let compressor = tjInitCompress() else { throw WayError.jpeg("no compressor") }
        self.compressor = compressor
        image = tjAlloc(Int32(tjBufSize(Int32(size.width), Int32(size.height), Int32(TJSAMP_420.rawValue))))
        encoder.outputFormat = .binary
    }

    deinit {
        tjDestroy(compressor)
        tjFree(image)
    }

    func send(_ frame: PlanarFrame, stamp: Int64) throws {
        var planes: [UnsafePointer<UInt8>?] = [.init(frame.y), .init(frame.u), .init(frame.v)]
        let strides = [Int32(frame.lumaStride), Int32(frame.chromaStride), Int32(frame.chromaStride)]
        var length: UInt = 0
        let size = frame.size
        let status = tjCompressFromYUVPlanes(
            compressor, &planes, Int32(size.width), strides, Int32(size.height), Int32(TJSAMP_420.rawValue), &image,
            &length, JPEGSender.quality, Int32(TJFLAG_NOREALLOC))
        guard status == 0, let image else { throw WayError.jpeg(String(cString: tjGetErrorStr2(compressor))) }
        let header = try encoder.encode(
            ImageHeader(width: size.width, height: size.height, rotation: 0, timestamp: stamp))
        var message: [UInt8] = []
        message.reserveCapacity(frameBytes + header.count + Int(length))
        withUnsafeBytes(of: (UInt64(header.count), UInt64(length))) { message.append(contentsOf: $0) }
        message.append(contentsOf: header)
        message.append(contentsOf: UnsafeBufferPointer(start: image, count: Int(length)))
        try socket.sendAll(message)
        movedBytes += Int(length) + message.count * 2
    }
}

final class JPEGReceiver: FrameReceiver {
    let address: String
    private(set) var movedBytes = 0
    private let listener: StreamSocket
    private var socket: StreamSocket?
    private let decompressor: tjhandle
    private let decoder = PropertyListDecoder()
    private var target: SmallFrame?

    init(path: String) throws {
        address = path
        listener = try StreamSocket.listen(path: path)
        guard let decompressor = tjInitDecompress() else { throw WayError.jpeg("no decompressor") }
        self.decompressor = decompressor
    }

    deinit { tjDestroy(decompressor) }

    func receive(_ handler: (PlanarFrame, Int64) -> Void) throws -> Bool {
        let socket = try self.socket ?? listener.accept()
        self.socket = socket
        guard let lengths = try read(frameBytes, from: socket) else { return false }
        let (headerLength, length) = lengths.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        guard headerLength < 4096, length < 1 << 28, let message = try read(Int(headerLength + length), from: socket)
        else { throw WayError.malformed("a message of \(length) bytes") }
        let header = try decoder.decode(ImageHeader.self, from: Data(message[..<Int(headerLength)]))
        let image = [UInt8](message[Int(headerLength)...])
        let size = PixelSize(width: header.width, height: header.height)
        let target = self.target?.frame.size == size ? self.target! : SmallFrame(size: size)
        self.target = target
        let frame = target.frame
        var planes: [UnsafeMutablePointer<UInt8>?] = [frame.y, frame.u, frame.v]
        var strides = [Int32(frame.lumaStride), Int32(frame.chromaStride), Int32(frame.chromaStride)]
        let status = tjDecompressToYUVPlanes(
            decompressor, image, UInt(image.count), &planes, Int32(size.width), &strides, Int32(size.height), 0)
        guard status == 0 else { throw WayError.jpeg(String(cString: tjGetErrorStr2(decompressor))) }
        movedBytes += message.count + image.count + PreparedFrames.bytes(of: size)
        handler(frame, header.timestamp)
        return true
    }

    /// Exactly `count` bytes; nil where the sender has ended.
    private func read(_ count: Int, from socket: StreamSocket) throws -> [UInt8]? {
        var isWhole = true
        let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = 0
            while filled < count {
                let got = try socket.receive(
                    UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]))
                if got == 0 {
                    isWhole = false
                    return
                }
                filled += got
            }
        }
        return isWhole ? bytes : nil
    }
}
