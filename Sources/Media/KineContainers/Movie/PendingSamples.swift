// Samples that wait for the next fragment, with their times.
import KineMedia

struct PendingRun {
    /// Ticks at which each sample starts. Empty for tracks with equally long samples.
    var starts: [UInt64] = []
    var sizes: [UInt32] = []
    var isSync: [Bool] = []
    /// The samples' data in order.
    var payload: [UInt8] = []

    var isEmpty: Bool { sizes.isEmpty }

    mutating func removeAll() {
        starts.removeAll(keepingCapacity: true)
        sizes.removeAll(keepingCapacity: true)
        isSync.removeAll(keepingCapacity: true)
        // A burst of large frames should not keep its memory for the rest of the take.
        payload.removeAll(keepingCapacity: payload.capacity <= 1 << 20)
    }

    mutating func append(_ other: PendingRun) {
        starts += other.starts
        sizes += other.sizes
        isSync += other.isSync
        payload += other.payload
    }

    /// Removes and returns the last sample, which must have a start.
    mutating func removeLast() -> PendingRun? {
        guard let start = starts.popLast(), let size = sizes.popLast(), let sync = isSync.popLast() else { return nil }
        let data = Array(payload.suffix(Int(size)))
        payload.removeLast(data.count)
        return PendingRun(starts: [start], sizes: [size], isSync: [sync], payload: data)
    }

    /// The ticks from sample `index` to the next one, or to `end`. At least one.
    func duration(at index: Int, end: UInt64) -> UInt32 {
        let next = index + 1 < starts.count ? starts[index + 1] : end
        return UInt32(clamping: max(next, starts[index] + 1) - starts[index])
    }
}

struct PendingSamples {
    private let tracks: [TrackDescription]
    private let types: [SampleType]
    /// One for each track, video first.
    var runs: [PendingRun]

    init(_ movie: MovieDescription, audio: [AudioFormat]) {
        tracks = movie.tracks
        types = [.video] + audio.map(\.type)
        runs = tracks.map { _ in PendingRun() }
    }

    var isEmpty: Bool { runs.allSatisfy(\.isEmpty) }

    /// Adds a sample of the input track, if there is one. No two share an instant, and the first is at time zero.
    /// - Parameter lastStart: ticks at which the last written sample of the track starts, if there is one.
    mutating func append(input data: [UInt8], at time: MediaTime, after lastStart: UInt64?) {
        guard let track = tracks.indices.last, tracks[track].kind == .input, !data.isEmpty else { return }
        let earliest = runs[track].starts.last ?? lastStart
        runs[track].starts.append(earliest.map { max(Self.ticks(time), $0 + 1) } ?? 0)
        runs[track].sizes.append(UInt32(clamping: data.count))
        runs[track].isSync.append(true)
        runs[track].payload += data
    }

    /// Adds a sample, unless its track is unknown or it has no bytes: readers take that for damage. The first frame is at time zero, and no two frames share an instant.
    /// - Parameter lastStart: ticks at which the last written frame starts, if there is one.
    mutating func append(_ sample: EncodedSample, after lastStart: UInt64?) {
        guard let track = types.firstIndex(of: sample.type), !sample.data.isEmpty else { return }
        if sample.type == .video {
            let earliest = runs[0].starts.last ?? lastStart
            runs[0].starts.append(earliest.map { max(Self.ticks(sample.presentationTime), $0 + 1) } ?? 0)
        }
        runs[track].sizes.append(UInt32(clamping: sample.data.count))
        runs[track].isSync.append(sample.isKeyframe || track > 0)
        runs[track].payload.append(contentsOf: sample.data)
    }

    /// The runs of a fragment with all pending samples. The last frame and the last input last until `end`; an audio track
    /// continues at the tick that `audioStart` returns for its index.
    func fragmentRuns(until end: UInt64, audioStart: (Int) -> UInt64) -> [RecordedFragment.Run] {
        tracks.indices.filter { !runs[$0].isEmpty }.map { index in
            let samples = runs[index]
            return RecordedFragment.Run(
                track: tracks[index], start: samples.starts.first ?? audioStart(index),
                durations: samples.starts.indices.map { samples.duration(at: $0, end: end) }, samples: samples)
        }
    }

    mutating func removeAll() {
        for track in runs.indices { runs[track].removeAll() }
    }

    /// A time in ticks of the video track.
    static func ticks(_ time: MediaTime) -> UInt64 {
        UInt64(max(0, time.ticks(timescale: TrackDescription.videoTimescale)))
    }
}
