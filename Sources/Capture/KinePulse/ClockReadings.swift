// Decides which clock readings of an audio server to accept. Pure.

/// A frame of a stream and the CLOCK_MONOTONIC instant (nanoseconds) at which it was or will be audible.
public struct AudioClockReading: Sendable, Equatable {
    /// Counted from the stream's first frame.
    public var frame: Int64
    public var instant: Int64

    public init(frame: Int64, instant: Int64) {
        self.frame = frame
        self.instant = instant
    }
}

/// Filters readings: if the server answers late or its device stumbles, a reading is wrong by tens of milliseconds, and
/// the next one is right again. A large change is accepted only after a second reading confirms it.
struct ClockReadings {
    enum Verdict: Equatable {
        case accept
        case askAgain
    }

    /// Nanoseconds by which a reading may differ from the prediction of the last. Clocks differ by less than 300 ppm,
    /// which is 1 ms in three seconds; the rest is jitter.
    static let tolerance: Int64 = 15_000_000
    /// Nanoseconds from request to answer. Beyond this the answer's instant is too uncertain.
    static let longestRoundTrip: Int64 = 2_000_000
    /// Refusals in a row, after which the quickest answer is accepted: the machine may be busy.
    static let timeout = 5

    private let rate: Int64
    private(set) var accepted: AudioClockReading?
    private var doubted: AudioClockReading?
    /// The quickest answer since the last one that was accepted or doubted.
    private var quickest: (reading: AudioClockReading, roundTrip: Int64)?
    private var refusals = 0

    init(rate: Int) { self.rate = Int64(rate) }

    mutating func judge(_ reading: AudioClockReading, roundTrip: Int64) -> Verdict {
        var known = (reading: reading, roundTrip: roundTrip)
        if let quickest, quickest.roundTrip < roundTrip { known = quickest }
        if refusals < Self.timeout {
            if roundTrip > Self.longestRoundTrip {
                refusals += 1
                quickest = known
                return .askAgain
            }
            if let accepted, departs(reading, from: accepted), doubted.map({ departs(reading, from: $0) }) ?? true {
                refusals += 1
                doubted = reading
                quickest = nil
                return .askAgain
            }
        }
        accepted = known.reading
        doubted = nil
        quickest = nil
        refusals = 0
        return .accept
    }

    /// The instant of a frame, from the last accepted reading and the nominal rate.
    func instant(ofFrame frame: Int64) -> Int64? {
        accepted.map { $0.instant + (frame - $0.frame) * 1_000_000_000 / rate }
    }

    private func departs(_ reading: AudioClockReading, from other: AudioClockReading) -> Bool {
        let expected = other.instant + (reading.frame - other.frame) * 1_000_000_000 / rate
        return abs(reading.instant - expected) > Self.tolerance
    }
}
