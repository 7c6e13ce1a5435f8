// Reads rectangles of an X drawable: through shared memory where the server is on this machine, through the connection where
// it is not.
import CLinux
import CXCB
import Glibc
import KineMedia

/// Fetches pixels of one connection. Used by the capture thread.
final class X11PixelReader {
    private let connection: X11Connection
    private var segment: UInt32 = 0
    private(set) var memory: UnsafeMutableRawPointer?
    private var capacity = 0
    private var isShared = false

    /// So many requests cost more than reading the pixels between the rectangles.
    private static let mostRectangles = 48

    init(connection: X11Connection) { self.connection = connection }

    deinit { releaseMemory() }

    /// Receives one rectangle, its rows packed: where it lies in the frame, the pixels, and the bytes of a row.
    typealias Receive = (_ rect: PixelRect, _ pixels: UnsafeMutableRawPointer, _ stride: Int) -> Void

    /// Reads `rects` with one round trip. They are the frame's, which begins at `origin` of the drawable. Returns false where
    /// the drawable does not have all of them any more.
    func read(_ rects: [PixelRect], at origin: (x: Int, y: Int), of drawable: UInt32, _ receive: Receive) -> Bool {
        let bytes = rects.reduce(0) { $0 + $1.size.area * 4 }
        guard prepare(bytes), let memory else { return false }
        return isShared
            ? readShared(rects, origin, drawable, memory, receive)
            : readThroughConnection(rects, origin, drawable, memory, receive)
    }

    /// `region`'s rectangles, or the rectangle around them where there are too many to ask for one by one.
    static func rectangles(of region: DamageRegion) -> [PixelRect] {
        let rects = region.rectangles()
        guard rects.count > mostRectangles, let first = rects.first else { return rects }
        let bounds = rects.reduce(first) { whole, rect in
            let x = min(whole.x, rect.x)
            let y = min(whole.y, rect.y)
            return PixelRect(
                x: x, y: y, width: max(whole.maxX, rect.maxX) - x, height: max(whole.maxY, rect.maxY) - y)
        }
        return [bounds]
    }

    private func readShared(
        _ rects: [PixelRect], _ origin: (x: Int, y: Int), _ drawable: UInt32, _ memory: UnsafeMutableRawPointer,
        _ receive: Receive
    ) -> Bool {
        var offset = 0
        let cookies = rects.map { rect in
            defer { offset += rect.size.area * 4 }
            return xcb_shm_get_image(
                connection.handle, drawable, Int16(clamping: rect.x + origin.x), Int16(clamping: rect.y + origin.y),
                UInt16(clamping: rect.width), UInt16(clamping: rect.height), ~0,
                UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), segment, UInt32(offset))
        }
        // Every reply is fetched, also after one has failed: it would stay in the queue.
        let complete = cookies.map { connection.reply($0, xcb_shm_get_image_reply) { _ in true } ?? false }
        guard complete.allSatisfy({ $0 }) else { return false }
        offset = 0
        for rect in rects {
            receive(rect, memory + offset, rect.width * 4)
            offset += rect.size.area * 4
        }
        return true
    }

    private func readThroughConnection(
        _ rects: [PixelRect], _ origin: (x: Int, y: Int), _ drawable: UInt32, _ memory: UnsafeMutableRawPointer,
        _ receive: Receive
    ) -> Bool {
        let cookies = rects.map { rect in
            xcb_get_image(
                connection.handle, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), drawable,
                Int16(clamping: rect.x + origin.x), Int16(clamping: rect.y + origin.y),
                UInt16(clamping: rect.width), UInt16(clamping: rect.height), ~0)
        }
        var isComplete = true
        for (rect, cookie) in zip(rects, cookies) {
            let bytes = rect.size.area * 4
            let wasRead =
                connection.reply(cookie, xcb_get_image_reply) { reply -> Bool in
                    guard isComplete, xcb_get_image_data_length(reply) >= bytes, let data = xcb_get_image_data(reply)
                    else { return false }
                    memory.copyMemory(from: data, byteCount: bytes)
                    receive(rect, memory, rect.width * 4)
                    return true
                } ?? false
            isComplete = isComplete && wasRead
        }
        return isComplete
    }

    /// Makes room for `bytes`, in memory that the server can write where it is on this machine.
    private func prepare(_ bytes: Int) -> Bool {
        guard bytes > capacity else { return true }
        releaseMemory()
        if connection.hasSharedMemory, attach(bytes) {
            isShared = true
        } else {
            isShared = false
            memory = .allocate(byteCount: bytes, alignment: 64)
        }
        capacity = bytes
        return true
    }

    private func attach(_ bytes: Int) -> Bool {
        let id = shmget(IPC_PRIVATE, bytes, Int32(IPC_CREAT | 0o600))
        guard id >= 0 else { return false }
        // Marked for removal at once: the memory is freed when the last process that uses it ends, however it ends.
        defer { shmctl(id, IPC_RMID, nil) }
        guard let address = shmat(id, nil, 0), Int(bitPattern: address) != -1 else { return false }
        segment = xcb_generate_id(connection.handle)
        guard connection.succeeded(xcb_shm_attach_checked(connection.handle, segment, UInt32(id), 0)) else {
            shmdt(address)  // a server on another machine, or in another container
            return false
        }
        memory = address
        return true
    }

    private func releaseMemory() {
        guard let memory else { return }
        if isShared {
            xcb_shm_detach(connection.handle, segment)
            shmdt(memory)
        } else {
            memory.deallocate()
        }
        self.memory = nil
        capacity = 0
    }
}
