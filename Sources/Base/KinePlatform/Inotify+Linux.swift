// The kernel's notices of changes in directories. Linux: inotify(7).
import CLinux
import Glibc
import KineText
import SystemPackage

/// One inotify instance. Linux allows a user only a few. It is closed when it is released.
package final class Inotify: PollSource, Sendable {
    package struct Event {
        /// The number that `watch` returned; -1 with IN_Q_OVERFLOW.
        package let watch: Int32
        /// IN_CREATE and so on.
        package let mask: UInt32
        /// The changed entry of the directory; nil: the directory itself, or an overflow.
        package let name: String?

        package func isOne(of masks: Int32...) -> Bool { masks.contains { mask & UInt32($0) != 0 } }
    }

    /// Readable when there are events.
    package let descriptor: Int32

    /// - Parameter isBlocking: whether `read` waits for an event.
    package init(isBlocking: Bool = false) throws(Errno) {
        descriptor = inotify_init1(Int32(isBlocking ? IN_CLOEXEC : IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    }

    deinit { close(descriptor) }

    package var pollEntries: [pollfd] { ReadableDescriptor(descriptor).pollEntries }

    /// Watches a directory for these events (IN_CREATE and so on). Returns the kernel's number for it, which is the same for a directory that
    /// is watched already.
    @discardableResult
    package func watch(_ directory: FilePath, for events: Int32...) throws(Errno) -> Int32 {
        let mask = events.reduce(0) { $0 | UInt32($1) } | UInt32(IN_ONLYDIR)
        let number = inotify_add_watch(descriptor, directory.cString, mask)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        return number
    }

    package func end(_ watch: Int32) { inotify_rm_watch(descriptor, watch) }

    /// Reads the events that are there. Returns false if there were none.
    @discardableResult
    package func read(_ body: (Event) -> Void = { _ in }) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0, let base = buffer.baseAddress else { return false }
            var offset = 0
            let header = MemoryLayout<inotify_event>.size
            while offset + header <= count {
                let event = (base + offset).loadUnaligned(as: inotify_event.self)
                let name = (base + offset + header).assumingMemoryBound(to: CChar.self)
                offset += header + Int(event.len)
                body(Event(watch: event.wd, mask: event.mask, name: event.len > 0 ? String(escaping: name) : nil))
            }
            return true
        }
    }
}
