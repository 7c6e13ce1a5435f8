// The environment, programs on the search path, and last words.
import Glibc
import KinePlatform
import SystemPackage
import Testing

@Suite(.serialized) struct EnvironmentTests {
    @Test func `a variable's value is told, and an empty one is as none`() {
        setenv("KINECAST_TEST_VALUE", "a=b", 1)
        setenv("KINECAST_TEST_EMPTY", "", 1)
        defer {
            unsetenv("KINECAST_TEST_VALUE")
            unsetenv("KINECAST_TEST_EMPTY")
        }
        #expect(ProcessEnvironment.value("KINECAST_TEST_VALUE") == "a=b")
        #expect(ProcessEnvironment.value("KINECAST_TEST_EMPTY") == nil)
        #expect(ProcessEnvironment.value("KINECAST_TEST_UNSET") == nil)
        #expect(ProcessEnvironment.current.contains("KINECAST_TEST_VALUE=a=b"))
    }

    @Test func `merging replaces by the name alone`() {
        #expect(
            ProcessEnvironment.merging(["A=1", "AB=2", "C=3=4"], ["A=x", "C=", "D=5"]) == ["AB=2", "A=x", "C=", "D=5"])
    }

    @Test func `changing sets and leaves out`() {
        setenv("KINECAST_TEST_OLD", "1", 1)
        setenv("KINECAST_TEST_GONE", "1", 1)
        defer {
            unsetenv("KINECAST_TEST_OLD")
            unsetenv("KINECAST_TEST_GONE")
        }
        let changed = ProcessEnvironment.current(
            changing: ["KINECAST_TEST_OLD": "2", "KINECAST_TEST_NEW": "3"], removing: ["KINECAST_TEST_GONE"])
        #expect(
            changed.filter { $0.hasPrefix("KINECAST_TEST_") }.sorted() == [
                "KINECAST_TEST_NEW=3", "KINECAST_TEST_OLD=2",
            ])
        #expect(changed.count == Set(changed).count)
    }

    @Test func `programs are found on the search path, and where distributions put them`() throws {
        #expect(ExecutableSearch.find("sh").map { access($0, X_OK) } == 0)
        #expect(ExecutableSearch.find("no-such-program-anywhere") == nil)
        let own = try #require(ExecutableSearch.own)
        #expect(own.hasPrefix("/") && access(own, X_OK) == 0)
    }

    @Test func `last words are the last line, or the last that tells of a fatal error`() {
        #expect(MemoryLog.stderrTail(in: "") == nil)
        #expect(MemoryLog.stderrTail(in: " \n\t\n") == nil)
        #expect(MemoryLog.stderrTail(in: "first\n  second\n\n") == "second")
        #expect(
            MemoryLog.stderrTail(in: "a.swift:3: Fatal error: boom\n0x00 in main\n") == "a.swift:3: Fatal error: boom")
        #expect(MemoryLog.stderrTail(in: String(repeating: "x", count: 1000))?.count == 300)
    }

    @Test func `what a child writes is kept up to the limit, and a child that goes on writing lives`() throws {
        let log = try #require(MemoryLog(name: "kinecast-test", limit: 4096))
        #expect(log.stderrTail() == nil)
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, log.descriptor]
        let quiet = try ChildProcess(
            executable: "/bin/sh", arguments: ["-c", "echo one >&2; echo two >&2"], environment: [], options: options)
        #expect(quiet.wait() == .exited(status: 0))
        #expect(log.stderrTail() == "two")
        let loud = try ChildProcess(
            executable: "/bin/sh",
            arguments: ["-c", "i=0; while [ $i -lt 500 ]; do echo line-$i-of-many >&2; i=$((i+1)); done; exit 4"],
            environment: [], options: options)
        #expect(loud.wait() == .exited(status: 4))
        #expect(log.stderrTail()?.hasPrefix("line-") == true)
    }
}
