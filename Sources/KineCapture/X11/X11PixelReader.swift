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

    init(connection: X11Connection) { self.connection = connection }

    deinit { releaseMemory() }

    /// Receives one rectangle, its rows packed: where it lies in the frame, the pixels, and the bytes of a row.
    typealias Receive = (_ rect: PixelRect, _ pixels: UnsafeMutableRawPointer, _ stride: Int) -> Void

    /// Reads the parts of `plan` with one round trip, and hands each on while the server copies the next. They are the frame's,
    /// which begins at `origin` of the drawable. Their pixels stay until the next call. Returns false where the drawable does not have
    /// all of them any more.
    func read(
        _ plan: X11ReadPlan, at origin: (x: Int, y: Int), of drawable: UInt32, _ receive: Receive
    ) -> Bool {
        let bytes = plan.parts.reduce(0) { $0 + $1.size.area * 4 }
        guard prepare(bytes), let memory else { return false }
        return isShared
            ? readShared(plan, origin, drawable, memory, receive)
            : readThroughConnection(plan, origin, drawable, memory, receive)
    }

    /// Sends a request for each part. The server serves no other client between the strips of a rectangle, so no frame is torn.
    /// Sends all requests together: a grabbed server serves no other client, so it must not wait for us.
    private func request<Cookie>(_ plan: X11ReadPlan, _ send: (PixelRect) -> Cookie) -> [Cookie] {
        if plan.isDivided { xcb_grab_server(connection.handle) }
        defer { if plan.isDivided { xcb_ungrab_server(connection.handle) } }
        return plan.parts.map(send)
    }

    private func readShared(
        _ plan: X11ReadPlan, _ origin: (x: Int, y: Int), _ drawable: UInt32, _ memory: UnsafeMutableRawPointer,
        _ receive: Receive
    ) -> Bool {
        var offset = 0
        let cookies = request(plan) { rect in
            defer { offset += rect.size.area * 4 }
            return xcb_shm_get_image(
                connection.handle, drawable, Int16(clamping: rect.x + origin.x), Int16(clamping: rect.y + origin.y),
                UInt16(clamping: rect.width), UInt16(clamping: rect.height), ~0,
                UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), segment, UInt32(offset))
        }
        offset = 0
        var isComplete = true
        for (rect, cookie) in zip(plan.parts, cookies) {
            // Every reply is fetched, also after one has failed: it would stay in the queue.
            let wasRead = connection.reply(cookie, xcb_shm_get_image_reply) { _ in true } ?? false
            isComplete = isComplete && wasRead
            if isComplete { receive(rect, memory + offset, rect.width * 4) }
            offset += rect.size.area * 4
        }
        return isComplete
    }

    private func readThroughConnection(
        _ plan: X11ReadPlan, _ origin: (x: Int, y: Int), _ drawable: UInt32, _ memory: UnsafeMutableRawPointer,
        _ receive: Receive
    ) -> Bool {
        let cookies = request(plan) { rect in
            xcb_get_image(
                connection.handle, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), drawable,
                Int16(clamping: rect.x + origin.x), Int16(clamping: rect.y + origin.y),
                UInt16(clamping: rect.width), UInt16(clamping: rect.height), ~0)
        }
        var isComplete = true
        var memory = memory
        for (rect, cookie) in zip(plan.parts, cookies) {
            let bytes = rect.size.area * 4
            defer { memory += bytes }
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
