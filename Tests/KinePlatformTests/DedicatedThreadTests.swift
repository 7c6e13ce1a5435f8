// Threads: they run and end; and the failure if the system gives none.
import Glibc
import KinePlatform
import SystemPackage
import Testing
import ThreadTesting

@Suite struct DedicatedThreadTests {
    @Test func `join returns when the closure has`() {
        let hasEnded = Monitor(false)
        let mayEnd = Monitor(false)
        let thread = DedicatedThread(name: "joined") {
            _ = mayEnd.wait { $0 ? true : nil }
            hasEnded.withLock { $0 = true }
        }
        mayEnd.signal { $0 = true }
        thread.join()
        #expect(hasEnded.withLock { $0 })
    }

    @Test func `a thread nobody keeps runs to its end`() {
        let hasEnded = Monitor(false)
        _ = DedicatedThread(name: "let go") { hasEnded.signal { $0 = true } }
        #expect(hasEnded.wait { $0 ? true : nil } == true)
    }

    @Test func `it has the name it was given`() {
        let seen = Monitor("")
        DedicatedThread(name: "kine-test-name") {
            guard let file = try? FileDescriptor.open("/proc/thread-self/comm", .readOnly) else { return }
            defer { try? file.close() }
            var bytes = [UInt8](repeating: 0, count: 32)
            let count = (try? bytes.withUnsafeMutableBytes { try file.read(into: $0) }) ?? 0
            let name = String(decoding: bytes[..<count], as: UTF8.self)
            seen.withLock { $0 = name }
        }.join()
        #expect(seen.withLock { $0 } == "kine-test-name\n")
    }

    @Test func `all signals are blocked in it, and the starting thread's mask is as before`() {
        @Sendable func blocked() -> [Int32] {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            return [SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1, SIGPIPE].filter { sigismember(&mask, $0) == 1 }
        }
        let before = blocked()
        let inside = Monitor<[Int32]>([])
        DedicatedThread(name: "masked") { inside.withLock { $0 = blocked() } }.join()
        #expect(inside.withLock { $0 } == [SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1, SIGPIPE])
        #expect(blocked() == before)
    }

    @Test func `a thread that cannot be started is an error`() {
        let failure = Monitor<Errno?>(nil)
        DedicatedThread(name: "denied") {
            guard deny_threads() == 0 else { return }
            do throws(Errno) {
                _ = try DedicatedThread(starting: "none") { Issue.record("it ran") }
            } catch {
                failure.signal { $0 = error }
            }
        }.join()
        #expect(failure.withLock { $0 } == .resourceTemporarilyUnavailable)
    }

    @Test func `a program without a thread that it cannot do without ends with one sentence and 69`() async throws {
        let ended = try await #require(processExitsWith: .exitCode(69), observing: [\.standardErrorContent]) {
            guard deny_threads() == 0 else { return }
            _ = DedicatedThread(name: "needed") {}
        }
        let said = String(decoding: ended.standardErrorContent, as: UTF8.self).split(separator: "\n")
        #expect(said.count == 1 && said.first?.contains("“needed”") == true, "\(said)")
    }
}
