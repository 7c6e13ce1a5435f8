// The measurements of `exchange` as Markdown.
import KineMeasure

enum ExchangeTables {
    static func frames(passed: [PassedTake], baselines: [Transfer]) -> String {
        var lines = [
            "| way | frames/s sent | arrived | lost | delay p50 ms | p99 ms | from capture: p50 ms | p99 ms "
                + "| CPU ms/frame, extension | app | both | bytes copied/frame | peak MiB, extension | app |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
        lines += passed.map { take in
            let late = take.sinceCapture
            return row(
                take.transfer, lost: take.lost,
                sinceCapture: [late.delayMilliseconds(0.5), late.delayMilliseconds(0.99)].map { fixed($0, 2) },
                copied: take.isInPlace ? "0" : "not in place")
        }
        lines += baselines.map { baseline in
            let skipped = Int(baseline.sender.notes["skipped"] ?? "") ?? 0
            return row(
                baseline, lost: skipped + baseline.sender.frames - baseline.receiver.delays.count,
                sinceCapture: ["–", "–"], copied: fixed(baseline.movedBytes, 0))
        }
        return lines.joined(separator: "\n")
    }

    private static func row(_ transfer: Transfer, lost: Int, sinceCapture: [String], copied: String) -> String {
        Tables.row(
            [
                transfer.name, "\(transfer.framesPerSecond)", fixed(transfer.delivered, 1), "\(lost)",
                fixed(transfer.median, 2), fixed(transfer.late, 2),
            ] + sinceCapture + [
                fixed(transfer.senderCost, 3), fixed(transfer.receiverCost, 3), fixed(transfer.cost, 3), copied,
                Tables.mebibytes(transfer.sender.highWaterBytes),
                Tables.mebibytes(transfer.receiver.highWaterBytes),
            ])
    }

    static func listening(_ runs: [ListeningRun]) -> String {
        var lines = [
            "| way | events | processes that wake for one | delay p50 ms | p99 ms | most ms | joined | missing "
                + "| CPU ms for each event and listener | context switches |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
        lines += runs.map { run in
            Tables.row([
                run.medium.name, "\(run.events)", "\(run.listeners)", fixed(run.delay(0.5), 2),
                fixed(run.delay(0.99), 2), fixed(run.delay(1), 2), "\(run.hearing.joined)",
                "\(run.hearing.missing)", fixed(run.cost, 3), fixed(run.switches, 1),
            ])
        }
        return lines.joined(separator: "\n")
    }
}
