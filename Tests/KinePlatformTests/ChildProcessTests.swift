// Child processes: their environment and descriptors, their ends, and limits that they cannot lift.
import CLinux
import Glibc
import KinePlatform
import SystemPackage
import Testing

@Suite struct ChildProcessTests {
    /// Runs a shell script to its end; returns that end and the output.
    private func run(
        _ script: String, environment: [String] = ["PATH=/usr/bin:/bin"],
        _ change: (inout ChildProcess.Options) -> Void = { _ in }
    ) throws -> (ending: ChildProcess.Ending, output: String) {
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, pipe.writeEnd, nil]
        change(&options)
        let child: ChildProcess
        do {
            defer { try? pipe.writeEnd.close() }
            child = try ChildProcess(
                executable: "/bin/sh", arguments: ["-c", script], environment: environment, options: options)
        }
        var text = ""
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = try chunk.withUnsafeMutableBytes({ try pipe.readEnd.read(into: $0) }), count > 0 {
            text += String(decoding: chunk[..<count], as: UTF8.self)
        }
        return (child.wait(), text)
    }

    @Test func `how it ended is told: its status, or the signal`() throws {
        #expect(try run("exit 0").ending == .exited(status: 0))
        #expect(try run("exit 7").ending == .exited(status: 7))
        #expect(try run("kill -SEGV $$").ending == .killed(signal: SIGSEGV))
    }

    @Test func `arguments and environment arrive as given, and nothing else does`() throws {
        #expect(setenv("KINECAST_NOT_FOR_CHILDREN", "x", 1) == 0)
        defer { unsetenv("KINECAST_NOT_FOR_CHILDREN") }
        let said = try run("printf '%s|' \"$A\" \"${KINECAST_NOT_FOR_CHILDREN-unset}\"", environment: ["A=b c=d"])
        #expect(said.output == "b c=d|unset|")
    }

    @Test func `only the descriptors that are named are inherited, in their order; nil is the null device`() throws {
        let extra = try FileDescriptor.open("/dev/zero", .readOnly)
        defer { try? extra.close() }
        let said = try run("for fd in /proc/self/fd/*; do readlink $fd; done; exec 1>&-; true") {
            $0.descriptors += [extra]
        }
        // `for` opens the directory for a moment only; readlink is a process of its own, with the same descriptors.
        let lines = said.output.split(separator: "\n").map(String.init)
        #expect(lines.count { $0 == "/dev/null" } == 2)
        #expect(lines.count { $0.hasPrefix("pipe:") } == 1)
        #expect(lines.count { $0 == "/dev/zero" } == 1)
        #expect(lines.allSatisfy { ["/dev/null", "/dev/zero"].contains($0) || $0.hasPrefix("pipe:") })
    }

    @Test func `a program that is not there, or is none, throws the errno of exec`() throws {
        #expect(throws: Errno.noSuchFileOrDirectory) {
            _ = try ChildProcess(executable: "/nonexistent/program", arguments: [], environment: [])
        }
        #expect(throws: Errno.permissionDenied) {
            _ = try ChildProcess(executable: "/etc/passwd", arguments: [], environment: [])
        }
    }

    @Test func `poll says nothing while it runs, and how it ended afterwards`() throws {
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        var options = ChildProcess.Options()
        options.descriptors = [pipe.readEnd, nil, nil]
        let child = try ChildProcess(
            executable: "/bin/sh", arguments: ["-c", "read line; exit 3"], environment: [], options: options)
        #expect(child.poll() == nil)
        try pipe.writeEnd.close()
        #expect(child.exitDescriptor >= 0 && WakeSignal.poll([child.exitDescriptor], until: nil) == [true])
        #expect(child.poll() == .exited(status: 3))
    }

    @Test func `end asks with its signal, and kills at the deadline who does not listen`() throws {
        func child(_ script: String) throws -> ChildProcess {
            let pipe = try FileDescriptor.pipe()
            defer { try? pipe.readEnd.close() }
            var options = ChildProcess.Options()
            options.descriptors = [nil, pipe.writeEnd, nil]
            let child = try ChildProcess(
                executable: "/bin/sh", arguments: ["-c", script], environment: ["PATH=/usr/bin:/bin"], options: options)
            try pipe.writeEnd.close()
            // The child has set its trap.
            var byte: UInt8 = 0
            _ = try withUnsafeMutableBytes(of: &byte) { try pipe.readEnd.read(into: $0) }
            return child
        }
        let polite = try child("trap 'exit 5' TERM; echo; while :; do sleep 0.01; done")
        #expect(polite.end(deadline: .max) == .exited(status: 5))
        let deaf = try child("trap '' TERM; echo; exec sleep 1000")
        #expect(deaf.end(deadline: MonotonicClock.now() + 20_000_000) == .killed(signal: SIGKILL))
    }

    @Test(arguments: [true, false]) func `with the leader of a group its children end too`(leaderExits: Bool) throws {
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, pipe.writeEnd, nil]
        options.newSession = true
        let child: ChildProcess
        do {
            defer { try? pipe.writeEnd.close() }
            child = try ChildProcess(
                executable: "/bin/sh", arguments: ["-c", "sleep 1000 & echo; \(leaderExits ? "exit 7" : "wait")"],
                environment: ["PATH=/usr/bin:/bin"], options: options)
        }
        var byte: UInt8 = 0
        #expect(try withUnsafeMutableBytes(of: &byte) { try pipe.readEnd.read(into: $0) } == 1, "the child has begun")
        let seconds: Int64 = leaderExits ? 60 : 0
        let ending = child.endGroup(deadline: MonotonicClock.now() + seconds * 1_000_000_000)
        #expect(ending == (leaderExits ? .exited(status: 7) : .killed(signal: SIGKILL)))
        // The pipe ends with the last process that has it.
        #expect(try withUnsafeMutableBytes(of: &byte) { try pipe.readEnd.read(into: $0) } == 0)
    }

    @Test func `it starts in the directory that was named`() throws {
        #expect(try run("pwd") { $0.directory = "/usr" }.output == "/usr\n")
    }

    @Test func `a session or a process group of its own`() throws {
        let ids = "set -- $(sed 's/.*) //' /proc/$$/stat); echo $$ $3 $4"
        func numbers(_ change: (inout ChildProcess.Options) -> Void) throws -> [String] {
            try run(ids, change).output.split(whereSeparator: \.isWhitespace).map(String.init)
        }
        let session = try numbers { $0.newSession = true }
        #expect(session.count == 3 && session[1] == session[0] && session[2] == session[0])
        let group = try numbers { $0.newProcessGroup = true }
        #expect(group.count == 3 && group[1] == group[0] && group[2] == "\(getsid(0))")
        let neither = try numbers { _ in }
        #expect(neither.count == 3 && neither[1] == "\(getpgrp())" && neither[2] == "\(getsid(0))")
    }

    @Test func `no signal is blocked or ignored in it, whatever its starter blocks`() throws {
        let masks = Monitor("")
        // A thread of ours blocks all.
        DedicatedThread(name: "blocks") {
            let said = try? run("grep -E '^Sig(Blk|Ign)' /proc/self/status")
            masks.withLock { $0 = said?.output ?? "" }
        }.join()
        let values = masks.withLock { $0 }.split(separator: "\n").compactMap { $0.split(separator: "\t").last }
        #expect(values.count == 2)
        #expect(values.first == "0000000000000000")
    }

    @Test func `it dies with the thread that started it, where that was asked for`() throws {
        let pid = Monitor<Int32>(0)
        let hasOpened = Monitor(false)
        let thread = DedicatedThread(name: "starter") {
            var options = ChildProcess.Options()
            options.descriptors = [nil, nil, nil]
            options.parentDeathSignal = SIGKILL
            let child = try? ChildProcess(
                executable: "/bin/sh", arguments: ["-c", "exec sleep 1000"], environment: ["PATH=/usr/bin:/bin"],
                options: options)
            pid.signal { $0 = child?.pid ?? -1 }
            _ = hasOpened.wait { $0 ? true : nil }
        }
        let child = try #require(pid.wait { $0 != 0 ? $0 : nil })
        try #require(child > 0)
        let process = try #require(ProcessHandle(child))
        hasOpened.signal { $0 = true }
        thread.join()
        #expect(WakeSignal.poll([process.descriptor], until: nil) == [true])
        #expect(process.reap() == .killed(signal: SIGKILL))
    }

    @Test func `confinement cannot be shed`() throws {
        let said = try run("grep NoNewPrivs /proc/self/status; ulimit -c; ulimit -Hd; ulimit -Hs") {
            var confinement = ChildProcess.Confinement()
            confinement.dataLimit = 512 << 20
            confinement.stackLimit = 4 << 20
            $0.confinement = confinement
        }
        let lines = said.output.split(separator: "\n")
        #expect(lines == ["NoNewPrivs:\t1", "0", "524288", "4096"])
    }

    @Test func `without confinement it has what this process has`() throws {
        let own = try run("ulimit -Hd; ulimit -Hs").output
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        let expected = limit.rlim_max == rlim_t.max ? "unlimited" : "\(limit.rlim_max / 1024)"
        #expect(own.split(separator: "\n").first.map(String.init) == expected)
    }
}
