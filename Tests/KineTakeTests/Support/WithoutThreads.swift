// Runs a test's code as in a process that may have no more threads.
import KinePlatform
import Testing
import ThreadTesting

enum WithoutThreads {
    /// Runs `body` in a thread in which no further one can be started, and waits for it.
    static func run(_ body: @escaping @Sendable () -> Void) {
        DedicatedThread(name: "denied") {
            guard deny_threads() == 0 else {
                Issue.record("seccomp is missing in this kernel")
                return
            }
            body()
        }.join()
    }
}
