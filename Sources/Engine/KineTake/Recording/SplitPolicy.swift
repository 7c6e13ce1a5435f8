// The decisions of a split recording: when a file ends, and when a keyframe is requested for that. Pure.
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

/// Decides when a recording continues in its next part, and requests one keyframe for each. Times are the take's.
struct SplitStateMachine: Sendable {
    /// Nil for a stream, which is never split.
    private var policy: SplitPolicy?
    /// Bytes. A file that may not have so many ends the recording: a person has bounded it.
    private let leastContinued: Int64
    /// The size beyond which a file could not grow, though its file system had stated no limit.
    private var refusedSize = Int64.max
    /// The keyframe that ends the part was not requested yet.
    private var mustRequest = true
    /// The part's file cannot grow: frames are left out until a keyframe begins the next one.
    private(set) var isAwaitingPart = false

    /// - Parameter leastContinued: bytes. A file that may not have so many ends the recording.
    init(_ configuration: TakeConfiguration, leastContinued: Int64) {
        policy = configuration.file == nil ? nil : SplitPolicy(limit: configuration.split, start: .zero)
        self.leastContinued = leastContinued
    }

    /// Whether there can be more than one part.
    var isPossible: Bool { policy != nil }

    /// Whether a limit was chosen for each part.
    var hasChosenLimit: Bool { policy?.limit != nil }

    /// The time from which on a keyframe is wanted, to begin the next part with; nil while that is unknown.
    var due: MediaTime? { policy?.due }

    /// The most bytes of a file, if the recording then continues in another file.
    ///
    /// - Parameter stated: what the file system allows, as far as that is known; otherwise `.max`.
    func fileLimit(stated: Int64) -> Int64? {
        let limit = min(stated, refusedSize)
        return policy != nil && limit < .max && limit >= leastContinued ? limit : nil
    }

    /// Notes the size that the file would have if it ended now with all queued samples, and the limit that is known by
    /// now; both in bytes.
    mutating func note(size: Int64, limit: Int64, at time: MediaTime) {
        if let limit = fileLimit(stated: limit) { policy?.bound(limit) }
        policy?.note(bytes: size, at: time)
    }

    /// Returns `due` once for each keyframe to request.
    mutating func consumeDue() -> MediaTime? {
        guard mustRequest, let due else { return nil }
        mustRequest = false
        return due
    }

    /// Whether the part ends at a keyframe. Call `beginPart` or `passKeyframe` then.
    func ends(atKeyframe time: MediaTime) -> Bool { policy?.ends(atKeyframe: time) ?? false }

    /// The part goes on after a keyframe. If that was the requested one, it came too early: the next one has to be
    /// requested too.
    mutating func passKeyframe() { mustRequest = true }

    /// The next part begins.
    mutating func beginPart(at time: MediaTime) {
        isAwaitingPart = false
        policy = policy.map { SplitPolicy(limit: $0.limit, start: time) }
        mustRequest = true
    }

    /// The file could not grow beyond `size` bytes. Returns whether the recording continues in another one, with the
    /// next keyframe.
    mutating func continues(afterRefusalAt size: Int64) -> Bool {
        guard policy != nil, size >= leastContinued else { return false }
        refusedSize = size
        (isAwaitingPart, mustRequest) = (true, true)
        return true
    }
}
