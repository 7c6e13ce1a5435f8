// The decisions of a split recording: when a file ends, and which access unit of audio is the first of the next. Pure.
import KineMedia

/// Decides at which keyframe a part of a recording ends. Times are the take's.
struct SplitPolicy: Sendable {
    /// Nil: the recording continues in another file only if this file cannot grow.
    let limit: TakeConfiguration.SplitLimit?
    /// The most bytes of the part: the limit, or what its file may have.
    private var most: Int64
    /// The time of the part's first frame.
    private let start: MediaTime
    /// The size limit is so near that the next keyframe should end the part.
    private var isFull = false
    private var last: (time: MediaTime, bytes: Int64)
    /// Bytes a second. A peak counts for several seconds, because the picture may change as much again.
    private var rate = 0.0

    /// The seconds from the request to the keyframe in the queue: `KeyframeRequests` may delay the request by two
    /// seconds.
    private static let reaction = 3.0

    init(limit: TakeConfiguration.SplitLimit?, start: MediaTime) {
        self.limit = limit
        self.start = start
        most = if case .bytes(let most) = limit { most } else { .max }
        last = (start, 0)
    }

    /// The part's file may have this many bytes, as far as is known by now.
    mutating func bound(_ bytes: Int64) { most = min(most, bytes) }

    /// The time from which on a keyframe is wanted; nil while that is unknown.
    var due: MediaTime? {
        if isFull { return start }
        return if case .duration(let length) = limit { start + length } else { nil }
    }

    /// Notes the size that the file would have if it ended now with all queued samples.
    mutating func note(bytes: Int64, at time: MediaTime) {
        guard most < .max, time > last.time else { return }
        rate = max(rate * 7 / 8, Double(bytes - last.bytes) / (time - last.time).seconds)
        last = (time, bytes)
        let reserve = min(max(rate * Self.reaction, Double(most) / 50), Double(most) / 2)
        if Double(bytes) + reserve >= Double(most) { isFull = true }
    }

    func ends(atKeyframe time: MediaTime) -> Bool {
        guard time > start, let due else { return false }
        guard !isFull, case .duration(let length) = limit else { return true }
        // A keyframe that comes by itself shortly before is used.
        return time >= due - min(.milliseconds(500), MediaTime(nanoseconds: length.nanoseconds / 20))
    }
}

/// Where one audio track continues in the next part. Access units are counted from the beginning of the take, and each
/// is in one part: programs that join files keep every access unit.
struct AudioCut: Sendable, Equatable {
    /// The next part's first access unit, the one of the part's first instant.
    let first: Int
    /// Samples a channel at its start that come before the part's first frame.
    let mediaStart: Int

    init(at time: MediaTime, _ format: AudioTrackFormat) {
        let position = Int(time.ticks(timescale: Int32(clamping: format.sampleRate))) + format.primingSamples
        (first, mediaStart) = position.quotientAndRemainder(dividingBy: format.samplesPerAccessUnit)
    }
}
