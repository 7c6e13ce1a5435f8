// Memory that this process and the X server share (MIT-SHM).
//
// A System V segment has a number, and each IPC namespace has its own numbers: a server in another container may find
// another program's memory under it. So the server gets a descriptor if it supports that (MIT-SHM 1.2), and a segment
// is used only after the server has proved that it reads what this process has written.
import CLinux
import CXCB
import Glibc

/// A segment, attached by both sides. Used by one thread.
final class X11SharedMemory {
    /// The ways to share memory with a server on the same machine.
    enum Kind: CaseIterable {
        /// A memory file, sent as a descriptor.
        case file
        /// A System V segment, sent as a number.
        case segment
    }

    /// Enough for `serverReads`.
    private static let leastBytes = 4096

    /// The segment's X ID.
    let id: UInt32
    let bytes: UnsafeMutableRawPointer
    let byteCount: Int
    private let kind: Kind
    private let connection: X11Connection

    /// At least `byteCount` bytes. Nil if the server does not share memory with this process by any of `kinds`.
    init?(_ byteCount: Int, on connection: X11Connection, by kinds: [Kind] = Kind.allCases) {
        guard let version = connection.sharedMemoryVersion, connection.isLocal else { return nil }
        let byteCount = max(byteCount, Self.leastBytes)
        let id = xcb_generate_id(connection.handle)
        for kind in kinds {
            let shared: UnsafeMutableRawPointer? =
                switch kind {
                case .file: version < (1, 2) ? nil : Self.shareFile(byteCount, as: id, connection)
                case .segment: Self.shareSegment(byteCount, as: id, connection)
                }
            guard let shared else { continue }
            (self.id, bytes, self.byteCount, self.kind, self.connection) = (id, shared, byteCount, kind, connection)
            return
        }
        return nil
    }

    deinit {
        xcb_shm_detach(connection.handle, id)
        switch kind {
        case .file: munmap(bytes, byteCount)
        case .segment: shmdt(bytes)
        }
    }

    private static func shareFile(
        _ byteCount: Int, as id: UInt32, _ connection: X11Connection
    ) -> UnsafeMutableRawPointer? {
        let file = kine_memory_file("kinecast-pixels", off_t(byteCount))
        guard file >= 0 else { return nil }
        // Otherwise the server, which has the file too, could shrink it while it is mapped here.
        guard kine_seal_memory(file, 0) == 0,
            let bytes = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), bytes != MAP_FAILED
        else {
            close(file)
            return nil
        }
        // The connection closes the descriptor.
        guard connection.succeeded(xcb_shm_attach_fd_checked(connection.handle, id, file, 0)) else {
            munmap(bytes, byteCount)
            return nil
        }
        return bytes
    }

    private static func shareSegment(
        _ byteCount: Int, as id: UInt32, _ connection: X11Connection
    ) -> UnsafeMutableRawPointer? {
        let segment = shmget(IPC_PRIVATE, byteCount, Int32(IPC_CREAT | 0o600))
        guard segment >= 0 else { return nil }
        // Marked for removal at once: the memory is freed when the last process that uses it ends, however it ends.
        defer { shmctl(segment, IPC_RMID, nil) }
        guard let bytes = shmat(segment, nil, 0), Int(bitPattern: bytes) != -1 else { return nil }
        guard connection.succeeded(xcb_shm_attach_checked(connection.handle, id, UInt32(segment), 0)) else {
            shmdt(bytes)
            return nil
        }
        guard serverReads(bytes, as: id, connection) else {
            xcb_shm_detach(connection.handle, id)
            shmdt(bytes)
            return nil
        }
        return bytes
    }

    /// Whether the server has this memory under that number. It draws pixels from there into a pixmap and returns them
    /// by the connection. It writes nothing, because the memory may belong to another program.
    static func serverReads(_ bytes: UnsafeMutableRawPointer, as id: UInt32, _ connection: X11Connection) -> Bool {
        let handle = connection.handle
        let pixels = (0..<32).map { _ in UInt32.random(in: .min ... .max) }
        for (index, pixel) in pixels.enumerated() {
            bytes.storeBytes(of: pixel, toByteOffset: index * 4, as: UInt32.self)
        }
        let (pixmap, context) = (xcb_generate_id(handle), xcb_generate_id(handle))
        let (width, format) = (UInt16(pixels.count), UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue))
        xcb_create_pixmap(handle, connection.rootDepth, pixmap, connection.root, width, 1)
        xcb_create_gc(handle, context, pixmap, 0, nil)
        defer {
            xcb_free_gc(handle, context)
            xcb_free_pixmap(handle, pixmap)
        }
        guard
            connection.succeeded(
                xcb_shm_put_image_checked(
                    handle, pixmap, context, width, 1, 0, 0, width, 1, 0, 0, connection.rootDepth, format, 0, id, 0))
        else { return false }
        // Pixels keep the bits of their depth.
        let mask = UInt32.max >> UInt32(32 - min(32, connection.rootDepth))
        return connection.reply(
            xcb_get_image(handle, format, pixmap, 0, 0, width, 1, ~0), xcb_get_image_reply
        ) { reply in
            let data = UnsafeRawBufferPointer(
                start: xcb_get_image_data(reply), count: Int(xcb_get_image_data_length(reply)))
            guard data.count == pixels.count * 4 else { return false }
            return pixels.indices.allSatisfy {
                data.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) & mask == pixels[$0] & mask
            }
        } ?? false
    }
}
