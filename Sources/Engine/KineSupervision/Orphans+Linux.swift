// Adopts the processes that an extension left behind, in whatever session, and ends them. Linux.
import CLinux
import Glibc
import KinePlatform

/// Distinguishes adopted orphans from the children of this process. Used by the main thread.
///
/// As a subreaper the engine adopts every descendant whose parent has ended. A variable in its environment names its
/// extension. Without the variable, `no_new_privs` identifies it: no other child of an engine has it.
package final class Orphans {
    /// The variable that every process of an extension starts with.
    package static let markVariable = "KINECAST_EXTENSION"

    private var spared: Set<Int32>
    private var extensions: [Int32: String] = [:]
    /// The whole engine runs without new privileges, so `no_new_privs` does not identify an orphan.
    private let isConfinedItself = ProcessTree.hasNoNewPrivileges(getpid()) ?? false

    /// Makes this process adopt orphans. Its current children belong to no extension.
    package init() {
        _ = kine_become_subreaper()
        spared = Set(ProcessTree.ownChildren())
    }

    func note(extension pid: Int32, mark: String) { extensions[pid] = mark }

    /// Forgets a reaped extension: another process may get its number.
    func forget(extension pid: Int32) { extensions[pid] = nil }

    /// The living orphans of the extension with that mark; with `unmarked`, also those without a mark. Reaps dead ones.
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

    /// Every process of an extension: the first, its descendants, and adopted orphans with theirs. With a single
    /// extension, orphans without a mark count too.
    func processes(of pid: Int32, mark: String) -> [Int32] {
        withDescendants([pid] + living(of: mark, unmarked: extensions.count <= 1))
    }

    /// Every process that a reaped extension left behind. Orphans without a mark always count: to leave a process
    /// behind is worse than to end one of another extension.
    func survivors(of mark: String) -> [Int32] { withDescendants(living(of: mark, unmarked: true)) }

    private func withDescendants(_ roots: [Int32]) -> [Int32] {
        roots.flatMap { [$0] + ProcessTree.descendants(of: $0) }
    }

    /// Kills every process of an extension without waiting for their end. Stops them first, until no new one is found:
    /// otherwise a process that forks fast would escape. `pid`: nil once the extension was reaped.
    func kill(_ pid: Int32?, mark: String) {
        func find() -> [Int32] { pid.map { processes(of: $0, mark: mark) } ?? survivors(of: mark) }
        var stopped: [Int32: ProcessHandle] = [:]
        for _ in 0..<16 {
            let new = Set(find()).subtracting(stopped.keys)
            if new.isEmpty { break }
            let handles = new.compactMap { process in ProcessHandle(process).map { (process, $0) } }
            // A number may have got a new owner before the handle was made. If found again, the handle is right.
            let still = Set(find())
            for (process, handle) in handles where still.contains(process) {
                handle.signal(SIGSTOP)
                stopped[process] = handle
            }
        }
        for handle in stopped.values { handle.signal(SIGKILL) }
    }
}
