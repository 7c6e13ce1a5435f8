// The engine adopts the processes that an extension left behind, whatever session they moved to, and ends them. Linux.
import CLinux
import Glibc
import KinePlatform

/// Distinguishes adopted orphans from the children that this process started. Used by the main thread.
///
/// As a subreaper the engine adopts every descendant whose parent has died. A variable in its environment says which extension it
/// belonged to. If that was removed, `no_new_privs` remains: nothing can remove it, and no other child of an engine has it.
package final class Orphans {
    /// The variable that every process of an extension is started with.
    package static let markVariable = "KINECAST_EXTENSION"

    private var spared: Set<Int32>
    private var extensions: [Int32: String] = [:]
    /// The whole engine runs without new privileges, so `no_new_privs` says nothing of an orphan.
    private let isConfinedItself = ProcessTree.hasNoNewPrivileges(getpid()) ?? false

    /// Makes this process adopt orphans. Its present children belong to no extension.
    package init() {
        _ = kine_become_subreaper()
        spared = Set(ProcessTree.ownChildren())
    }

    /// An extension was started.
    func note(extension pid: Int32, mark: String) { extensions[pid] = mark }

    /// An extension was reaped; its number may be given to another process.
    func forget(extension pid: Int32) { extensions[pid] = nil }

    /// The living orphans of the extension with that mark; with `unmarked`, also those without a mark. Reaps the dead ones.
    private func living(of mark: String, unmarked: Bool) -> [Int32] {
        ProcessTree.ownChildren().filter { child in
            guard extensions[child] == nil, !spared.contains(child) else { return false }
            if let its = ProcessTree.variable(Self.markVariable, of: child) {
                guard its == mark else { return false }
            } else {
                guard unmarked, !isConfinedItself, ProcessTree.hasNoNewPrivileges(child) ?? true else { return false }
            }
            if ProcessTree.isZombie(child) {
                _ = ProcessHandle(child)?.reap()
                return false
            }
            return true
        }
    }

    /// Every process of an extension: its first, all descendants, and adopted orphans with theirs. An orphan without a mark
    /// counts if there is only one extension.
    func processes(of pid: Int32, mark: String) -> [Int32] {
        withDescendants([pid] + living(of: mark, unmarked: extensions.count <= 1))
    }

    /// Every process that a reaped extension has left behind. An orphan without a mark always counts. When in doubt we kill it:
    /// leaving a process behind is worse than ending one of another extension.
    func remains(of mark: String) -> [Int32] { withDescendants(living(of: mark, unmarked: true)) }

    private func withDescendants(_ roots: [Int32]) -> [Int32] {
        roots.flatMap { [$0] + ProcessTree.descendants(of: $0) }
    }

    /// Kills every process of an extension. They are stopped first, until no new one is found: a process that forks faster
    /// than it is killed would get away otherwise. Does not wait for their end. `pid`: nil once it was reaped.
    func kill(_ pid: Int32?, mark: String) {
        func find() -> [Int32] { pid.map { processes(of: $0, mark: mark) } ?? remains(of: mark) }
        var stopped: [Int32: ProcessHandle] = [:]
        for _ in 0..<16 {
            let new = Set(find()).subtracting(stopped.keys)
            if new.isEmpty { break }
            let handles = new.compactMap { process in ProcessHandle(process).map { (process, $0) } }
            // The number of a process that ended in between may be another's by now. One that is found again is the handle's.
            let still = Set(find())
            for (process, handle) in handles where still.contains(process) {
                handle.signal(SIGSTOP)
                stopped[process] = handle
            }
        }
        for handle in stopped.values { handle.signal(SIGKILL) }
    }
}
