// A medium that takes its time, or fails, beside a writer that must not wait.
import CoreTesting
import KineContainers
import SystemPackage
import Testing

@testable import KinePlatform
@testable import KineTake

@Suite struct SyncThreadTests {
    /// The medium's calls, and whether it may go on.
    private struct Medium {
        var begun = 0
        var ended = 0
        var isOpen = false
    }

    private let timeout = WaitLimit.deadline()

    /// The time between two looks at a state that nothing announces.
    private func pause() { _ = WakeSignal.poll([], until: MonotonicClock.now() + 1_000_000) }

    private func thread(_ medium: Monitor<Medium>, failure: StorageError? = nil) -> SyncThread {
        SyncThread { () throws(StorageError) in
            medium.signal { $0.begun += 1 }
            _ = medium.wait { $0.isOpen ? true : nil }
            medium.signal { $0.ended += 1 }
            if let failure { throw failure }
        }
    }

    @Test func `a request while the medium is busy is refused and does not wait`() throws {
        let medium = Monitor(Medium())
        let thread = thread(medium)
        #expect(try thread.start())
        #expect(medium.wait(until: timeout) { $0.begun == 1 ? true : nil } == true)
        #expect(try !thread.start())
        medium.signal { $0.isOpen = true }
        #expect(medium.wait(until: timeout) { $0.ended == 1 ? true : nil } == true)
        // The thread is free a moment after the medium is.
        while try !thread.start(), MonotonicClock.now() < timeout { pause() }
        thread.end()
        #expect(medium.withLock { $0.ended } == medium.withLock { $0.begun })
    }

    @Test func `what the medium met is thrown at the next request`() throws {
        let medium = Monitor(Medium(isOpen: true))
        let failure = StorageError.failed(operation: "synchronize", path: "a.mp4", code: 5)
        let thread = thread(medium, failure: failure)
        #expect(try thread.start())
        #expect(throws: failure) {
            while MonotonicClock.now() < timeout {
                _ = try thread.start()
                pause()
            }
        }
        thread.end()
    }

    @Test func `the end waits for what the medium is busy with`() throws {
        let medium = Monitor(Medium())
        let thread = thread(medium)
        #expect(try thread.start())
        #expect(medium.wait(until: timeout) { $0.begun == 1 ? true : nil } == true)
        let opener = DedicatedThread(name: "opener") { medium.signal { $0.isOpen = true } }
        thread.end()
        opener.join()
        #expect(medium.withLock { $0.ended } == 1)
    }

    @Test func `without a thread, the caller waits for the medium, and is told what it met`() throws {
        let medium = Monitor(Medium(isOpen: true))
        let failure = StorageError.failed(operation: "synchronize", path: "a.mp4", code: 5)
        WithoutThreads.run {
            let (good, bad) = (thread(medium), thread(medium, failure: failure))
            #expect((try? good.start()) == true)
            #expect(medium.withLock { $0.ended } == 1)
            #expect(throws: failure) { try bad.start() }
            good.end()
            bad.end()
        }
    }
}
