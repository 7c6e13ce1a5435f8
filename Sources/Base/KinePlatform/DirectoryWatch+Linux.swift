// Notices changes in directories, for a loop that polls. Linux: inotify(7).
import CLinux
import Glibc

/// Used on one thread. Without an inotify instance, which a user has few of, it notices nothing.
package final class DirectoryWatch {
    /// Nanoseconds between two reports: a file that is copied here changes often.
    private static let interval: Int64 = 500_000_000
    private static let events = UInt32(
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            | Int32(IN_ONLYDIR))

    private let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    private let suffix: String
    private let directories: () -> Set<String>
    private var isChanged = false
    private var lastReport = Int64.min
    /// By directory, the kernel's number of its watch.
    private var watched: [String: Int32] = [:]

    /// - Parameters:
    ///   - suffix: the end, in lowercase, of the names of files whose changes count. Those of directories always do.
    ///   - directories: the paths to watch. It may return others after each change.
    package init(for suffix: String, in directories: @escaping () -> Set<String>) {
        (self.suffix, self.directories) = (suffix, directories)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package var pollEntries: [pollfd] { [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)] }

    /// The next time for `process`; nil: when something happens.
    package var deadline: Int64? { isChanged ? lastReport + Self.interval : nil }

    /// Whether something may have changed since the last call that returned true.
    ///
    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    package func process(at now: Int64) -> Bool {
        if readEvents() { isChanged = true }
        guard isChanged, lastReport == .min || now >= lastReport + Self.interval else { return false }
        (isChanged, lastReport) = (false, now)
        watch()
        return true
    }

    /// Begins to watch, or adds directories that have appeared.
    package func watch() {
        let wanted = directories()
        for (directory, number) in watched where !wanted.contains(directory) {
            inotify_rm_watch(descriptor, number)
            watched[directory] = nil
        }
        for directory in wanted {
            // The kernel returns the same number for a directory that is watched already.
            let number = inotify_add_watch(descriptor, directory.cString, Self.events)
            watched[directory] = number >= 0 ? number : nil
        }
    }

    /// Whether one of the events counts.
    private func readEvents() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
            var isFound = false
            while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0,
                let base = buffer.baseAddress
            {
                var offset = 0
                let header = MemoryLayout<inotify_event>.size
                while offset + header <= count {
                    let event = (base + offset).loadUnaligned(as: inotify_event.self)
                    let name = String(escaping: (base + offset + header).assumingMemoryBound(to: CChar.self))
                    let isFile = event.len > 0 && event.mask & UInt32(IN_ISDIR) == 0
                    isFound = isFound || !isFile || name.lowercased().hasSuffix(suffix)
                    offset += header + Int(event.len)
                }
            }
            return isFound
        }
    }
}
