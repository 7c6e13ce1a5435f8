// Limits the frame rate, without a timer that runs while nothing happens.

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

    /// A frame was captured at `instant`.
    mutating func recordFrame(at instant: Int64) {
        charge(at: instant)
        lastFrame = instant
    }

    /// A read at `instant` found the frame unchanged. Soon after a frame, the report is often a second one of its own drawing: it
    /// costs nothing then, or frames of a source as fast as the limit would wait for it. Otherwise the read counts as a frame, so
    /// that a source which repaints the same pixels is not read above the rate.
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

    /// A pause cut so many nanoseconds out of the take: in the file, the frames on both sides of it must be as far apart as
    /// others.
    mutating func delay(by nanoseconds: Int64) {
        guard earliest != .min else { return }
        earliest += nanoseconds
        due? += nanoseconds
        lastFrame? += nanoseconds
    }
}
