// Ending waits from another thread.
import SystemPackage
import Testing
import ThreadTesting

@testable import KinePlatform

@Suite struct CancellationTests {
    @Test func `a wait ends when it is cancelled, also one that begins later`() {
        let cancellation = Cancellation()
        let thread = DedicatedThread(name: "canceller") { cancellation.cancel() }
        #expect(WakeSignal.poll([cancellation.descriptor], until: nil) == [true])
        thread.join()
        #expect(WakeSignal.poll([cancellation.descriptor], until: nil) == [true])
        #expect(cancellation.isCancelled)
    }

    @Test func `handlers are called once, at once where it is past, and not after they were removed`() {
        let cancellation = Cancellation()
        let called = Monitor<[String]>([])
        let removed = cancellation.onCancel { called.signal { $0.append("removed") } }
        _ = cancellation.onCancel { called.signal { $0.append("kept") } }
        cancellation.remove(removed)
        cancellation.cancel()
        cancellation.cancel()
        #expect(called.withLock { $0 } == ["kept"])
        _ = cancellation.onCancel { called.signal { $0.append("late") } }
        #expect(called.withLock { $0 } == ["kept", "late"])
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
}

@Suite struct UserDirectoriesTests {
    @Test(
        arguments: [
            ("XDG_VIDEOS_DIR=\"$HOME/Filme\"\n", "/home/a/Filme"), ("XDG_VIDEOS_DIR=\"/data/videos\"", "/data/videos"),
            ("# XDG_VIDEOS_DIR=\"$HOME/x\"\nXDG_MUSIC_DIR=\"$HOME/Music\"\n", nil),
            ("XDG_VIDEOS_DIR=\"relative\"", nil),
            ("", nil), ("XDG_VIDEOS_DIR=\"", nil),
        ] as [(String, String?)])
    func `the directory for videos is the one that the user's settings name`(text: String, path: String?) {
        #expect(UserDirectories.videos(in: text, home: "/home/a") == path)
    }
}
