// `kinecast status`: lists running takes, and takes whose engine died until they are recovered or dismissed.
import ArgumentParser
import KineClient
import KineMedia
import KinePlatform
import KineTakes
import KineText
import KineWire

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the takes that are running, and their destinations.",
        discussion: "A take whose engine died is shown until its file is recovered or it is dismissed.")

    @Argument(help: ArgumentHelp("Show only this take: its id, or the beginning of it.", valueName: "TAKE"))
    var take: String?

    @Flag(help: "Print a line of JSON for each take on standard output.")
    var json = false

    func run() throws {
        let (takes, dead) = try KnownTakes.statuses(take)
        if json {
            for (record, status) in takes { JSONEvents.write(Self.snapshot(record, status)) }
            for record in dead { JSONEvents.write(TakeSnapshot(record, "died")) }
            return
        }
        for record in dead { Terminal.standardError.line(TakeSentences.died(record)) }
        guard !takes.isEmpty else { return Terminal.standardError.line("No take is running.") }
        Self.text(takes).forEach(Terminal.standardOutput.line)
        for (record, status) in takes where status == nil {
            Terminal.standardError.problem(ClientError.noAnswer(.init(record)).description)
        }
        for case let (_, status?) in takes { status.withheld.map(Terminal.standardError.problem) }
    }

    /// A line for each take, and below it one for each destination, each source that stands still and each rule of `--exclude` without a match.
    static func text(_ takes: [(TakeRecord, TakeStatus?)]) -> [String] {
        var rows = [["TAKE", "STATE", "TIME", "SIZE", "SOURCE", "FILE"]]
        for (record, status) in takes {
            let output = status?.output ?? record.output
            rows.append([
                record.id, Self.state(record, status),
                status.map { Quantity.clock($0.progress.duration) } ?? "-",
                status.map { output == nil ? "-" : Quantity.bytes($0.progress.bytes) } ?? "-",
                (status?.sourceName ?? record.sourceName ?? record.source).printable(limit: 130),
                output == TakeConfiguration.standardOutput ? "standard output" : output ?? "-",
            ])
        }
        let destinations = takes.map { take in
            (take.1?.destinations ?? []).map { ["\($0.destination)"] + DestinationColumns.columns($0) }
        }
        return TextTable.lines(rows, below: [[]] + destinations, mark: "  → ")
            + takes.compactMap { record, status in
                status?.interruption.map { "\(record.id): \($0.sentence(since: status?.interruptedSince ?? 0))" }
            }
            + takes.compactMap { record, status in
                guard let unmatched = status?.unmatchedExclusions, !unmatched.isEmpty else { return nil }
                let rules = unmatched.map { $0.printable(limit: 100) }
                return "\(record.id) hides nothing for \(rules.joined(separator: ", ")): no window matches."
            }
    }

    private static func state(_ record: TakeRecord, _ status: TakeStatus?) -> String {
        guard let status else { return "silent" }
        let isFileless = status.phase == .recording && (status.output ?? record.output) == nil
        return isFileless && !status.destinations.isEmpty ? "broadcasting" : status.phase.rawValue
    }

    private static func snapshot(_ record: TakeRecord, _ status: TakeStatus?) -> TakeSnapshot {
        guard let status else { return TakeSnapshot(record, "silent") }
        return TakeSnapshot(TakeView(record, status, at: MonotonicClock.now()), counts: status.progress)
    }
}
