// When the next picture may be taken: at most so many a second, without a timer that runs while nothing happens.

/// Keeps the rate of pictures at or under a limit. Pure: the caller supplies the time.
///
/// A fixed grid would miss pictures that are drawn as often as they are recorded, whenever one is drawn a little early, and
/// a plain distance would fall behind by every delay. This is a bucket that fills at the rate (the generic cell rate algorithm,
/// ITU-T I.371). It holds more than one picture, so that a delay is made up at once, by pictures half an interval apart: in one
/// that a delay leaves empty, every later picture of a source as fast as the limit would wait for as long as the first, and the
/// least hold-up beyond it would lose one. It also fills faster by a little, for what is taken out of turn, such as a picture
/// that is only shown again, leaves it empty in the same way.
public struct FramePacer: Sendable {
    /// Nanoseconds between two pictures.
    public let interval: Int64
    /// The earliest time for the next picture, in the caller's clock.
    public private(set) var earliest: Int64 = .min
    /// When the next picture would come at the rate. Before the first, half an interval is there to be made up: the first picture
    /// is the take's, and not in its source's step.
    private var due: Int64?

    public init(framesPerSecond: Int) { interval = 1_000_000_000 / Int64(max(1, framesPerSecond)) }

    /// At least one picture a minute.
    public init(framesPerSecond: Double) { interval = Int64(1e9 / min(max(framesPerSecond, 1.0 / 60), 1e9)) }

    /// A picture was taken at `instant`.
    public mutating func took(at instant: Int64) {
        // An interval can be made up, and one picture be half an interval early.
        let due = max(due ?? instant - interval / 2, instant - interval) + interval - interval / 500
        earliest = max(due - interval / 2, instant + interval / 2)
        self.due = due
    }

    /// So many nanoseconds were taken out of the take by a pause: in the file the pictures on both sides of it must be as
    /// far apart as others.
    public mutating func delay(by nanoseconds: Int64) {
        guard earliest != .min else { return }
        earliest += nanoseconds
        due? += nanoseconds
    }
}
