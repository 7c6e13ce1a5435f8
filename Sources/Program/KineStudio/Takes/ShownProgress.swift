// The progress of takes and the levels of their audio, from a page's request until no page asks any more.
import KineMedia
import KinePlatform
import KineTakes
import KineWire

struct ShownProgress: PollSource {
    private var progress = NewestOfTakes<TakeProgress>()
    private var levels = NewestOfTakes<AudioLevels>()
    /// The end of both, unless a page asks again; nil: none are wanted.
    private(set) var nextDeadline: Int64?

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    mutating func ask(at now: Int64) { nextDeadline = now + StudioLoop.lookLifetime }

    /// Whether the engines are to send progress and levels.
    mutating func isWanted(at now: Int64) -> Bool {
        if let end = nextDeadline, now >= end { nextDeadline = nil }
        return nextDeadline != nil
    }

    mutating func received(_ event: EngineEvent, of take: String) {
        switch event {
        case .progress(let newest): progress.set(newest, of: take)
        case .audioLevels(let newest): levels.set(newest, of: take)
        default: break
        }
    }

    /// The takes with their newest counts; nil: none are new.
    mutating func snapshots(of takes: [TakeView]) -> [TakeSnapshot]? {
        progress.news(of: takes) { TakeSnapshot($0, counts: $1) }
    }

    /// The newest levels of the takes; nil: none are new.
    mutating func levels(of takes: [TakeView]) -> [ShownLevels]? {
        levels.news(of: takes) { ShownLevels($1, of: $0.record.id) }
    }
}

private struct NewestOfTakes<Value> {
    /// By the takes' ids.
    private var newest: [String: Value] = [:]
    private var isNew = false

    mutating func set(_ value: Value, of take: String) { (newest[take], isNew) = (value, true) }

    /// The value of each take that has one; nil: none is new.
    mutating func news<Shown>(of takes: [TakeView], _ show: (TakeView, Value) -> Shown) -> [Shown]? {
        let ids = Set(takes.map(\.record.id))
        newest = newest.filter { ids.contains($0.key) }
        defer { isNew = false }
        guard isNew else { return nil }
        return takes.compactMap { take in newest[take.record.id].map { show(take, $0) } }
    }
}
