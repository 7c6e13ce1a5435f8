// The times of frames in the file. Players and editors count in places of the take's rate: no two frames share a place, and at a
// constant rate each place has a frame.
import KineMedia

/// Gives frames their times in the file. Pure: the caller says when each was captured.
///
/// At a variable rate a frame keeps its own time, unless its nearest place is taken by the frame before. Then it moves to the
/// next place, by up to half an interval: an editor that conforms the file to a constant rate would lose one of the two, and
/// ffmpeg complains of equal times. After one early frame all later frames would move; to end that, one of them shares
/// a place.
struct FrameGrid: Sendable {
    /// The number of places in each `period`, which is in nanoseconds.
    private let framesPerSecond: Int64
    private let period: Int64
    private let isConstant: Bool
    private var last: Int64?
    private var lastTime: MediaTime?
    /// The number of frames in a row that moved by more than a small part of an interval.
    private var movesInRow = 0

    private static let mostMovesInRow = 4

    init(_ video: TakeConfiguration.Video) {
        self.init(
            framesPerSecond: video.framesPerSecond, period: video.framePeriod, isConstant: video.constantFrameRate)
    }

    /// `period`: nanoseconds in which `framesPerSecond` frames come.
    init(framesPerSecond: Int, period: Int64 = 1_000_000_000, isConstant: Bool) {
        self.framesPerSecond = Int64(max(1, framesPerSecond))
        self.period = period
        self.isConstant = isConstant
    }

    /// Returns the time in the file of the frame captured at `time`. At a constant rate it is also shown at `repeats`, in places
    /// for which none was captured. Times must not decrease.
    mutating func place(_ time: MediaTime) -> (time: MediaTime, repeats: [MediaTime]) {
        guard isConstant else { return (placeFreely(time), []) }
        guard let last else {
            self.last = 0
            return (.zero, [])
        }
        let place = max(current(time), last + 1)
        self.last = place
        return (self.time(of: last + 1), (last + 2..<max(place + 1, last + 2)).map { self.time(of: $0) })
    }

    /// At a variable rate.
    private mutating func placeFreely(_ time: MediaTime) -> MediaTime {
        guard let last, let lastTime else { return settle(time) }
        guard nearest(time) <= last else {
            movesInRow = 0
            return settle(max(time, start(of: nearest(time))))
        }
        let next = start(of: last + 1)
        let move = (next - time).nanoseconds
        movesInRow = move > interval / 16 ? movesInRow + 1 : 0
        // Rather than move too far or too often, the frame shares a place.
        guard move <= interval * 11 / 20, movesInRow <= Self.mostMovesInRow else {
            movesInRow = 0
            return settle(max(time, lastTime + MediaTime(nanoseconds: interval / 4)))
        }
        return settle(next)
    }

    private mutating func settle(_ time: MediaTime) -> MediaTime {
        last = nearest(time)
        lastTime = time
        return time
    }

    /// Nanoseconds between two places.
    private var interval: Int64 { period / framesPerSecond }

    /// The time to capture the next frame at a constant rate; nil at a variable one.
    var next: MediaTime? { isConstant ? last.map { self.time(of: $0 + 1) } : nil }

    /// At a constant rate, the places before `end` without a frame, as `place` returns them; nil if there are none.
    mutating func fill(until end: MediaTime) -> (time: MediaTime, repeats: [MediaTime])? {
        // A place that begins with the end is not part of the take. Its time may be rounded up by a nanosecond.
        let final = current(end - MediaTime(nanoseconds: 2))
        guard isConstant, let last, final > last else { return nil }
        return place(time(of: final))
    }

    /// At a constant rate, the beginning of the place that lasts at `time`; else `time`.
    func start(at time: MediaTime) -> MediaTime { isConstant ? self.time(of: current(time)) : time }

    /// The end at a constant rate of the frame that `place` has put at `time`; nil at a variable one.
    func end(ofFrameAt time: MediaTime) -> MediaTime? {
        isConstant ? self.time(of: nearest(time) + 1) : nil
    }

    private func time(of place: Int64) -> MediaTime {
        MediaTime(nanoseconds: (place * period + framesPerSecond / 2) / framesPerSecond)
    }

    /// The nearest place in ticks of the file's clock, as readers see it; the middle belongs to the later place.
    private func nearest(_ time: MediaTime) -> Int64 {
        let ticks = MediaTime(nanoseconds: period).ticks(timescale: 90000)
        return (2 * time.ticks(timescale: 90000) * framesPerSecond + ticks) / (2 * ticks)
    }

    /// The first instant that is nearest to `place`, and a tick of the file's clock more: programs round halves differently.
    private func start(of place: Int64) -> MediaTime {
        MediaTime(nanoseconds: (2 * place - 1) * period / (2 * framesPerSecond) + 12_000)
    }

    /// The place that lasts at `time`, which may be a nanosecond short of the place's exact beginning.
    private func current(_ time: MediaTime) -> Int64 { (time.nanoseconds + 1) * framesPerSecond / period }
}

/// Keeps the frame rate at or under a limit. Pure: the caller supplies the time.
///
/// The generic cell rate algorithm (ITU-T I.371). A fixed grid would miss frames that come a little early from a source as fast as
/// the limit; a fixed distance would fall behind by every delay. After a delay, frames half an interval apart catch up.
struct FramePacer: Sendable {
    /// Nanoseconds between two frames.
    let interval: Int64
    /// The earliest time for the next frame, in the caller's clock.
    private(set) var earliest: Int64 = .min
    /// The time of the next frame at the exact rate. Before the first one, half an interval can be made up: the take's beginning
    /// says nothing about the times at which its source draws.
    private var due: Int64?
    private var lastFrame: Int64?

    /// `period`: nanoseconds in which `framesPerSecond` frames come.
    init(framesPerSecond: Int, period: Int64 = 1_000_000_000) { interval = period / Int64(max(1, framesPerSecond)) }

    /// At least one frame a minute.
    init(framesPerSecond: Double) { interval = Int64(1e9 / min(max(framesPerSecond, 1.0 / 60), 1e9)) }

    mutating func recordFrame(at instant: Int64) {
        charge(at: instant)
        lastFrame = instant
    }

    /// A read at `instant` found the frame unchanged. Soon after a frame, that is often a second report of the same
    /// drawing: it costs nothing then, or a source as fast as the limit would be slowed down. Otherwise the read counts
    /// as a frame, so that a source that repaints the same pixels is not read above the rate.
    mutating func foundNothing(at instant: Int64) {
        guard let lastFrame, instant < lastFrame + interval * 7 / 8 else { return charge(at: instant) }
        earliest = max(earliest, instant + interval / 2)
    }

    private mutating func charge(at instant: Int64) {
        // A whole interval can be made up, and one frame be half an interval early. Frames out of turn, however many, make the
        // next one wait an interval at most.
        let paced = max(due ?? instant - interval / 2, instant - interval) + interval - interval / 500
        let due = min(paced, instant + interval * 3 / 2)
        earliest = max(due - interval / 2, instant + interval / 2)
        self.due = due
    }

    /// Accounts for a pause of that many nanoseconds: in the file, the frames before and after it must be as far apart
    /// as others.
    mutating func delay(by nanoseconds: Int64) {
        guard earliest != .min else { return }
        earliest += nanoseconds
        due? += nanoseconds
        lastFrame? += nanoseconds
    }
}
