// Movie fragments (ISO/IEC 14496-12, 8.8): what a recording is made of while it is written. One moof and one mdat,
// built in one piece so that they reach the file in one write.

/// The samples of one track that wait for the next fragment.
struct PendingRun {
    /// Ticks at which each sample starts. Empty for tracks whose samples are all equally long.
    var starts: [UInt64] = []
    var sizes: [UInt32] = []
    var isSync: [Bool] = []
    /// The samples' data, one after the other.
    var payload: [UInt8] = []

    var isEmpty: Bool { sizes.isEmpty }

    mutating func removeAll() {
        starts.removeAll(keepingCapacity: true)
        sizes.removeAll(keepingCapacity: true)
        isSync.removeAll(keepingCapacity: true)
        // A burst of large pictures should not hold on to its memory for the rest of the take.
        payload.removeAll(keepingCapacity: payload.capacity <= 1 << 20)
    }

    /// The ticks that sample `index` lasts until the next one starts; the last lasts until `end`. At least one.
    func duration(at index: Int, end: UInt64) -> UInt32 {
        let next = index + 1 < starts.count ? starts[index + 1] : end
        return UInt32(clamping: max(next, starts[index] + 1) - starts[index])
    }
}

/// A fragment that is ready to be written.
struct SerializedFragment {
    var bytes: [UInt8]
    /// Where in `bytes` each run's samples begin, in the order the runs were given.
    var runOffsets: [Int]
    /// Where in `bytes` the duration of the last picture stands, four bytes; nil without pictures.
    var lastDurationOffset: Int?

    /// What a fragment says of one track.
    struct Run {
        var track: TrackDescription
        /// Ticks at which the first sample starts.
        var start: UInt64
        /// One duration a sample in ticks; nil where all last as long as the track says.
        var durations: [UInt32]?
        var samples: PendingRun
    }

    /// trun flags (8.8.8.1): the data's offset, and for each sample its duration, size and flags.
    static let offsetPresent: UInt32 = 0x1
    static let durationPresent: UInt32 = 0x100
    static let sizePresent: UInt32 = 0x200
    static let flagsPresent: UInt32 = 0x400
    static let videoRunFlags = offsetPresent | durationPresent | sizePresent | flagsPresent
    static let audioRunFlags = offsetPresent | sizePresent
    /// tfhd flag (8.8.7.1): offsets count from the moof's first byte.
    static let defaultBaseIsMoof: UInt32 = 0x2_0000

    /// Bytes of a moof around its runs: moof and mfhd, and traf, tfhd, tfdt and trun for each.
    private static func movieFragmentSize(_ runs: [Run]) -> Int {
        runs.reduce(8 + 16) { $0 + 8 + 16 + 20 + 20 + $1.samples.sizes.count * ($1.durations == nil ? 4 : 12) }
    }

    /// - Parameter position: where in the file the fragment will stand.
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

    private init(sequenceNumber: UInt32, runs: [Run]) {
        let payloadSize = runs.reduce(0) { $0 + $1.samples.payload.count }
        var offset = Self.movieFragmentSize(runs) + 8
        var writer = BoxWriter()
        writer.reserveCapacity(offset + payloadSize)
        var runOffsets: [Int] = []
        var lastDurationOffset: Int?
        writer.box("moof") {
            $0.fullBox("mfhd") { $0.integer(sequenceNumber) }
            for run in runs {
                $0.box("traf") {
                    $0.fullBox("tfhd", flags: Self.defaultBaseIsMoof) { $0.integer(run.track.id) }
                    $0.fullBox("tfdt", version: 1) { $0.integer(run.start) }
                    $0.fullBox("trun", flags: run.durations == nil ? Self.audioRunFlags : Self.videoRunFlags) {
                        $0.integer(UInt32(run.samples.sizes.count))
                        $0.integer(UInt32(clamping: offset))
                        for (index, size) in run.samples.sizes.enumerated() {
                            guard let durations = run.durations else {
                                $0.integer(size)
                                continue
                            }
                            lastDurationOffset = $0.bytes.count
                            $0.integer(durations[index])
                            $0.integer(size)
                            $0.integer(
                                run.samples.isSync[index]
                                    ? TrackDescription.syncSampleFlags : TrackDescription.dependentSampleFlags)
                        }
                    }
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
