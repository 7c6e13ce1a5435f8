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

/// The take's timeline compared with a clock of the server. All in nanoseconds.
struct StreamClock {
    /// The estimate comes from the sample with the least delay in the last one or two windows.
    private static let window: Int64 = 4_000_000_000
    /// Viewers get larger changes only.
    private static let tolerance: Int64 = 20_000_000

    private var windowStart = Int64.min / 2
    private var current: Int64?
    private var before: Int64?

    /// How far the take's timeline is ahead of the clock; nil before the first sample.
    var ahead: Int64? { [current, before].compactMap { $0 }.max() }

    /// Notes that a sample with this presentation time arrived at `now`.
    mutating func note(_ presentationTime: Int64, at now: Int64) {
        if now - windowStart >= Self.window {
            // After a silence as long as a window, the older value no longer counts.
            before = now - windowStart >= 2 * Self.window ? nil : current
            current = nil
            windowStart = now
        }
        current = max(current ?? .min, presentationTime - now)
    }

    /// Call this for a pause: the timeline stops, so the estimate is wrong afterwards.
    mutating func reset() { self = StreamClock() }

    /// Whether viewers need the change between two values of `ahead`.
    static func differ(_ a: Int64?, _ b: Int64?) -> Bool {
        guard let a, let b else { return (a == nil) != (b == nil) }
        return abs(a - b) > tolerance
    }
}
