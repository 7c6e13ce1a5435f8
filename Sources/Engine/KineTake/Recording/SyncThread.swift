// The thread that waits for the medium, so that the one that writes the file never does.
import KineContainers
import KinePlatform

/// Makes a file durable whenever it is asked to, one request at a time. Call `end` before the file is closed.
final class SyncThread {
    private enum Work {
        case none, wanted, underWay
    }

    private struct State {
        var work = Work.none
        var hasEnded = false
        var failure: StorageError?
    }

    private let state = Monitor(State())
    private let synchronize: @Sendable () throws(StorageError) -> Void
    /// nil: the process may have no more threads, and the caller waits for the medium.
    private let thread: DedicatedThread?

    /// `synchronize` is called in the thread, and returns when everything written before is durable.
    init(_ synchronize: @escaping @Sendable () throws(StorageError) -> Void) {
        let state = state
        self.synchronize = synchronize
        thread = try? DedicatedThread(starting: "disk") {
            while state.wait(for: { state -> Bool? in
                if state.hasEnded { return false }
                guard state.work == .wanted else { return nil }
                state.work = .underWay
                return true
            }) == true {
                var failure: StorageError?
                do throws(StorageError) { try synchronize() } catch { failure = error }
                state.withLock { state in
                    state.work = .none
                    state.failure = state.failure ?? failure
                }
            }
        }
    }

    /// Starts making durable what was written so far. Returns false while the disk is busy with the last request; throws the
    /// error of an earlier one.
    func start() throws(StorageError) -> Bool {
        guard thread != nil else {
            try synchronize()
            return true
        }
        let (failure, isFree) = state.signal { state -> (StorageError?, Bool) in
            guard state.failure == nil, state.work == .none else { return (state.failure, false) }
            state.work = .wanted
            return (nil, true)
        }
        if let failure { throw failure }
        return isFree
    }

    /// Waits for the request under way, and ends the thread.
    func end() {
        state.signal { $0.hasEnded = true }
        thread?.join()
    }
}
