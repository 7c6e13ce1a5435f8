// The libraries' times are Swift's, the engine's are media times.

extension MediaTime {
    /// Rounded to the nanosecond; far times are clamped.
    package init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let limit: Int64 = 9_000_000_000  // 285 years, before nanoseconds overflow
        self.init(
            nanoseconds: max(-limit, min(limit, seconds)) * 1_000_000_000 + (attoseconds + 500_000_000) / 1_000_000_000)
    }
}
