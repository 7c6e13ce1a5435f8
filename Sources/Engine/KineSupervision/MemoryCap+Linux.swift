// A memory limit that the kernel enforces: a cgroup for each extension, if this user owns a part of the cgroup tree
// (v2; users never own v1's controllers). Otherwise the engine only watches resident memory.
import CLinux
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// A cgroup with a memory limit. Removed with this object, after its processes have ended.
package final class MemoryCap {
    private let directory: FilePath
    /// For the child to enter, see `ChildProcess.Confinement`.
    let processes: FileDescriptor

    /// `limit`: bytes. Nil if the cgroup cannot be made.
    ///
    /// `tree`, the mounted cgroup file system, `own`, this process's place in it, and `user` are for tests. As root,
    /// always nil: the system manager arranges root's tree.
    package init?(
        name: String, limit: Int64, tree: FilePath = "/sys/fs/cgroup", own: FilePath? = MemoryCap.ownGroup(),
        user: uid_t = getuid()
    ) {
        guard let own, user != 0, let parent = Self.delegatedParent(of: own, in: tree, to: user) else { return nil }
        directory = parent.appending(name)
        guard mkdir(directory.cString, 0o755) == 0 || errno == EEXIST else { return nil }
        // Swap would let it hold more than the limit without a count (cgroup-v2.rst, memory.swap.max); a kernel without
        // swap has no such file. The kernel ends the whole group together (memory.oom.group).
        _ = Self.write("0", to: directory.appending("memory.swap.max"))
        _ = Self.write("1", to: directory.appending("memory.oom.group"))
        guard Self.write("\(limit)", to: directory.appending("memory.max")),
            let file = try? FileDescriptor.open(
                directory.appending("cgroup.procs"), .writeOnly, options: .closeOnExec)
        else {
            rmdir(directory.cString)
            return nil
        }
        processes = file
    }

    deinit {
        try? processes.close()
        rmdir(directory.cString)
    }

    /// The peak memory in bytes if the kernel has ended a process at the limit, else nil.
    var peakWhenEnded: Int? {
        let events = Self.read(directory.appending("memory.events")).split(separator: "\n")
        guard let kills = events.first(where: { $0.hasPrefix("oom_kill ") }), !kills.hasSuffix(" 0") else { return nil }
        // memory.peak exists since Linux 5.19; before, the limit itself is the peak.
        let peak = Self.read(directory.appending("memory.peak"))
        return Self.number(peak) ?? Self.number(Self.read(directory.appending("memory.max")))
    }

    /// Kills all processes in the group (cgroup.kill, since Linux 5.14).
    func kill() { _ = Self.write("1", to: directory.appending("cgroup.kill")) }

    /// This process's cgroup; nil without cgroups v2.
    static func ownGroup() -> FilePath? {
        ProcessText.group(inCgroup: read("/proc/self/cgroup")).map { FilePath($0) }
    }

    /// The nearest group above `own` that this user owns and that gives its children the memory controller. Not `own`:
    /// a group with processes gives its children no controllers (cgroup-v2.rst, "No Internal Process Constraint").
    private static func delegatedParent(of own: FilePath, in tree: FilePath, to user: uid_t) -> FilePath? {
        var group = tree.appending(own.string.drop { $0 == "/" }.description)
        while group.components.count > tree.components.count {
            group.removeLastComponent()
            let controllers = read(group.appending("cgroup.subtree_control"))
            if controllers.split(whereSeparator: \.isWhitespace).contains("memory"),
                (try? group.stat())?.userID.rawValue == user, access(group.cString, W_OK) == 0,
                access(group.appending("cgroup.procs").cString, W_OK) == 0
            {
                return group
            }
        }
        return nil
    }

    private static func write(_ text: String, to path: FilePath) -> Bool {
        guard let file = try? FileDescriptor.open(path, .writeOnly, options: .closeOnExec) else { return false }
        defer { try? file.close() }
        return (try? file.writeAll(text.utf8)) != nil
    }

    private static func read(_ path: FilePath) -> String {
        PrivateDirectory.contents(of: path, limit: 65536).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func number(_ text: String) -> Int? { Int(text.prefix { $0.isNumber }) }
}
