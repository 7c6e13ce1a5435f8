// The bridge from synchronous to asynchronous code.
import Glibc
import KineClient
import KinePlatform
import Testing

@testable import KinecastCommand

@Suite struct MainThreadTests {
    @Test func `an operation runs on the thread that waits for it, also after it was suspended`() {
        let thread = pthread_self()
        let isSame = MainThread().wait { () async -> [Bool] in
            let before = pthread_self() == thread
            await Task.yield()
            let after = pthread_self() == thread
            // Resumed by another thread, it comes back to this one.
            await withCheckedContinuation { continuation in
                _ = DedicatedThread(name: "test-resume") { continuation.resume() }
            }
            return [before, after, pthread_self() == thread]
        }
        #expect(isSame == [true, true, true])
    }

    @Test func `an operation's error is thrown to the one who waits`() {
        #expect(throws: ClientError.cancelled) {
            try MainThread().wait { () async throws(ClientError) in throw .cancelled }
        }
    }

    @Test func `a wait for descriptors ends when one is readable, and says which`() {
        let (silent, signalled) = (WakeSignal(), WakeSignal())
        signalled.signal()
        #expect(MainThread().poll([silent.descriptor, signalled.descriptor]) == [false, true])
        #expect(MainThread().poll([silent.descriptor], until: MonotonicClock.now()) == [false])
    }
}
