// Gives libFuzzer's files to the move of the index. Whatever they hold: no crash, few reads, and either an error or a file of the
// same length. Where the second reading of the format understands the file, it finds the same samples in the moved one.
import FuzzDriver
import KineContainers

@_cdecl("fuzz_faststart_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: the bytes of a file.
private func fuzz(_ bytes: [UInt8]) {
    if let hole = Hole(in: bytes) {
        guard let file = try? SparseFile(hole.before, hole: hole.length, hole.after) else { return }
        return Peak.check(atMost: 32 << 20) { _ = try? MP4FastStart.plan(for: file) }
    }
    let file = MemoryFile(bytes, isWritable: false)
    let result = try? MP4FastStart.plan(for: file)
    precondition(file.bytesRead <= 4 * bytes.count + 4096, "\(file.bytesRead) bytes read of \(bytes.count)")
    guard let plan = result else { return }
    precondition(plan.rest.lowerBound >= 0 && plan.rest.upperBound <= Int64(bytes.count), "a part outside the file")
    let rest = bytes[Int(plan.rest.lowerBound)..<Int(plan.rest.upperBound)]
    let moved = plan.head + rest
    precondition(moved.count == bytes.count, "\(moved.count) bytes of \(bytes.count)")
    // Most damaged files are none that can be compared.
    guard let before = try? OracleMovie(bytes), let samples = try? before.payloads(bytes) else { return }
    compare(before, samples, moved)
}

private func compare(_ before: OracleMovie, _ samples: [[[UInt8]]], _ moved: [UInt8]) {
    do {
        var after = try OracleMovie(moved)
        precondition(after.types == ["ftyp", "moov"] + before.types.dropFirst().dropLast(), "boxes \(after.types)")
        let found = try after.payloads(moved)
        precondition(found == samples, "the index leads to other samples")
        // But for where its samples are, it says the same.
        after.types = before.types
        for track in after.tracks.indices {
            for sample in after.tracks[track].samples.indices {
                after.tracks[track].samples[sample].offset = before.tracks[track].samples[sample].offset
            }
        }
        precondition(after == before, "the index says something else")
    } catch {
        preconditionFailure("the moved file cannot be read: \(error)")
    }
}
