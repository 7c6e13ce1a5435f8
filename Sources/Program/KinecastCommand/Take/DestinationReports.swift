// What TakeReporter has printed about a take's destinations, so that no sentence and no link is printed twice. Pure.
import KineWire

struct DestinationReports {
    /// What is to be printed about one event.
    struct Report: Equatable {
        /// A link for a script; nil if the event has none, or if it was printed before.
        var link: String?
        /// A line for a person.
        var line: String?
    }

    /// The numbers of the destinations that were reported as live.
    private var live: Set<Int> = []
    /// The printed links, by the destinations' numbers.
    private var links: [Int: String] = [:]
    private var playerLinks: [Int: String] = [:]
    private var hasTakeStarted = false
    /// Failures of destinations before the take began. They are delayed because the take's own failure often has the
    /// same reason, which is printed once.
    private var earlyFailures: [(reason: String, line: String)] = []

    mutating func receive(_ event: DestinationEvent) -> Report {
        let sentence = DestinationSentences.sentence(event, isKnownLive: live.contains(event.destination))
        var report = Report(line: sentence.map { ($0.isWarning ? "kinecast: " : "") + $0.text })
        switch event.kind {
        case .phase(.live): live.insert(event.destination)
        case .restarting: live.remove(event.destination)
        case .link(let link):
            live.insert(event.destination)
            if links.updateValue(link, forKey: event.destination) != link { report.link = link }
        case .playerLink(let link):
            if playerLinks.updateValue(link, forKey: event.destination) != link { report.link = link }
        case .ended(.failed(let reason)):
            guard !hasTakeStarted, let line = report.line else { break }
            earlyFailures.append((reason, line))
            report.line = nil
        default: break
        }
        return report
    }

    /// The take has begun: failures are not delayed from now on. Returns the lines of those that were.
    mutating func takeStarted() -> [String] {
        hasTakeStarted = true
        return flushEarlyFailures()
    }

    /// Returns the lines of the delayed failures, once.
    ///
    /// - Parameter reason: of the take's own failure, which is printed already; failures with the same one are left out.
    mutating func flushEarlyFailures(except reason: String? = nil) -> [String] {
        defer { earlyFailures = [] }
        return earlyFailures.filter { $0.reason != reason }.map(\.line)
    }
}
