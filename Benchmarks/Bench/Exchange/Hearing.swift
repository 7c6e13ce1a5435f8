// Events in one process, matched with the instants at which another process knew of them.

/// What one listener heard of some events. Instants are nanoseconds of CLOCK_MONOTONIC.
struct Hearing: Equatable {
    /// A listener's answer: at `instant` it knew of every event up to `event`.
    struct Answer: Equatable {
        var event: Int64
        var instant: Int64
    }

    /// For each answer, nanoseconds from the oldest event that the listener did not know of.
    private(set) var delays: [Int64] = []
    /// Events that shared an answer with an older one.
    private(set) var joined = 0
    /// Events without an answer.
    private(set) var missing = 0

    /// - Parameters:
    ///   - events: their instants, in order.
    ///   - answers: in order. One that tells of no new event does not count.
    init(of events: [Int64], _ answers: [Answer]) {
        var next = 0
        for answer in answers {
            let first = next
            while next < events.count, events[next] <= answer.event { next += 1 }
            guard next > first else { continue }
            delays.append(answer.instant - events[first])
            joined += next - first - 1
        }
        missing = events.count - next
    }

    /// Several listeners' as one.
    init(joining hearings: [Hearing]) {
        for hearing in hearings {
            delays += hearing.delays
            joined += hearing.joined
            missing += hearing.missing
        }
    }
}
