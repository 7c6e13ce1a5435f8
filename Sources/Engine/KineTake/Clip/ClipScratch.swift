// The part of a clip buffer that is on disk: a file without a name, cut into reusable places of equal size.
import KineContainers
import KinePlatform

/// The operations on the scratch file, so that a test can use a full or a failing one.
protocol ClipScratchFile: Sendable {
    /// Bytes free on its file system; nil: unknown.
    var freeBytes: Int64? { get }
    func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError)
    /// Returns exactly `count` bytes.
    func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8]
}

extension ScratchFile: ClipScratchFile {}

/// Hands out places of a file that never grows beyond `limit` bytes. Any thread may call it.
final class ClipScratch: Sendable {
    /// One place and the bytes stored there. It is free again when the last reference is gone.
    final class Place: Sendable {
        private let number: Int
        private let file: any ClipScratchFile
        private let scratch: ClipScratch

        fileprivate init(_ number: Int, _ file: any ClipScratchFile, _ scratch: ClipScratch) {
            self.number = number
            self.file = file
            self.scratch = scratch
        }

        deinit { scratch.free(number) }

        func read(_ range: Range<Int>) throws(StorageError) -> [UInt8] {
            try file.read(at: Int64(number) * Int64(ClipLog.chunkSize) + Int64(range.lowerBound), count: range.count)
        }
    }

    private struct State {
        var file: (any ClipScratchFile)?
        /// The number of places in the file.
        var count = 0
        var free: [Int] = []
        var problem: StorageError?
    }

    /// Bytes that the buffer leaves free on the disk, for the recording and other programs.
    static let reserve: Int64 = 512 << 20

    private let state = Monitor(State())
    private let directory: String
    private let limit: Int64
    private let open: @Sendable () throws(StorageError) -> any ClipScratchFile

    /// - Parameters:
    ///   - directory: the file's, for messages.
    ///   - limit: bytes.
    ///   - open: called when the first place is needed, and again later if it throws.
    init(
        directory: String, limit: Int64, open: @escaping @Sendable () throws(StorageError) -> any ClipScratchFile
    ) {
        self.directory = directory
        self.limit = limit
        self.open = open
    }

    /// Bytes of the file.
    var size: Int64 { state.withLock { Int64($0.count) * Int64(ClipLog.chunkSize) } }

    /// The reason why the last `store` failed; nil also if it reached the limit.
    var problem: StorageError? { state.withLock { $0.problem } }

    /// Stores a whole chunk. Returns nil if there is no room, or if the disk failed.
    func store(_ bytes: [UInt8]) -> Place? {
        state.withLock { state in
            state.problem = nil
            do throws(StorageError) {
                let file = if let file = state.file { file } else { try open() }
                state.file = file
                let isNew = state.free.isEmpty
                let number = state.free.last ?? state.count
                let offset = Int64(number) * Int64(ClipLog.chunkSize)
                if isNew {
                    guard offset + Int64(ClipLog.chunkSize) <= limit else { return nil }
                    if let free = file.freeBytes, free < Self.reserve { throw .full(path: directory) }
                }
                try file.write(bytes, at: offset)
                if isNew { state.count += 1 } else { state.free.removeLast() }
                return Place(number, file, self)
            } catch {
                state.problem = error
                return nil
            }
        }
    }

    private func free(_ number: Int) { state.withLock { $0.free.append(number) } }
}
