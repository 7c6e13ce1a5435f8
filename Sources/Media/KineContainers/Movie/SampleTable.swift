// The sample tables of one track (ISO/IEC 14496-12, 8.6 and 8.7), kept in their file format, so that finishing a take
// of ten hours only writes them.

/// The samples of a track, for the index of a finished file. Memory: 4 bytes a sample, 4 a keyframe, 8 per change of
/// duration, 8 a chunk and 12 per change of a chunk's length or sample entry. An hour of 60 frames a second, no two
/// equally long, is 2.7 MB; an hour of audio 0.8 MB; an hour of a still screen 60 kB.
struct SampleTable {
    private var sizes = IntegerTable()
    private var durations = IntegerTable()
    private var syncSamples = IntegerTable()
    private var chunkLengths = IntegerTable()
    private var chunkOffsets: [Int64] = []

    /// The number of samples.
    private(set) var count: UInt32 = 0
    /// The number of keyframes.
    private(set) var syncCount = 0
    /// Ticks of all samples but the last.
    private(set) var lastStart: UInt64 = 0
    /// Ticks of the last sample so far: the next sample, or the end of the take, changes it.
    var lastDuration: UInt32 = 0

    /// The current run of equal durations, without the last sample.
    private var run: (length: UInt32, duration: UInt32) = (0, 0)
    /// The length of the last chunk, and the number of its sample entry.
    private var lastChunk: (length: UInt32, entry: UInt32) = (0, 0)

    /// Ticks of all samples.
    var duration: UInt64 { lastStart + UInt64(lastDuration) }

    mutating func append(size: UInt32, duration: UInt32, isSync: Bool) {
        if count > 0 { settleLastDuration() }
        lastDuration = duration
        count += 1
        sizes.append(size)
        if isSync {
            syncSamples.append(count)
            syncCount += 1
        }
    }

    /// Notes that the last `length` samples lie together at `offset` in the file.
    /// - Parameter entry: the number of their sample entry, from 1.
    mutating func appendChunk(offset: Int64, length: UInt32, entry: UInt32 = 1) {
        chunkOffsets.append(offset)
        guard (length, entry) != lastChunk else { return }
        lastChunk = (length, entry)
        chunkLengths.append(UInt32(chunkOffsets.count))
        chunkLengths.append(length)
        chunkLengths.append(entry)  // sample_description_index
    }

    /// Sets another place in the file for each chunk.
    mutating func moveChunks(to offsets: [Int64]) {
        precondition(offsets.count == chunkOffsets.count, "a place for each chunk")
        chunkOffsets = offsets
    }

    /// Makes the last sample last until that tick, if that is after its start.
    mutating func endLastSample(at tick: UInt64) {
        guard count > 0, tick > lastStart else { return }
        lastDuration = UInt32(clamping: tick - lastStart)
    }

    private mutating func settleLastDuration() {
        lastStart += UInt64(lastDuration)
        if run.length > 0, run.duration == lastDuration {
            run.length += 1
        } else {
            if run.length > 0 { endRun() }
            run = (1, lastDuration)
        }
    }

    private mutating func endRun() {
        durations.append(run.length)
        durations.append(run.duration)
    }

    /// The most bytes of `boxes`.
    var byteCountBound: Int {
        sizes.byteCount + durations.byteCount + syncSamples.byteCount + chunkLengths.byteCount + 8 * chunkOffsets.count
            + 160
    }

    /// stts, stss, stsc, stsz and stco or co64, in this order.
    /// - Parameters:
    ///   - allSync: every sample is a sync sample, so stss is left out (8.6.2.1).
    ///   - wideOffsets: write co64. The caller decides for the whole file, so that the index can move to the front.
    func boxes(allSync: Bool, wideOffsets: Bool) -> ByteChain {
        var settled = self
        if count > 0 {
            settled.settleLastDuration()  // ends the run before the last sample, or extends it
            settled.endRun()
        }

        var chain = ByteChain()
        func table(_ type: FourCharacterCode, _ prefix: [UInt32], _ table: IntegerTable) {
            chain.append(ByteChain(box: type, prefix: [0] + prefix, ByteChain(table)))
        }
        table("stts", [UInt32(settled.durations.byteCount / 8)], settled.durations)
        if !allSync { table("stss", [UInt32(syncSamples.byteCount / 4)], syncSamples) }
        table("stsc", [UInt32(chunkLengths.byteCount / 12)], chunkLengths)
        table("stsz", [0, count], sizes)
        var offsets = BoxWriter()
        offsets.reserveCapacity(chunkOffsets.count * (wideOffsets ? 8 : 4))
        for offset in chunkOffsets { offsets.integer(UInt64(clamping: offset), wide: wideOffsets) }
        chain.append(
            ByteChain(
                box: wideOffsets ? "co64" : "stco", prefix: [0, UInt32(chunkOffsets.count)], ByteChain(offsets.bytes)))
        return chain
    }
}
