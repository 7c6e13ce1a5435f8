// What a live stream remembers: enough to start a new viewer at once, and to let one catch up who was held up for a
// moment. Pure: no clock, no sockets.
import NIOCore

/// The newest records of a stream, numbered from zero in the order they came.
///
/// It keeps everything since the newest keyframe, and what is younger than `grace` before that. When that is more than
/// `byteLimit`, the oldest go all the same, and nobody can begin until the next keyframe.
struct SampleHistory {
    /// Bytes of memory that all records together may take.
    let byteLimit: Int
    /// Nanoseconds.
    let grace: Int64
    /// False for a stream of sound alone, where decoding can start anywhere.
    let hasVideo: Bool

    private var records = CircularBuffer<LiveRecord>()
    /// The number of the oldest record kept; `end` where none is.
    private(set) var first = 0
    private(set) var bytes = 0
    /// Where a new viewer begins: the number of the newest keyframe.
    private(set) var newestKeyframe: Int?

    init(hasVideo: Bool, byteLimit: Int = 8 << 20, grace: Int64 = 1_000_000_000) {
        self.hasVideo = hasVideo
        self.byteLimit = byteLimit
        self.grace = grace
    }

    /// One more than the number of the newest record.
    var end: Int { first + records.count }

    /// The record of that number, which must be in `first..<end`.
    subscript(number: Int) -> LiveRecord { records[offset: number - first] }

    mutating func append(_ record: LiveRecord) {
        let number = end
        records.append(record)
        bytes += record.bytes.storageCapacity
        if hasVideo ? record.kind == .video && record.isKeyframe : record.kind.isSample { newestKeyframe = number }
        while first < number {
            let oldest = self[first]
            let isNeeded = newestKeyframe.map { first >= $0 } ?? true
            let isYoung = record.arrival - oldest.arrival < grace
            if bytes <= byteLimit, isNeeded || isYoung { break }
            bytes -= oldest.bytes.storageCapacity
            records.removeFirst()
            if newestKeyframe == first { newestKeyframe = nil }
            first += 1
        }
    }

    /// Pictures from number `start` up to, not including, `end`. What is no longer kept is not counted.
    func pictures(from start: Int, to end: Int) -> Int {
        guard max(start, first) < end else { return 0 }
        return (max(start, first)..<end).count { self[$0].kind == .video }
    }
}
