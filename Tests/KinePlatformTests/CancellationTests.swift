// Ending waits from another thread.
import KinePlatform
import Testing

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
}
