// Conversions between nanoseconds and whole samples of one rate.

/// Sample number n of a grid is at n / rate seconds, of CLOCK_MONOTONIC or of the take's own time.
struct SampleGrid: Sendable, Equatable {
    /// Samples a second.
    let rate: Int

    /// The place of an instant (nanoseconds) among the samples, with its fraction.
    func position(of instant: Int64) -> Double {
        // Whole seconds apart: months of nanoseconds times the rate are more than a Double holds exactly.
        let (whole, rest) = instant.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Double(whole * Int64(rate)) + Double(rest) * Double(rate) / 1e9
    }

    /// The sample nearest to an instant.
    func nearest(to instant: Int64) -> Int64 { Int64(position(of: instant).rounded()) }

    /// The count of samples before an instant that is not negative: the number of the first one at or after it.
    func count(before instant: Int64) -> Int64 {
        let (whole, rest) = max(0, instant).quotientAndRemainder(dividingBy: 1_000_000_000)
        return whole * Int64(rate) + (rest * Int64(rate) + 999_999_999) / 1_000_000_000
    }

    /// The instant of a sample, rounded down to the nanosecond.
    func instant(of sample: Int64) -> Int64 {
        let (whole, rest) = sample.quotientAndRemainder(dividingBy: Int64(rate))
        return whole * 1_000_000_000 + rest * 1_000_000_000 / Int64(rate)
    }
}
