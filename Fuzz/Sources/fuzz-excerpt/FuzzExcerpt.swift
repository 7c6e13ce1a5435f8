// Gives libFuzzer's files to the reading of an index, and takes excerpts of those that have one. Whatever they hold: no crash, few
// reads, and an excerpt whose samples are those of the recording between the two times.
import FuzzDriver
import KineContainers
import KineMedia

@_cdecl("fuzz_excerpt_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: two times, in thousandths of the recording, and the bytes of a file.
private func fuzz(_ input: [UInt8]) {
    guard input.count > 4 else { return }
    let bytes = Array(input[4...])
    if let hole = Hole(in: bytes) {
        guard let file = try? SparseFile(hole.before, hole: hole.length, hole.after) else { return }
        return Peak.check(atMost: 32 << 20) {
            _ = try? RecordingSummary(of: file)
            _ = try? RecordingIndex(reading: file)
        }
    }
    let file = MemoryFile(bytes, isWritable: false)
    let index = try? RecordingIndex(reading: file)
    precondition(file.bytesRead <= 4 * bytes.count + 4096, "\(file.bytesRead) bytes read of \(bytes.count)")
    guard let index else { return }
    let whole = index.duration.nanoseconds
    let times = [0, 2].map { at in
        MediaTime(nanoseconds: whole / 1000 * Int64(UInt16(input[at]) << 8 | UInt16(input[at + 1])))
    }
    guard let excerpt = try? MovieExcerpt(of: index, from: times[0], to: times[1]) else { return }
    precondition(!excerpt.frames.isEmpty && excerpt.decodingStart <= excerpt.frames.lowerBound, "no frames")
    let new = MovieExcerpt.NewSamples(
        frames: excerpt.encodedFrames.map { [UInt8](repeating: 9, count: 1 + $0 % 5) },
        input: excerpt.inputSamples.prefix(input[4] % 2 == 0 ? 2 : 0).map { [UInt8](repeating: 8, count: 1 + $0 % 5) })
    let layout = ExcerptLayout(excerpt, new)
    // Padding to the blocks of the recording, and what stands before the first sample, may be as long as the whole.
    precondition(layout.size <= 2 * Int64(bytes.count) + 1 << 16, "\(layout.size) bytes of \(bytes.count)")
    compare(excerpt, index, bytes, assemble(layout, bytes))
}

private func assemble(_ layout: ExcerptLayout, _ source: [UInt8]) -> [UInt8] {
    var bytes = layout.headBytes
    for piece in layout.pieces {
        switch piece {
        case .copied(let range, let place):
            bytes += [UInt8](repeating: 0, count: Int(place) - bytes.count)
            bytes += source[Int(range.lowerBound)..<Int(range.upperBound)]
        case .new(let new, let place):
            precondition(Int(place) == bytes.count, "a hole")
            bytes += new
        }
    }
    precondition(bytes.count == Int(layout.size), "another size")
    return bytes
}

private func compare(_ excerpt: MovieExcerpt, _ index: RecordingIndex, _ source: [UInt8], _ bytes: [UInt8]) {
    // Most damaged files are none that can be compared.
    guard let before = try? OracleMovie(source).payloads(source) else { return }
    do {
        let movie = try OracleMovie(bytes)
        precondition(movie.types == ["ftyp", "moov", "mdat"], "boxes \(movie.types)")
        let copied = try movie.payloads(bytes)[0].dropFirst(excerpt.encodedFrames.count)
        let expected = before[0][excerpt.encodedFrames.upperBound..<excerpt.frames.upperBound]
        precondition(copied.elementsEqual(expected), "other frames")
        let again = try RecordingIndex(reading: MemoryFile(bytes, isWritable: false))
        precondition(again.frameCount == excerpt.frames.count, "other frames by our own reading")
    } catch {
        preconditionFailure("the excerpt cannot be read: \(error)")
    }
}
