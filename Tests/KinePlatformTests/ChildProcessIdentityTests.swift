// Children: their ends are known once and for all, and their confinement holds.
import CoreTesting
import Glibc
import KineMeasure
import SystemPackage
import Testing

@testable import KinePlatform

@Suite(.serialized, .tags(.real)) struct ChildProcessIdentityTests {
    private func shell(_ command: String, confinement: ChildProcess.Confinement? = nil) throws -> ChildProcess {
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil]
        options.confinement = confinement
        return try ChildProcess(
            executable: "/bin/sh", arguments: ["-c", command], environment: ["PATH=/usr/bin:/bin"], options: options)
    }

    @Test func `an end is told each time that it is asked for`() throws {
        let child = try shell("exit 3")
        #expect(child.wait() == .exited(status: 3))
        #expect(child.wait() == .exited(status: 3))
        #expect(child.poll() == .exited(status: 3))
    }

    @Test func `a child that somebody else has reaped is no success`() throws {
        let child = try shell("exit 0")
        var status: Int32 = 0
        while waitpid(child.pid, &status, 0) < 0, errno == EINTR {}
        #expect(child.wait() == .unknown)
    }

    @Test func `where the kernel gives no descriptor, a child is known by its number`() throws {
        let child = try shell("exec sleep 1000")
        let handle = ProcessHandle(pid: child.pid, descriptor: -1)
        #expect(handle.reap() == nil)
        handle.signal(SIGKILL)
        var ending: ChildProcess.Ending?
        while ending == nil {
            handle.waitForEnd()
            ending = handle.reap()
        }
        #expect(ending == .killed(signal: SIGKILL))
    }

    @Test func `a deadline that is past kills, and the end says so`() throws {
        let child = try shell("trap '' TERM; sleep 100 & wait; wait")
        #expect(child.end(signal: 0, deadline: 0) == .killed(signal: SIGKILL))
        child.signal(SIGTERM)  // of nobody any more
    }

    /// Runs a shell in a sandbox that may read the system's programs only, and returns what it could still do.
    private func confined(_ command: String, leavingOut: Set<Sandbox.Layer> = []) throws -> ChildProcess.Ending {
        var rules = Sandbox.Rules()
        rules.readable = ["/bin", "/lib", "/lib64", "/usr/bin", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"]
        rules.devices = ["/dev/null"]
        var confinement = ChildProcess.Confinement()
        confinement.sandbox = try Sandbox(rules, leavingOut: leavingOut)
        return try shell(command, confinement: confinement).wait()
    }

    /// Other tests expect of each layer what it does.
    @Test func `this system has all layers of a sandbox`() {
        #expect(Sandbox.available == Set(Sandbox.Layer.allCases), "the tests need a newer kernel, or more rights in it")
    }

    @Test func `a sandbox lets run what its rules name`() throws {
        #expect(try confined("cat /usr/bin/env > /dev/null && exit 5") == .exited(status: 5))
    }

    @Test func `a sandbox keeps from what its rules do not name`() throws {
        #expect(try confined("cat /etc/passwd || exit 5") == .exited(status: 5))
        #expect(try confined("true > /tmp/kinecast-sandbox-test || exit 5") == .exited(status: 5))
        #expect(try confined("cat /etc/passwd || exit 5", leavingOut: [.landlock]) == .exited(status: 0))
    }

    @Test func `a thread that confines itself keeps what the rules name, and the others keep all`() throws {
        let folder = try TemporaryDirectory()
        var rules = Sandbox.Rules()
        rules.writable = [folder.path]
        let sandbox = try Sandbox(rules, leavingOut: [.namespaces, .capabilities])
        let seen = Monitor<[String: Int32]>([:])
        DedicatedThread(name: "confined") {
            func note(_ name: String, _ descriptor: Int32) {
                let error = descriptor < 0 ? errno : 0
                close(descriptor)
                seen.withLock { $0[name] = error }
            }
            do throws(Errno) { try sandbox.enter() } catch { return }
            note("own", open(folder.file("a"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            note("foreign", open("/etc/passwd", O_RDONLY | O_CLOEXEC))
            note("socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        }.join()
        #expect(seen.withLock { $0 } == ["own": 0, "foreign": EACCES, "socket": EPERM])
        let other = open("/etc/passwd", O_RDONLY | O_CLOEXEC)
        #expect(other >= 0)
        close(other)
    }

    @Test func `a sandbox shows no other process`() throws {
        let looks = "set -- /proc/[0-9]*; test $$ = 1 && test \"$*\" = /proc/1 || exit 5"
        // Listing /proc is Landlock's to refuse.
        #expect(try confined(looks, leavingOut: [.landlock]) == .exited(status: 0))
        #expect(try confined(looks, leavingOut: [.landlock, .namespaces]) == .exited(status: 5))
    }

    @Test func `a sandbox refuses namespaces, and the capabilities are gone`() throws {
        #expect(try confined("unshare --user true || exit 5") == .exited(status: 5))
        #expect(
            try confined("grep -q 'CapEff:.*0000000000000000' /proc/self/status || exit 5", leavingOut: [.landlock])
                == .exited(status: 0))
    }
}
