// Watches directories with one inotify instance and one thread for all: Linux allows a user few instances.
import CLinux
import Glibc
import KinePlatform
import Synchronization
import SystemPackage

enum DirectoryChange: Sendable, Equatable {
    /// A file with this name was written and closed, or renamed to it.
    case written(String)
    case removed(String)
    /// Changes were missed.
    case several
}

/// Watches directories from the first request to the end of the process.
final class GroupWatcher: Sendable {
    typealias Tell = @Sendable (DirectoryChange) -> Void

    /// Ends a watch when it is released.
    final class Watch: Sendable {
        fileprivate let number: Int
        fileprivate init(number: Int) { self.number = number }
        deinit { GroupWatcher.shared.end(number) }
    }

    private struct State {
        var inotify: Inotify?
        var watches: [Int: Entry] = [:]
        var lastNumber = 0

        func tells(of directory: Int32) -> [Tell] { watches.values.filter { $0.number == directory }.map(\.tell) }
    }

    private struct Entry {
        let directory: FilePath
        let tell: Tell
        /// The kernel's number of the watched directory, shared by all watches of it. Nil if the directory is gone; it
        /// is watched again when it is back.
        var number: Int32?
    }

    static let shared = GroupWatcher()

    private let state = Mutex(State())
    /// Nanoseconds between two searches for missing directories.
    private static let searchInterval: Int64 = 200_000_000

    /// Calls `tell` on the watcher's thread for each change from now on, until the watch is released.
    func watch(_ directory: FilePath, _ tell: @escaping Tell) throws(GroupError) -> Watch {
        do throws(Errno) {
            let number = try state.withLock { state throws(Errno) -> Int in
                let inotify: Inotify
                if let running = state.inotify { inotify = running } else { inotify = try start(&state) }
                let directoryNumber = try Self.watch(directory, inotify)
                state.lastNumber += 1
                state.watches[state.lastNumber] = Entry(directory: directory, tell: tell, number: directoryNumber)
                return state.lastNumber
            }
            return Watch(number: number)
        } catch {
            switch error {
            case .tooManyOpenFiles, .noSpace: throw .tooManyWatches
            default: throw .system(operation: "Watching the group's directory", error)
            }
        }
    }

    private func end(_ number: Int) {
        let ended = state.withLock { state in
            let ended = state.watches.removeValue(forKey: number)
            if let directory = ended?.number, state.tells(of: directory).isEmpty { state.inotify?.end(directory) }
            return ended
        }
        // Outside the lock: releasing the closure's objects may end another watch.
        withExtendedLifetime(ended) {}
    }

    private static func watch(_ directory: FilePath, _ inotify: Inotify) throws(Errno) -> Int32 {
        try inotify.watch(
            directory, for: IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_DELETE_SELF, IN_MOVE_SELF)
    }

    private func start(_ state: inout State) throws(Errno) -> Inotify {
        let inotify = try Inotify(isBlocking: true)
        _ = try DedicatedThread(starting: "group watch") { self.run(inotify) }
        state.inotify = inotify
        return inotify
    }

    private func run(_ inotify: Inotify) {
        while true {
            // Skips poll if all directories exist: a change may wake a hundred processes, so each system call counts.
            if search(inotify)
                || WakeSignal.poll([inotify.descriptor], until: MonotonicClock.now() + Self.searchInterval)[0]
            {
                inotify.read(handle)
            }
        }
    }

    private func handle(_ event: Inotify.Event) {
        // After an overflow any directory may have been replaced. `search` watches all again and reports changes.
        let overflow = event.isOne(of: IN_Q_OVERFLOW)
        // The kernel ends a watch by itself (IN_IGNORED) after a deletion or an unmount.
        let isGone = event.isOne(of: IN_DELETE_SELF, IN_MOVE_SELF, IN_UNMOUNT, IN_IGNORED)
        let tells: [Tell] = state.withLock { state in
            guard overflow || isGone else { return state.tells(of: event.watch) }
            for (key, entry) in state.watches where overflow || entry.number == event.watch {
                if let number = entry.number { state.inotify?.end(number) }
                state.watches[key]?.number = nil
            }
            return []
        }
        guard let name = event.name else { return }
        let isRemoved = event.isOne(of: IN_DELETE, IN_MOVED_FROM)
        for tell in tells { tell(isRemoved ? .removed(name) : .written(name)) }
    }

    /// Watches directories that are back, and reports missed changes. Returns whether every directory is watched.
    private func search(_ inotify: Inotify) -> Bool {
        let (tells, isComplete) = state.withLock { state in
            var found: [Tell] = []
            var isComplete = true
            for (key, entry) in state.watches where entry.number == nil {
                guard let number = try? Self.watch(entry.directory, inotify) else {
                    isComplete = false
                    continue
                }
                state.watches[key]?.number = number
                found.append(entry.tell)
            }
            return (found, isComplete)
        }
        for tell in tells { tell(.several) }
        return isComplete
    }
}
