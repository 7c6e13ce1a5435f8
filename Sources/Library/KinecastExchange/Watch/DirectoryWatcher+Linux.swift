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
final class DirectoryWatcher: Sendable {
    typealias Tell = @Sendable (DirectoryChange) -> Void

    /// Ends a watch when it is released.
    final class Watch: Sendable {
        fileprivate let number: Int
        fileprivate init(number: Int) { self.number = number }
        deinit { DirectoryWatcher.shared.end(number) }
    }

    private struct State {
        var descriptor: Int32?
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

    static let shared = DirectoryWatcher()

    private let state = Mutex(State())
    /// Nanoseconds between two searches for missing directories.
    private static let searchInterval: Int64 = 200_000_000
    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | Int32(IN_ONLYDIR))

    /// Calls `tell` on the watcher's thread for each change from now on, until the watch is released.
    func watch(_ directory: FilePath, _ tell: @escaping Tell) throws(Errno) -> Watch {
        let number = try state.withLock { state throws(Errno) -> Int in
            if state.descriptor == nil { try start(&state) }
            guard let descriptor = state.descriptor else { throw .tooManyOpenFiles }
            let directoryNumber = inotify_add_watch(descriptor, directory.cString, Self.events)
            guard directoryNumber >= 0 else { throw .last }
            state.lastNumber += 1
            state.watches[state.lastNumber] = Entry(directory: directory, tell: tell, number: directoryNumber)
            return state.lastNumber
        }
        return Watch(number: number)
    }

    private func end(_ number: Int) {
        let ended = state.withLock { state in
            let ended = state.watches.removeValue(forKey: number)
            if let directory = ended?.number, state.tells(of: directory).isEmpty, let descriptor = state.descriptor {
                inotify_rm_watch(descriptor, directory)
            }
            return ended
        }
        // Outside the lock: releasing the closure's objects may end another watch.
        withExtendedLifetime(ended) {}
    }

    private func start(_ state: inout State) throws(Errno) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw .last }
        do throws(Errno) {
            _ = try DedicatedThread(starting: "group watch") { self.run(descriptor) }
        } catch {
            close(descriptor)
            throw error
        }
        state.descriptor = descriptor
    }

    private func run(_ descriptor: Int32) {
        while true {
            // Skips poll if all directories exist: a change may wake a hundred processes, so each system call counts.
            if search(descriptor)
                || WakeSignal.poll([descriptor], until: MonotonicClock.now() + Self.searchInterval)[0]
            {
                read(descriptor)
            }
        }
    }

    private func read(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0, let base = buffer.baseAddress else { return }
            var offset = 0
            let header = MemoryLayout<inotify_event>.size
            while offset + header <= count {
                let event = (base + offset).loadUnaligned(as: inotify_event.self)
                let length = Int(event.len)
                var name: String?
                if length > 0 {
                    name = String(cString: (base + offset + header).assumingMemoryBound(to: CChar.self))
                }
                offset += header + length
                handle(event.mask, directory: event.wd, name: name)
            }
        }
    }

    private func handle(_ mask: UInt32, directory number: Int32, name: String?) {
        // After an overflow any directory may have been replaced. `search` watches all again and reports changes.
        let overflow = mask & UInt32(IN_Q_OVERFLOW) != 0
        // The kernel ends a watch by itself (IN_IGNORED) after a deletion or an unmount.
        let isGone = mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED) != 0
        let tells: [Tell] = state.withLock { state in
            guard overflow || isGone else { return state.tells(of: number) }
            for (key, entry) in state.watches where overflow || entry.number == number {
                if let descriptor = state.descriptor, let number = entry.number { inotify_rm_watch(descriptor, number) }
                state.watches[key]?.number = nil
            }
            return []
        }
        guard let name else { return }
        let isRemoved = mask & UInt32(IN_DELETE | IN_MOVED_FROM) != 0
        for tell in tells { tell(isRemoved ? .removed(name) : .written(name)) }
    }

    /// Watches directories that are back, and reports missed changes. Returns whether every directory is watched.
    private func search(_ descriptor: Int32) -> Bool {
        let (tells, isComplete) = state.withLock { state in
            var found: [Tell] = []
            var isComplete = true
            for (key, entry) in state.watches where entry.number == nil {
                let number = inotify_add_watch(descriptor, entry.directory.cString, Self.events)
                guard number >= 0 else {
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
