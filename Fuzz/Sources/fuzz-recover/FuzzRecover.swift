// Gives libFuzzer's files to the recovery. Whatever they hold: no crash, an error that leaves the file alone or a file
// that the second reading of the format accepts, and never a recorded byte lost.
import FuzzDriver
import KineContainers

@_cdecl("fuzz_recover_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzzRecover) }

/// One input. libFuzzer's own main wants it under this name, though that main is never reached.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecover(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let file = MemoryFile(bytes)
    guard let recovered = try? MP4Recovery.recover(file) else {
        precondition(file.bytes == bytes, "a file that could not be recovered was changed")
        return 0
    }
    if recovered.wasAlreadyFinished {
        precondition(file.bytes == bytes, "a finished file was changed")
        return 0
    }
    checkPlayable(file.bytes, recovered)
    checkNothingLost(before: bytes, after: file.bytes)
    precondition(0...Int64(bytes.count) ~= recovered.skippedBytes, "skipped \(recovered.skippedBytes) bytes")
    let finished = file.bytes
    let again = try? MP4Recovery.recover(file)
    precondition(again?.wasAlreadyFinished == true, "a recovered file is not a finished one")
    precondition(file.bytes == finished, "a second recovery changed the file")
    return 0
}

private func checkPlayable(_ bytes: [UInt8], _ recovered: RecoveredFile) {
    do {
        let movie = try OracleMovie(bytes)
        _ = try movie.payloads(bytes)
        precondition(movie.types == ["ftyp", "mdat", "moov"], "boxes \(movie.types)")
        let counts = movie.tracks.map { ($0.handler == "vide", $0.samples.count) }
        precondition(counts.reduce(0) { $0 + ($1.0 ? $1.1 : 0) } == recovered.pictures, "pictures")
        precondition(counts.reduce(0) { $0 + ($1.0 ? 0 : $1.1) } == recovered.soundAccessUnits, "sound")
    } catch {
        preconditionFailure("the recovered file cannot be read: \(error)")
    }
}

/// Between the 16 bytes that are switched and the new index stands what stood there before; what was cut off behind it was
/// an index without effect.
private func checkNothingLost(before: [UInt8], after: [UInt8]) {
    let start = 48  // ftyp of 32 bytes, and 16
    let index = 32 + after.number(at: 40, 8) - 8  // the free box around the index
    precondition(before[start..<min(index, before.count)] == after[start..<min(index, before.count)], "changed")
    guard index < before.count else { return }
    let type = Array("free".utf8).prefix(max(0, before.count - index - 4))
    precondition(before[min(index + 4, before.count)...].starts(with: type), "something recorded was cut off")
}

/// A file in memory.
private final class MemoryFile: StorageFile {
    let path = "fuzz"
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func size() throws(StorageError) -> Int64 { Int64(bytes.count) }

    func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        precondition(offset >= 0 && count >= 0, "a read at \(offset) of \(count)")
        guard offset < bytes.count else { return [] }
        return Array(bytes[Int(offset)..<min(bytes.count, Int(offset) + count)])
    }

    func write(_ data: [UInt8], at offset: Int64) throws(StorageError) {
        precondition(offset >= 0 && offset <= bytes.count, "a write that leaves a hole")
        bytes.replaceSubrange(Int(offset)..<min(bytes.count, Int(offset) + data.count), with: data)
    }

    func truncate(to size: Int64) throws(StorageError) {
        precondition(size >= 0 && size <= bytes.count, "shortening makes the file longer")
        bytes.removeSubrange(Int(size)...)
    }

    func synchronize() throws(StorageError) {}
    func reserve(through end: Int64) throws(StorageError) {}
    func publish() throws(StorageError) {}
    func isRemoved() throws(StorageError) -> Bool { false }
    func putBack() throws(StorageError) {}
    func close() {}
}
