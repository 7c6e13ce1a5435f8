// The fragments of a recording in progress (ISO/IEC 14496-12, 8.8): one moof and one mdat in one array, so that one
// write puts them into the file.

struct RecordedFragment {
    private(set) var bytes: [UInt8]
    /// The offsets in `bytes` of each run's samples, in the order of the runs.
    private(set) var runOffsets: [Int]
    /// The offset in `bytes` of the last frame's duration, four bytes; nil without frames.
    private(set) var lastDurationOffset: Int?

    /// One track's part of a fragment.
    struct Run {
        var track: TrackDescription
        /// Ticks at which the first sample starts.
        var start: UInt64
        /// Ticks of each sample; empty for audio, which has the track's sample duration.
        var durations: [UInt32]
        var samples: PendingRun

        func duration(of sample: Int) -> UInt32 { durations.isEmpty ? track.sampleDuration : durations[sample] }
    }

    /// - Parameter position: the fragment's offset in the file.
    init(sequenceNumber: UInt32, runs: [Run], position: Int64) {
        self.init(sequenceNumber: sequenceNumber, runs: runs)
        // The last duration is overwritten in place. Its four bytes must not cross a sector, or a power cut could leave
        // half of the old and half of the new; nor a page, since a signal can do the same.
        guard let offset = lastDurationOffset, (position + Int64(offset)) & 511 > 508 else { return }
        bytes.insert(contentsOf: Self.padding, at: 0)
        runOffsets = runOffsets.map { $0 + Self.padding.count }
        lastDurationOffset = offset + Self.padding.count
    }

    /// An empty free box.
    static let padding: [UInt8] = [0, 0, 0, 8] + Array("free".utf8)

    init(sequenceNumber: UInt32, runs: [Run]) {
        let payloadSize = runs.reduce(0) { $0 + $1.samples.payload.count }
        var offset = runs.reduce(MovieFragment.emptySize + 8) { $0 + $1.size }
        var writer = BoxWriter()
        writer.reserveCapacity(offset + payloadSize)
        var runOffsets: [Int] = []
        var lastDurationOffset: Int?
        writer.movieFragment(sequenceNumber: sequenceNumber) {
            for run in runs {
                $0.append(run, dataOffset: offset)
                if run.track.isVideo {
                    lastDurationOffset = $0.bytes.count - MovieFragment.sampleSize(of: run.track)
                }
                runOffsets.append(offset)
                offset += run.samples.payload.count
            }
        }
        writer.box("mdat") {
            for run in runs { $0.append(run.samples.payload) }
        }
        bytes = writer.bytes
        self.runOffsets = runOffsets
        self.lastDurationOffset = lastDurationOffset
    }
}

extension RecordedFragment.Run {
    fileprivate var size: Int {
        MovieFragment.runSize(of: track, sampleCount: samples.sizes.count)
    }
}

extension BoxWriter {
    fileprivate mutating func append(_ run: RecordedFragment.Run, dataOffset: Int) {
        let sizes = run.samples.sizes
        trackRun(of: run.track, start: run.start, sampleCount: sizes.count, dataOffset: dataOffset) {
            for index in sizes.indices {
                $0.runSample(
                    of: run.track, duration: run.duration(of: index), size: sizes[index],
                    isSync: run.samples.isSync[index])
            }
        }
    }
}
