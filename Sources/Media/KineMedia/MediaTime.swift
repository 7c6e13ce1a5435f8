// A point on a take's timeline, or a length of time. Everything inside Kinecast counts nanoseconds; a container's own
// timescale appears only where the container is written.

/// Nanoseconds on a timeline that the owner names: CLOCK_MONOTONIC at capture, or the time since a take's first frame. `Duration(_:)` makes
/// Swift's own type of it.
public struct MediaTime: Hashable, Comparable, Sendable, Codable {
    /// Nanoseconds. May be negative: audio can be older than the first frame.
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static let zero = MediaTime(nanoseconds: 0)

    public static func seconds(_ seconds: Double) -> MediaTime {
        MediaTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    public static func milliseconds(_ milliseconds: Int64) -> MediaTime {
        MediaTime(nanoseconds: milliseconds * 1_000_000)
    }

    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// The nearest whole tick of a clock with `timescale` ticks a second.
    public func ticks(timescale: Int32) -> Int64 {
        // Split into whole seconds and rest: the product of ten hours and 90000 would overflow otherwise.
        let scale = Int64(timescale)
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let product = rest * scale
        let half: Int64 = product < 0 ? -500_000_000 : 500_000_000
        return whole * scale + (product + half) / 1_000_000_000
    }

    /// The time of tick number `ticks` of a clock with `timescale` ticks a second, rounded to the nanosecond.
    public init(ticks: Int64, timescale: Int32) {
        let scale = Int64(timescale)
        let (whole, rest) = ticks.quotientAndRemainder(dividingBy: scale)
        let product = rest * 1_000_000_000
        let half = product < 0 ? -scale / 2 : scale / 2
        nanoseconds = whole * 1_000_000_000 + (product + half) / scale
    }

    public static func < (a: MediaTime, b: MediaTime) -> Bool { a.nanoseconds < b.nanoseconds }
    public static func + (a: MediaTime, b: MediaTime) -> MediaTime {
        MediaTime(nanoseconds: a.nanoseconds + b.nanoseconds)
    }
    public static func - (a: MediaTime, b: MediaTime) -> MediaTime {
        MediaTime(nanoseconds: a.nanoseconds - b.nanoseconds)
    }
    public static func += (a: inout MediaTime, b: MediaTime) { a = a + b }
    public static func -= (a: inout MediaTime, b: MediaTime) { a = a - b }
}

// A sample's time is a media time; every other length of time in the libraries is Swift's.
extension MediaTime {
    /// Rounded to the nanosecond; far times are clamped.
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let limit: Int64 = 9_000_000_000  // 285 years, before nanoseconds overflow
        self.init(
            nanoseconds: max(-limit, min(limit, seconds)) * 1_000_000_000 + (attoseconds + 500_000_000) / 1_000_000_000)
    }
}

extension Duration {
    public init(_ time: MediaTime) { self = .nanoseconds(time.nanoseconds) }
}
