// A scratch file in memory that is full, or broken, when a test says so.
import KineContainers
import Synchronization

@testable import KineTake

final class MemoryScratch: ClipScratchFile {
    private struct State {
        var bytes: [UInt8] = []
        var freeBytes: Int64?
        var failure: StorageError?
    }

    private let state = Mutex(State())

    var freeBytes: Int64? {
        get { state.withLock { $0.freeBytes } }
        set { state.withLock { $0.freeBytes = newValue } }
    }

    /// Every operation fails with it.
    var failure: StorageError? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    var size: Int { state.withLock { $0.bytes.count } }

    func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError) {
        let failure = state.withLock { state in
            if state.failure != nil { return state.failure }
            let end = Int(offset) + bytes.count
            if state.bytes.count < end { state.bytes += [UInt8](repeating: 0, count: end - state.bytes.count) }
            state.bytes.replaceSubrange(Int(offset)..<end, with: bytes)
            return nil
        }
        if let failure { throw failure }
    }

    func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        let (bytes, failure) = state.withLock { state in
            (Array(state.bytes[Int(offset)..<Int(offset) + count]), state.failure)
        }
        if let failure { throw failure }
        return bytes
    }
}

extension ClipScratch {
    /// Places in `file`.
    convenience init(_ file: MemoryScratch, limit: Int64 = 1 << 30) {
        self.init(directory: "/scratch", limit: limit) { file }
    }
}
