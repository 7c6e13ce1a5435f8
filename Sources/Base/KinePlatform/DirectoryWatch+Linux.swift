// Notices changes in directories, for a loop that polls. Linux.
import CLinux
import Glibc
import KineText
import SystemPackage

/// Used on one thread. Without an inotify instance, which a user has few of, it notices nothing.
package final class DirectoryWatch: PollSource {
    /// Nanoseconds between two reports: a file that is copied here changes often.
    private static let interval: Int64 = 500_000_000

    private let inotify = try? Inotify()
    private let suffixes: [String]
    private let directories: () -> Set<String>
    private var isChanged = false
    private var lastReport = Int64.min
    /// By directory, the kernel's number of its watch.
    private var watched: [String: Int32] = [:]

    /// - Parameters:
    ///   - suffixes: the ends, in lowercase, of the names of files whose changes count. Those of directories always do.
    ///   - directories: the paths to watch. It may return others after each change.
    package init(for suffixes: [String], in directories: @escaping () -> Set<String>) {
        (self.suffixes, self.directories) = (suffixes, directories)
    }

    package var pollEntries: [pollfd] { inotify?.pollEntries ?? [] }

    /// For `process`.
    package var nextDeadline: Int64? { isChanged ? lastReport + Self.interval : nil }

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
            inotify?.end(number)
            watched[directory] = nil
        }
        for directory in wanted {
            watched[directory] = try? inotify?.watch(
                FilePath(escaped: directory), for: IN_CREATE, IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE,
                IN_DELETE_SELF, IN_MOVE_SELF)
        }
    }

    /// Whether one of the events counts.
    private func readEvents() -> Bool {
        var isFound = false
        while inotify?.read({ event in
            let isFile = event.name != nil && !event.isOne(of: Int32(IN_ISDIR))
            let name = event.name?.lowercased() ?? ""
            isFound = isFound || !isFile || suffixes.contains { name.hasSuffix($0) }
        }) == true {}
        return isFound
    }
}
