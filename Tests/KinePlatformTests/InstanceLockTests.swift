// The lock of a program that runs once for each user, held by another process.
import CoreTesting
import Glibc
import KineMeasure
import SystemPackage
import Testing

@testable import KinePlatform

@Suite(.tags(.real)) struct InstanceLockTests {
    /// Takes the lock as a shell, which then sleeps.
    private func holder(of lock: FilePath, ignoringSignals: Bool) throws -> HeldProcess {
        let script = #"exec 9<>"$0"; flock 9; printf %s $$ >&9; echo locked; exec sleep 1000"#
        let holder = try HeldProcess(
            "sh", at: "/bin/sh", ["-c", (ignoringSignals ? "trap '' TERM; " : "") + script, lock.string])
        #expect(try holder.line(deadline: .max) == "locked")
        return holder
    }

    @Test func `an instance that ends when it is asked to has ended`() throws {
        try TemporaryDirectory.with { directory in
            let lock = directory.appending("program.lock")
            let holder = try holder(of: lock, ignoringSignals: false)
            let claimed = try InstanceLock.claim(lock)
            #expect(claimed == nil)
            #expect(try InstanceLock.endRunning(lock, timeout: WaitLimit.nanoseconds) == .ended)
            #expect(holder.process.wait() == .killed(signal: SIGTERM))
            #expect(try InstanceLock.endRunning(lock) == .nothingRan, "its number is in the file, and gets no signal")
        }
    }

    @Test func `an instance that does not end is not said to have ended`() throws {
        try TemporaryDirectory.with { directory in
            let lock = directory.appending("program.lock")
            let holder = try holder(of: lock, ignoringSignals: true)
            #expect(try InstanceLock.endRunning(lock, timeout: 0) == .stillRuns(holder.process.pid))
            #expect(holder.process.poll() == nil)
        }
    }
}
