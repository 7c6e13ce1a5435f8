// A point on a take's timeline, or a duration. Kinecast counts nanoseconds everywhere; only the writers of containers
// use a container's timescale.

/// Nanoseconds on a timeline: CLOCK_MONOTONIC at capture, or the time since a take's first frame. `Duration(_:)`
/// converts it to Swift's own type.
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

    /// The nearest tick of a clock with `timescale` ticks a second.
    public func ticks(timescale: Int32) -> Int64 {
        // Split into whole seconds and the rest: the product of ten hours and 90000 would overflow.
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

// Samples use media times; all other durations in the libraries are Swift's.
extension MediaTime {
    /// Rounded to the nanosecond; out of range durations are clamped.
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
