// Keeps the newest records of a live stream: enough for a new viewer to start at once, and for a delayed one to catch up.
// Pure: no clock, no sockets.
import NIOCore

/// The newest records of a stream, numbered from zero in order of arrival.
///
/// It keeps everything since the newest keyframe, and all records that arrived less than `grace` before the newest one.
/// Beyond `byteLimit` it drops the oldest anyway, and no viewer can begin before the next keyframe.
struct SampleHistory {
    /// Bytes of memory for all records together.
    let byteLimit: Int
    /// Nanoseconds for which records before the newest keyframe are kept.
    let grace: Int64
    /// False for a stream of audio only, in which decoding can start anywhere.
    let hasVideo: Bool

    private var records = CircularBuffer<LiveRecord>()
    /// The number of the oldest record; `end` if there is none.
    private(set) var first = 0
    private(set) var bytes = 0
    /// The number of the newest keyframe, at which a new viewer begins.
    private(set) var newestKeyframe: Int?

    init(hasVideo: Bool, byteLimit: Int = 8 << 20, grace: Int64 = 1_000_000_000) {
        self.hasVideo = hasVideo
        self.byteLimit = byteLimit
        self.grace = grace
    }

    /// The number after the newest record's.
    var end: Int { first + records.count }

    /// The record with this number, which must be in `first..<end`.
    subscript(number: Int) -> LiveRecord { records[offset: number - first] }

    mutating func append(_ record: LiveRecord) {
        let number = end
        records.append(record)
        bytes += record.chunks.storageCapacity
        if hasVideo ? record.kind == .video && record.isKeyframe : record.kind.isSample { newestKeyframe = number }
        while first < number {
            let oldest = self[first]
            let isNeeded = newestKeyframe.map { first >= $0 } ?? true
            let isYoung = record.arrival - oldest.arrival < grace
            if bytes <= byteLimit, isNeeded || isYoung { break }
            bytes -= oldest.chunks.storageCapacity
            records.removeFirst()
            if newestKeyframe == first { newestKeyframe = nil }
            first += 1
        }
    }

    /// Counts the kept frames from number `start` up to, not including, `end`.
    func frames(from start: Int, to end: Int) -> Int {
        guard max(start, first) < end else { return 0 }
        return (max(start, first)..<end).count { self[$0].kind == .video }
    }
}
