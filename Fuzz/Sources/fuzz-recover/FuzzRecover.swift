// Gives libFuzzer's files to the recovery. Whatever they hold: no crash, an error that leaves the file alone or a file
// that the second reading of the format accepts, and never a recorded byte lost.
import FuzzDriver
import KineContainers

@_cdecl("fuzz_recover_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input. libFuzzer's own main wants it under this name, though that main is never reached.
private func fuzz(_ bytes: [UInt8]) {
    if let hole = Hole(in: bytes) {
        guard let file = try? SparseFile(hole.before, hole: hole.length, hole.after) else { return }
        // The last 32 MiB of a file are read and checked, and a search reads 8 MiB at once.
        return Peak.check(atMost: 128 << 20) { _ = try? MP4Recovery.recover(file) }
    }
    let file = MemoryFile(bytes, isWritable: true)
    let result = try? MP4Recovery.recover(file)
    precondition(file.bytesRead <= 8 * bytes.count + 4096, "\(file.bytesRead) bytes read of \(bytes.count)")
    guard let recovered = result else {
        precondition(file.bytes == bytes, "a file that could not be recovered was changed")
        return
    }
    if recovered.wasAlreadyFinished {
        precondition(file.bytes == bytes, "a finished file was changed")
        return
    }
    checkPlayable(file.bytes, recovered)
    checkNothingLost(before: bytes, after: file.bytes)
    precondition(0...Int64(bytes.count) ~= recovered.skippedBytes, "skipped \(recovered.skippedBytes) bytes")
    let finished = file.bytes
    let again = try? MP4Recovery.recover(file)
    precondition(again?.wasAlreadyFinished == true, "a recovered file is not a finished one")
    precondition(file.bytes == finished, "a second recovery changed the file")
}

private func checkPlayable(_ bytes: [UInt8], _ recovered: RecoveredFile) {
    do {
        let movie = try OracleMovie(bytes)
        _ = try movie.payloads(bytes)
        precondition(movie.types == ["ftyp", "mdat", "moov"], "boxes \(movie.types)")
        func count(_ handler: String) -> Int {
            movie.tracks.reduce(0) { $0 + ($1.handler == handler ? $1.samples.count : 0) }
        }
        precondition(count("vide") == recovered.frames, "pictures")
        precondition(count("soun") == recovered.audioAccessUnits, "sound")
    } catch {
        preconditionFailure("the recovered file cannot be read: \(error)")
    }
}

/// Between the 16 bytes that are switched and the new index stands what stood there before; what was cut off behind it was
/// an index without effect.
private func checkNothingLost(before: [UInt8], after: [UInt8]) {
    let start = 48  // ftyp of 32 bytes, and 16
    guard let size = try? after.number(at: 40, 8) else { preconditionFailure("no size of the recording") }
    let index = 32 + size - 8  // the free box around the index
    precondition(before[start..<min(index, before.count)] == after[start..<min(index, before.count)], "changed")
    guard index < before.count else { return }
    let type = Array("free".utf8).prefix(max(0, before.count - index - 4))
    precondition(before[min(index + 4, before.count)...].starts(with: type), "something recorded was cut off")
}
