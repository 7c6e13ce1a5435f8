// Memory that this process and the X server share (MIT-SHM 1.2).
//
// The server gets a descriptor. A System V segment, which older servers take, has a number, and each IPC namespace has its own numbers: a
// server in another container may find another program's memory under it.
import CLinux
import CXCB
import Glibc

/// A memory file, mapped by both sides. Used by one thread.
final class X11SharedMemory {
    /// The memory's X ID.
    let id: UInt32
    let bytes: UnsafeMutableRawPointer
    let byteCount: Int
    private let connection: X11Connection

    /// Nil if the server does not share memory with this process.
    init?(_ byteCount: Int, on connection: X11Connection) {
        guard connection.sharesMemory, connection.isLocal else { return nil }
        let file = kine_memory_file("kinecast-pixels", off_t(byteCount))
        guard file >= 0 else { return nil }
        // Otherwise the server, which has the file too, could shrink it while it is mapped here.
        guard kine_seal_memory(file, 0) == 0,
            let bytes = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), bytes != MAP_FAILED
        else {
            close(file)
            return nil
        }
        let id = xcb_generate_id(connection.handle)
        // The connection closes the descriptor.
        guard connection.succeeded(xcb_shm_attach_fd_checked(connection.handle, id, file, 0)) else {
            munmap(bytes, byteCount)
            return nil
        }
        (self.id, self.bytes, self.byteCount, self.connection) = (id, bytes, byteCount, connection)
    }

    deinit {
        xcb_shm_detach(connection.handle, id)
        munmap(bytes, byteCount)
    }
}
