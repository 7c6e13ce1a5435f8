// From the machine's clock to the time in the file: where the take began, and which stretches were paused. Picture and
// sound ask the same timeline, so a pause takes the same instant out of both and cannot part them.
import KineMedia
import Synchronization

/// The pure part: the origin and the pauses of one take. Times are nanoseconds of CLOCK_MONOTONIC, which stops in suspend,
/// so a suspended machine pauses the take by itself.
public struct TakeTimeline: Sendable, Equatable {
    /// When the first picture was captured; nil before it.
    public private(set) var origin: Int64?
    /// Finished pauses in order, in monotonic time.
    public private(set) var pauses: [Range<Int64>] = []
    /// When the pause that still lasts began.
    public private(set) var pausedSince: Int64?

    public init() {}

    public var isPaused: Bool { pausedSince != nil }

    /// Sets time zero. Only the first call counts.
    public mutating func begin(at instant: Int64) {
        if origin == nil { origin = instant }
    }

    /// Returns false where the take was paused already.
    public mutating func pause(at instant: Int64) -> Bool {
        guard pausedSince == nil else { return false }
        pausedSince = max(instant, pauses.last?.upperBound ?? instant)
        return true
    }

    /// Returns false where the take was not paused.
    public mutating func resume(at instant: Int64) -> Bool {
        guard let since = pausedSince else { return false }
        pauses.append(since..<max(since, instant))
        pausedSince = nil
        return true
    }

    /// The time in the file of a monotonic instant. Negative before the first picture; an instant inside a pause maps
    /// to the moment the pause began. Zero while there is no origin.
    public func mediaTime(at instant: Int64) -> MediaTime {
        guard let origin else { return .zero }
        var nanoseconds = instant - origin
        for pause in pauses where instant > pause.lowerBound {
            nanoseconds -= max(0, min(instant, pause.upperBound) - max(pause.lowerBound, origin))
        }
        if let pausedSince { nanoseconds -= max(0, instant - max(pausedSince, origin)) }
        return MediaTime(nanoseconds: nanoseconds)
    }

    /// The parts of `range` that are recorded, in order: at or after the first picture and outside every pause.
    public func recordedParts(of range: Range<Int64>) -> [Range<Int64>] {
        guard let origin else { return [] }
        var parts: [Range<Int64>] = []
        var start = max(range.lowerBound, origin)
        for pause in pauses {
            guard pause.upperBound > start else { continue }
            guard pause.lowerBound < range.upperBound else { break }
            if pause.lowerBound > start { parts.append(start..<pause.lowerBound) }
            start = max(start, pause.upperBound)
        }
        let end = min(range.upperBound, pausedSince ?? range.upperBound)
        if start < end { parts.append(start..<end) }
        return parts
    }
}

/// The timeline that capture, sound and control share.
public final class TakeClock: Sendable {
    private let timeline = Mutex(TakeTimeline())

    public init() {}

    /// A copy, for several questions about one moment.
    public var snapshot: TakeTimeline { timeline.withLock { $0 } }

    public func begin(at instant: Int64) { timeline.withLock { $0.begin(at: instant) } }
    public func pause(at instant: Int64) -> Bool { timeline.withLock { $0.pause(at: instant) } }
    public func resume(at instant: Int64) -> Bool { timeline.withLock { $0.resume(at: instant) } }
    public func mediaTime(at instant: Int64) -> MediaTime { timeline.withLock { $0.mediaTime(at: instant) } }
}
