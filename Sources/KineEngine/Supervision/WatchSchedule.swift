// How often the engine looks at an extension: more often where memory is about to run out. Pure.

/// Instants are nanoseconds of CLOCK_MONOTONIC.
struct WatchSchedule: Sendable, Equatable {
    /// Twelve times a second.
    static let interval: Int64 = 80_000_000
    static let closeInterval: Int64 = 10_000_000
    /// Bytes of growth between two looks that call for closer ones.
    private static let fastGrowth: Int64 = 4 << 20

    /// Nil: there is nothing to look at.
    private(set) var next: Int64?
    private var lastResident: Int64 = 0

    mutating func launched(at now: Int64) {
        next = now + Self.closeInterval
        lastResident = 0
    }

    mutating func measured(_ resident: Int64, limit: Int64, at now: Int64) {
        let isClose = resident - lastResident > Self.fastGrowth || resident * 10 > limit * 6
        next = now + (isClose ? Self.closeInterval : Self.interval)
        lastResident = resident
    }

    /// The process has ended, and may have left others behind.
    mutating func ended(at now: Int64) { next = now }

    /// There is no process. `areSomeLeft`: of those that it left behind.
    mutating func cleared(areSomeLeft: Bool, at now: Int64) { next = areSomeLeft ? now + Self.closeInterval : nil }
}
