// The fragments that a recording is made of while it is written (ISO/IEC 14496-12, 8.8): one moof and one mdat, built in one
// piece so that they reach the file in one write.

/// A fragment that is ready to be written.
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
        /// One duration a frame in ticks; empty for audio, whose samples last as long as the track says.
        var durations: [UInt32]
        var samples: PendingRun
    }

    /// - Parameter position: the offset in the file at which the fragment will stand.
    init(sequenceNumber: UInt32, runs: [Run], position: Int64) {
        self.init(sequenceNumber: sequenceNumber, runs: runs)
        // The last duration is overwritten in place. Its four bytes must not lie on two sectors, or a power cut could
        // leave half of the old and half of the new; nor on two pages, where a signal can do the same.
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
                    lastDurationOffset = $0.bytes.count - MovieFragment.sampleSize(isVideo: true)
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
        MovieFragment.runSize(isVideo: track.isVideo, sampleCount: samples.sizes.count)
    }
}

extension BoxWriter {
    fileprivate mutating func append(_ run: RecordedFragment.Run, dataOffset: Int) {
        let sizes = run.samples.sizes
        trackRun(of: run.track, start: run.start, sampleCount: sizes.count, dataOffset: dataOffset) {
            for index in sizes.indices {
                if run.track.isVideo {
                    $0.runFrame(
                        duration: run.durations[index], size: sizes[index], isSync: run.samples.isSync[index])
                } else {
                    $0.runAudio(size: sizes[index])
                }
            }
        }
    }
}
