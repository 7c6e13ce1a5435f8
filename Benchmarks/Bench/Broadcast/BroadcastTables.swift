// What `broadcast` measured, as Markdown.
import KineMeasure

enum BroadcastTables {
    static func transfers(_ transfers: [Transfer]) -> String {
        var lines = [
            "| way | frame | frames/s sent | arrived | delay p50 ms | p99 ms | CPU ms/frame, sender | receiver | both "
                + "| × the cheapest of today | bytes written/frame | peak MiB, sender | receiver |",
            "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
        let cheapest = transfers.filter { $0.isOfToday }.map(\.cost).min() ?? .nan
        for transfer in transfers {
            lines.append(
                Tables.row([
                    transfer.name, "\(transfer.size.width)×\(transfer.size.height)", "\(transfer.framesPerSecond)",
                    fixed(transfer.delivered, 1), fixed(transfer.median, 2), fixed(transfer.late, 2),
                    fixed(transfer.senderCost, 3), fixed(transfer.receiverCost, 3), fixed(transfer.cost, 3),
                    fixed(transfer.cost / cheapest, 3), fixed(transfer.movedBytes, 0),
                    Tables.mebibytes(transfer.sender.highWaterBytes),
                    Tables.mebibytes(transfer.receiver.highWaterBytes),
                ]))
        }
        return lines.joined(separator: "\n")
    }

    static func takes(_ takes: [RawTake]) -> String {
        var lines = [
            "| screen | reader | frame | frames/s | arrived/s | replaced by newer | time moved | from capture: p50 ms | p99 ms "
                + "| from the screen: p50 ms | p99 ms | CPU ms/frame, reader | peak MiB, reader |",
            "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
        for take in takes {
            let drawn = take.sinceDrawing
            lines.append(
                Tables.row([
                    take.source.name, take.reader.rawValue, "\(take.size.width)×\(take.size.height)",
                    "\(take.framesPerSecond)",
                    fixed(Double(take.arrived) / take.seconds, 1), take.skipped.map { "\($0)" } ?? "", "\(take.moved)",
                    fixed(take.account.delayMilliseconds(0.5), 2), fixed(take.account.delayMilliseconds(0.99), 2),
                    fixed(drawn.delayMilliseconds(0.5), 2), fixed(drawn.delayMilliseconds(0.99), 2),
                    fixed(take.readerCost, 3),
                    Tables.mebibytes(take.account.highWaterBytes),
                ]))
        }
        return lines.joined(separator: "\n")
    }

    static func engineCosts(_ costs: [(fed: EngineCost, alone: EngineCost)]) -> String {
        var lines = [
            "| round | CPU ms/frame of capture, without the extension | with it | of control and supervision, without | with it "
                + "| increase |",
            "|--:|--:|--:|--:|--:|--:|",
        ]
        for (round, cost) in costs.enumerated() {
            lines.append(
                Tables.row([
                    "\(round + 1)", fixed(cost.alone.capture, 3), fixed(cost.fed.capture, 3),
                    fixed(cost.alone.others, 3), fixed(cost.fed.others, 3), fixed(cost.fed.sum - cost.alone.sum, 3),
                ]))
        }
        return lines.joined(separator: "\n")
    }

    static func memory(raw: [RawTake], live: [LiveMemory]) -> String {
        var lines = ["| process | peak MiB | |", "|---|--:|---|"]
        for take in raw {
            lines.append(
                Tables.row([
                    "extension that reads every byte of \(take.size.width)×\(take.size.height) at "
                        + "\(take.framesPerSecond)", Tables.mebibytes(take.account.highWaterBytes),
                    "\(fixed(Double(take.arrived) / take.seconds, 1)) frames a second",
                ]))
        }
        for memory in live {
            lines.append(
                Tables.row([
                    "kinecast-live, \(memory.crowd)", Tables.mebibytes(memory.highWaterBytes),
                    "\(memory.served) served to the end, \(fixed(Double(memory.bytes) / 1e6, 1)) MB to all, "
                        + "\(fixed(Double(memory.leastBytes) / 1e6, 2)) MB to the one with least, "
                        + "\(fixed(memory.processorShare * 100, 0)) % of a processor",
                ]))
        }
        return lines.joined(separator: "\n")
    }

    static func verdicts(_ verdicts: [Verdict]) -> String {
        let rows = verdicts.map { Tables.row([$0.promise, $0.measured, $0.isKept ? "pass" : "**miss**"]) }
        return (["| promise | measured | |", "|---|--:|---|"] + rows).joined(separator: "\n")
    }
}
