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
