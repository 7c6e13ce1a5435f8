// Converts the machine's clock to the time in the file, by the take's origin and its pauses. Video and audio use the
// same timeline, so a pause cuts the same stretch out of both.
import KineMedia
import KinePlatform

/// The pure part: the origin and the pauses of one take. Times are nanoseconds of CLOCK_MONOTONIC, which stops in suspend,
/// so a suspended machine pauses the take by itself.
package struct TakeTimeline: Sendable, Equatable {
    /// The instant of the first frame; nil before it.
    private(set) var origin: Int64?
    /// Finished pauses in order, in monotonic time.
    private(set) var pauses: [Range<Int64>] = []
    /// The beginning of the present pause, if any.
    private(set) var pausedSince: Int64?

    var isPaused: Bool { pausedSince != nil }

    /// Sets time zero. Only the first call counts.
    mutating func begin(at instant: Int64) {
        if origin == nil { origin = instant }
    }

    /// Returns false if the take was paused already.
    mutating func pause(at instant: Int64) -> Bool {
        guard pausedSince == nil else { return false }
        pausedSince = max(instant, pauses.last?.upperBound ?? instant)
        return true
    }

    /// Returns false if the take was not paused.
    mutating func resume(at instant: Int64) -> Bool {
        guard let since = pausedSince else { return false }
        pauses.append(since..<max(since, instant))
        pausedSince = nil
        return true
    }

    /// Adds a pause that has just ended, unless the take is paused anyway.
    mutating func cut(_ range: Range<Int64>) {
        guard !range.isEmpty, pause(at: range.lowerBound) else { return }
        _ = resume(at: range.upperBound)
    }

    /// The time in the file of a monotonic instant. Negative before the first frame; an instant inside a pause maps
    /// to the moment the pause began. Zero while there is no origin.
    func mediaTime(at instant: Int64) -> MediaTime {
        guard let origin else { return .zero }
        var nanoseconds = instant - origin
        for pause in pauses where instant > pause.lowerBound {
            nanoseconds -= max(0, min(instant, pause.upperBound) - max(pause.lowerBound, origin))
        }
        if let pausedSince { nanoseconds -= max(0, instant - max(pausedSince, origin)) }
        return MediaTime(nanoseconds: nanoseconds)
    }

    /// The time in the file of a monotonic instant that was recorded; nil: it was before the first frame or in a pause.
    func recordedTime(at instant: Int64) -> MediaTime? {
        guard let origin, instant >= origin, pausedSince.map({ instant < $0 }) ?? true,
            !pauses.contains(where: { $0.contains(instant) })
        else { return nil }
        return mediaTime(at: instant)
    }

    /// The instant at which `duration` will have been recorded; nil before the first frame and in a pause.
    package func instant(afterRecording duration: MediaTime) -> Int64? {
        guard let origin, !isPaused else { return nil }
        return pauses.reduce(origin + duration.nanoseconds) { $0 + $1.upperBound - max($1.lowerBound, origin) }
    }

    /// The parts of `range` that are recorded, in order: at or after the first frame and outside every pause.
    func recordedParts(of range: Range<Int64>) -> [Range<Int64>] {
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

/// The timeline that capture, audio and control share.
package final class TakeClock: Sendable {
    private struct State {
        var timeline = TakeTimeline()
        /// When the clock was last used. The file may already have samples from before that.
        var lastUse: Int64 = 0
    }

    private let state: Monitor<State>
    private let stops: StopDetector?

    /// - Parameter countsStops: a stretch in which the whole process was stopped is a pause.
    init(countsStops: Bool = false) {
        let state = Monitor(State())
        self.state = state
        stops =
            countsStops
            ? StopDetector { stop in
                state.withLock { $0.timeline.cut(max(stop.lowerBound, $0.lastUse)..<stop.upperBound) }
            }
            : nil
    }

    /// A copy, so that several calls see the same state.
    package var snapshot: TakeTimeline { use { $0 } }

    func begin(at instant: Int64) { use { $0.begin(at: instant) } }
    func pause(at instant: Int64) { use { _ = $0.pause(at: instant) } }
    func resume(at instant: Int64) { use { _ = $0.resume(at: instant) } }
    func mediaTime(at instant: Int64) -> MediaTime { use { $0.mediaTime(at: instant) } }

    private func use<Result>(_ body: (inout TakeTimeline) -> Result) -> Result {
        stops?.settle()
        return state.withLock {
            $0.lastUse = MonotonicClock.now()
            return body(&$0.timeline)
        }
    }
}
