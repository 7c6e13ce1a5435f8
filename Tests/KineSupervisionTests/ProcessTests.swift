// Real processes: finding and ending what an extension left behind, and the cgroup where one can be had.
import CLinux
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineServices
import KineWire
import SystemPackage
import Testing

@testable import KineSupervision

@Suite(.serialized, .tags(.real)) struct ProcessTests {
    /// A shell, confined and marked as an extension is.
    func start(_ command: String, mark: String) throws -> ChildProcess {
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil]
        options.newSession = true
        options.parentDeathSignal = SIGKILL
        options.confinement = ChildProcess.Confinement()
        return try ChildProcess(
            executable: "/bin/sh", arguments: ["-c", command],
            environment: ["PATH=/usr/bin:/bin", "\(Orphans.markVariable)=\(mark)"], options: options)
    }

    /// Asks again until it is so; the process table has nothing to wait on.
    func becomes(_ isSo: () -> Bool) -> Bool {
        let deadline = WaitLimit.deadline()
        while MonotonicClock.now() < deadline {
            if isSo() { return true }
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 2_000_000)
        }
        return false
    }

    @Test func `descendants are found through all generations`() throws {
        let child = try start("sh -c 'sh -c \"sleep 100; :\"; :'; :", mark: "descendants")
        #expect(becomes { ProcessTree.descendants(of: child.pid).count == 3 })
        #expect(ProcessTree.children(of: getpid()).contains(child.pid))
        let usage = ProcessTree.usage(of: child.pid)
        #expect(usage.bytes > 100_000 && usage.bytes < 100_000_000 && usage.threads == 1)
        // From the top: a shell whose child has ended goes on, and ends by itself.
        for process in [child.pid] + ProcessTree.descendants(of: child.pid) { kill(process, SIGKILL) }
        #expect(becomes { ProcessTree.isZombie(child.pid) })
        #expect(child.wait() == .killed(signal: SIGKILL))
        #expect(ProcessTree.usage(of: child.pid).bytes == 0)
    }

    @Test func `more children than fit in a page of the kernel's list are found, those that have ended too`() throws {
        let program = "$SIG{TERM} = sub { 1 while wait > 0; exit 7 }; for (1..1100) { fork or exit } sleep 100"
        let child = try start("exec perl -e '\(program)'", mark: "children")
        #expect(becomes { ProcessTree.descendants(of: child.pid).count == 1100 })
        #expect(becomes { ProcessTree.descendants(of: child.pid).allSatisfy { ProcessTree.usage(of: $0) == (0, 1) } })
        #expect(child.end(signal: SIGTERM, deadline: .max) == .exited(status: 7))
    }

    @Test(arguments: ["setsid sleep 100 & :", "setsid sh -c 'setsid sleep 100 & :' & :"])
    func `a process that got away is adopted, found by its mark and ended`(command: String) throws {
        let orphans = Orphans()
        let mark = "orphans.\(command.utf8.count)"
        let child = try start(command, mark: mark)
        orphans.note(extension: child.pid, mark: mark)
        #expect(child.wait() == .exited(status: 0))
        orphans.forget(extension: child.pid)
        #expect(becomes { !orphans.survivors(of: mark).isEmpty })
        // While a process begins a program or ends, it has no environment that could say whose it is.
        #expect(becomes { orphans.processes(of: 1 << 30, mark: "another") == [1 << 30] }, "it is none of another's")
        #expect(
            becomes {
                orphans.kill(nil, mark: mark)
                return orphans.survivors(of: mark).isEmpty
            })
    }

    @Test func `launches that fail leave no descriptor open`() throws {
        let service = Service(
            manifest: ServiceManifest(id: "absent", name: "Absent", executable: "absent"), origin: .user, bundle: nil,
            executable: "/nonexistent/absent")
        let orphans = Orphans()
        let before = try openDescriptors()
        let launches = 50
        for number in 0..<launches {
            let start = ExtensionProcess.Start(
                service: service, mark: "absent.\(number)", setupInfo: [:], environment: [],
                confinement: ConfinementRequest(), listener: nil)
            let error = #expect(throws: ExtensionProcess.StartError.self) {
                try ExtensionProcess(start, orphans: orphans)
            }
            #expect(error?.description.contains("cannot be started") == true)
        }
        // Other tests of this process may open some meanwhile, and not one for each of these.
        #expect(try openDescriptors() < before + launches)
    }

    private func openDescriptors() throws -> Int {
        let directory = try #require(opendir("/proc/self/fd"))
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }

    @Test func `a process that hides whose it is is known by its confinement`() throws {
        let orphans = Orphans()
        let child = try start("env -i setsid sleep 100 & :", mark: "hidden")
        orphans.note(extension: child.pid, mark: "hidden")
        #expect(child.wait() == .exited(status: 0))
        orphans.forget(extension: child.pid)
        #expect(
            becomes {
                orphans.survivors(of: "hidden").contains { ProcessTree.variable(Orphans.markVariable, of: $0) == nil }
            })
        #expect(
            becomes {
                orphans.kill(nil, mark: "hidden")
                return orphans.survivors(of: "hidden").isEmpty
            })
    }

    @Test func `a child that was there before is nobody's orphan`() throws {
        let child = try start("sleep 100", mark: "spared")
        let orphans = Orphans()
        #expect(orphans.survivors(of: "spared") == [])
        #expect(child.end(signal: SIGKILL, deadline: .max) == .killed(signal: SIGKILL))
    }

    @Test func `no cgroup is taken from a tree that was not given to this user`() {
        #expect(MemoryCap(name: "kinecast-test", limit: 1 << 20, user: 0) == nil, "root's is the system manager's")
        #expect(MemoryCap(name: "kinecast-test", limit: 1 << 20, tree: "/nonexistent", own: "/a/b", user: 1000) == nil)
    }

    @Test func `in a tree that was given to this user a cgroup is made with its limit, above the own one`() throws {
        let folder = try TemporaryDirectory()
        let tree = FilePath(folder.path)
        // The files of a cgroup that the kernel would make.
        func write(_ text: String, _ path: FilePath) throws { try Tool.write(text.utf8, to: path.string) }
        func read(_ path: FilePath) -> String { ProcFiles.read(path.string) }
        let slice = tree.appending("user.slice/app.slice")
        let group = slice.appending("kinecast-test")
        for path in [tree.appending("user.slice"), slice, slice.appending("own.scope"), group] {
            guard mkdir(path.string, 0o755) == 0 else { throw Errno(rawValue: errno) }
        }
        for name in [
            "memory.swap.max", "memory.oom.group", "memory.max", "cgroup.procs", "memory.events", "memory.peak",
        ] {
            try write("", group.appending(name))
        }
        try write("", slice.appending("cgroup.procs"))
        try write("cpu pids\n", slice.appending("cgroup.subtree_control"))
        func cap() -> MemoryCap? {
            var status = stat()
            _ = stat(slice.string, &status)
            return MemoryCap(
                name: "kinecast-test", limit: 52_428_800, tree: tree, own: "/user.slice/app.slice/own.scope",
                user: status.st_uid == 0 ? ProcessTests.pretended(slice) : status.st_uid)
        }
        #expect(cap() == nil, "the memory controller is not handed down")
        try write("cpu memory pids\n", slice.appending("cgroup.subtree_control"))
        let made = try #require(cap())
        #expect(read(group.appending("memory.max")) == "52428800")
        #expect(read(group.appending("memory.swap.max")) == "0")
        #expect(read(group.appending("memory.oom.group")) == "1")
        #expect(made.peakWhenEnded == nil)
        try write("low 0\noom 1\noom_kill 0\n", group.appending("memory.events"))
        #expect(made.peakWhenEnded == nil)
        try write("low 0\noom 1\noom_kill 2\n", group.appending("memory.events"))
        #expect(made.peakWhenEnded == 52_428_800, "without memory.peak the limit is the peak")
        try write("52000000\n", group.appending("memory.peak"))
        #expect(made.peakWhenEnded == 52_000_000)
    }

    /// As root: gives the directory to another user, and names that one.
    private static func pretended(_ directory: FilePath) -> uid_t {
        chown(directory.string, 65534, 65534)
        return 65534
    }
}
