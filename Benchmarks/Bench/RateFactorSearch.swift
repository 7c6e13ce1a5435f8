// The rate factor of x264 at which another recorder's frames are as good as Kinecast's.

/// Tries one factor after the other, by the secant method.
enum RateFactorSearch {
    /// How far apart two SSIMs may be and still count as equal.
    static let tolerance = 0.001
    /// How many factors are tried before the nearest is taken.
    private static let tries = 6

    /// Returns the factor whose frames have the SSIM nearest to `target`, and the outcome of recording with it.
    static func factor(
        for target: Double, from first: Double, record: (_ factor: Double) throws -> Outcome
    ) rethrows -> (factor: Double, outcome: Outcome) {
        var tried: [(factor: Double, error: Double, outcome: Outcome)] = []
        var factor = first
        while true {
            let outcome = try record(factor)
            tried.append((factor, (outcome.frame.similarity ?? 0) - target, outcome))
            tried.sort { abs($0.error) < abs($1.error) }
            if tried.count == tries || abs(tried[0].error) <= tolerance * 0.6 { break }
            // One step of the factor costs about 0.0012 of SSIM in this range of quality.
            var slope = -0.0012
            if tried.count > 1, tried[0].factor != tried[1].factor {
                let measured = (tried[0].error - tried[1].error) / (tried[0].factor - tried[1].factor)
                if measured < -0.0001 { slope = measured }
            }
            let step = max(-8, min(8, -tried[0].error / slope))
            let next = max(1, min(45, ((tried[0].factor + step) * 10).rounded() / 10))
            if tried.contains(where: { abs($0.factor - next) < 0.05 }) { break }
            factor = next
        }
        return (tried[0].factor, tried[0].outcome)
    }
}
