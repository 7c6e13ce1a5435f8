// When the next picture may be taken: at most so many a second, without a timer that runs while nothing happens.

/// Keeps the rate of pictures at or under a limit. Pure: the caller supplies the time.
///
/// A fixed grid would miss pictures that are drawn as often as they are recorded, whenever one is drawn a little early, and
/// a plain distance would fall behind by every delay. This is a bucket that fills at the rate and holds a little more than one
/// picture (the generic cell rate algorithm, ITU-T I.371): what a delay cost is made up at once.
///
/// One long delay leaves such a bucket empty, and of a source as fast as the limit every picture would from then on wait for the
/// same part of an interval. So where the same wait comes again and again, it is forgiven: once in a second, and ever more
/// rarely where it comes back, for then the source is faster than the limit.
public struct FramePacer: Sendable {
    /// Nanoseconds between two pictures.
    public let interval: Int64
    /// The earliest time for the next picture, in the caller's clock.
    public private(set) var earliest: Int64 = .min
    /// When the bucket would be full again.
    private var due: Int64 = .min
    private var waits = SteadyWait()
    /// When a wait may be forgiven, and for how long not again.
    private var nextRelief: Int64 = .min
    private var reliefInterval = Self.shortestRelief

    private static let shortestRelief: Int64 = 1_000_000_000
    private static let longestRelief: Int64 = 64_000_000_000

    public init(framesPerSecond: Int) { interval = 1_000_000_000 / Int64(max(1, framesPerSecond)) }

    /// At least one picture a minute.
    public init(framesPerSecond: Double) { interval = Int64(1e9 / min(max(framesPerSecond, 1.0 / 60), 1e9)) }

    /// A picture was taken at `instant`.
    public mutating func took(at instant: Int64) {
        due = max(due, instant) + interval
        // Half an interval can be made up, and keeps two pictures apart even then.
        earliest = max(due - interval / 2, instant + interval / 2)
    }

    /// There is something new to take since `instant`, and nothing was before.
    public mutating func sawChange(at instant: Int64) {
        let wait = earliest == .min ? 0 : earliest - instant
        // A source that changes more than once in an interval waits for longer than half of it.
        guard wait > 0, wait <= interval / 2 + interval / 16 else { return waits = SteadyWait() }
        waits.add(wait, tolerance: interval / 8)
        guard waits.count >= 8, instant >= nextRelief else { return }
        let isReturning = nextRelief != .min && instant - nextRelief < 3 * reliefInterval
        reliefInterval = isReturning ? min(reliefInterval * 2, Self.longestRelief) : Self.shortestRelief
        nextRelief = instant + reliefInterval
        waits = SteadyWait()
        earliest = instant
        // A quarter is left for jitter.
        due = min(due, instant + interval / 4)
    }

    /// So many nanoseconds were taken out of the take by a pause: in the file the pictures on both sides of it must be as
    /// far apart as others.
    public mutating func delay(by nanoseconds: Int64) {
        guard earliest != .min else { return }
        earliest += nanoseconds
        due += nanoseconds
    }
}

/// How often in a row pictures had to wait for about as long.
private struct SteadyWait {
    private(set) var count = 0
    private var last: Int64 = 0

    mutating func add(_ wait: Int64, tolerance: Int64) {
        count = abs(wait - last) <= tolerance ? count + 1 : 0
        last = wait
    }
}
