// What `rtmp-faults` measured, as Markdown, and what is promised.
import KineMeasure

enum FaultTables {
    static let liveLimit = 2.0
    static let settleLimit = 5.0
    static let memoryLimit = 50 << 20

    static func outcomes(_ outcomes: [FaultOutcome]) -> String {
        var lines = [
            "| fault | live again s | new connections | longest freeze s | frames lost | of | longest delay s "
                + "| delay back after s | queue's peak ms | peak MiB |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
        for outcome in outcomes {
            let cells = [
                outcome.title, outcome.liveAgain.map { fixed($0, 2) }.joined(separator: ", "),
                "\(outcome.reconnects)", fixed(outcome.longestFreeze, 2), "\(outcome.lostFrames)",
                "\(outcome.frames)", outcome.longestDelay.map { fixed($0, 2) } ?? "–",
                outcome.settled.map { fixed($0, 2) } ?? "–", outcome.queuePeak.map { "\($0)" } ?? "–",
                fixed(Double(outcome.peakMemory) / 1_048_576, 1),
            ]
            lines.append(Tables.row(cells))
        }
        return lines.joined(separator: "\n")
    }

    static func verdicts(_ outcomes: [FaultOutcome]) -> String {
        var verdicts: [Verdict] = []
        for outcome in outcomes {
            let slowest = outcome.liveAgain.max() ?? .infinity
            verdicts.append(
                Verdict(
                    promise: "\(outcome.title): live again ≤ \(fixed(liveLimit, 0)) s", measured: fixed(slowest, 2),
                    isKept: slowest <= liveLimit))
            // Known where frames came before the fault.
            if outcome.longestDelay != nil {
                verdicts.append(
                    Verdict(
                        promise: "\(outcome.title): delay as it was ≤ \(fixed(settleLimit, 0)) s after",
                        measured: outcome.settled.map { fixed($0, 2) } ?? "never",
                        isKept: outcome.settled.map { $0 <= settleLimit } ?? false))
            }
            verdicts.append(
                Verdict(
                    promise: "\(outcome.title): memory ≤ 50 MiB",
                    measured: fixed(Double(outcome.peakMemory) / 1_048_576, 1),
                    isKept: outcome.peakMemory <= memoryLimit))
            verdicts.append(
                Verdict(
                    promise: "\(outcome.title): in order, whole audio, a keyframe first, an end in time",
                    measured: outcome.faults.first
                        ?? (outcome.ending == .finished ? "yes" : outcome.ending.map { "\($0)" } ?? "no ending"),
                    isKept: outcome.faults.isEmpty && outcome.ending == .finished))
        }
        return BroadcastTables.verdicts(verdicts)
    }
}
