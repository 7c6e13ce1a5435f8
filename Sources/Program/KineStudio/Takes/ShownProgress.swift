// The progress of takes, from a page's request until no page asks any more.
import KinePlatform
import KineTakes
import KineWire

struct ShownProgress: PollSource {
    /// By the takes' ids.
    private var newest: [String: TakeProgress] = [:]
    private var isNew = false
    /// The end of progress, unless a page asks again; nil: none is wanted.
    private(set) var nextDeadline: Int64?

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    mutating func ask(at now: Int64) { nextDeadline = now + StudioLoop.lookLifetime }

    /// Whether the engines are to send progress.
    mutating func isWanted(at now: Int64) -> Bool {
        if let end = nextDeadline, now >= end { nextDeadline = nil }
        return nextDeadline != nil
    }

    mutating func received(_ progress: TakeProgress, of take: String) { (newest[take], isNew) = (progress, true) }

    /// The takes with their newest counts; nil: none are new.
    mutating func snapshots(of takes: [TakeView]) -> [TakeSnapshot]? {
        let ids = Set(takes.map(\.record.id))
        newest = newest.filter { ids.contains($0.key) }
        defer { isNew = false }
        guard isNew else { return nil }
        return takes.compactMap { take in newest[take.record.id].map { TakeSnapshot(take, counts: $0) } }
    }
}
