// Reads the descendants of a process, and their memory, from /proc. Linux, with CONFIG_PROC_CHILDREN.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

package enum ProcessTree {
    /// The unreaped processes that any thread of `pid` has started or adopted.
    static func children(of pid: Int32) -> [Int32] {
        guard let directory = opendir("/proc/\(pid)/task") else { return [] }
        defer { closedir(directory) }
        var children: [Int32] = []
        while let entry = readdir(directory) {
            let thread = withUnsafeBytes(of: &entry.pointee.d_name) { ProcessText.number(in: $0) }
            if thread > 0 { children += processes(in: "/proc/\(pid)/task/\(thread)/children") }
        }
        return children
    }

    /// The children that this process's main thread has started, and those that it has adopted: the kernel assigns
    /// those to the first living thread.
    static func ownChildren() -> [Int32] { processes(in: "/proc/self/task/\(getpid())/children") }

    /// The descendants of `pid` through living parents, without `pid`. The search stops at about `limit` processes.
    package static func descendants(of pid: Int32, limit: Int = 4096) -> [Int32] {
        var found: [Int32] = []
        var next = children(of: pid)
        while let process = next.popLast(), found.count < limit {
            guard !found.contains(process) else { continue }
            found.append(process)
            next += children(of: process)
        }
        return found
    }

    /// Memory and threads of a process, as the kernel counts them; zero if it has ended.
    static func usage(of pid: Int32) -> (bytes: Int, threads: Int) {
        withStart(of: "/proc/\(pid)/status", ProcessText.usage(inStatus:))
    }

    /// Whether it has ended and was not reaped.
    static func isZombie(_ pid: Int32) -> Bool { ProcessText.isZombie(inStat: text("/proc/\(pid)/stat")) }

    /// Whether it can gain no more rights; nil if it has ended.
    static func hasNoNewPrivileges(_ pid: Int32) -> Bool? {
        ProcessText.hasNoNewPrivileges(inStatus: text("/proc/\(pid)/status"))
    }

    /// The value of a variable in the environment that the process started with; nil if it is not set or not readable.
    static func variable(_ name: String, of pid: Int32) -> String? {
        ProcessText.variable(name, inEnvironment: text("/proc/\(pid)/environ"))
    }

    private static func processes(in path: String) -> [Int32] {
        withStart(of: path, ProcessText.processes(inChildren:))
    }

    /// Reads the first 16 KB of a file of /proc into the stack, not the heap, since this happens many times a second.
    /// Passes no bytes if the file cannot be read.
    private static func withStart<Result>(of path: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return body(UnsafeRawBufferPointer(rebasing: buffer[..<0])) }
            defer { close(file) }
            // A read returns at most a page.
            var count = 0
            while true {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                let more = read(file, rest.baseAddress, rest.count)
                guard more > 0 else { break }
                count += more
            }
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The contents of a file of /proc; empty if it cannot be read.
    private static func text(_ path: String) -> [UInt8] { FilePath(path).start(limit: 1 << 20) ?? [] }
}
