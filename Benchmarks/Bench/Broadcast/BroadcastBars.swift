// What Kinecast promises of broadcasting, held against what was measured.
import KineMeasure

enum BroadcastBars {
    static let lateLimit = 2.0
    static let costLimit = 1.0 / 20

    /// - Parameters:
    ///   - relays: Kinecast's own transfers of prepared frames.
    ///   - increase: what an engine needs more with an extension; milliseconds for each frame.
    static func verdicts(
        relays: [Transfer], baselines: [Transfer], takes: [RawTake], increase: EngineCost?
    ) -> [Verdict] {
        var result: [Verdict] = []
        for relay in relays {
            let title = "\(relay.size.height)p\(relay.framesPerSecond), relay alone"
            result.append(late(title, relay.late))
            result.append(
                Verdict(
                    promise: "\(title): no byte of a frame copied", measured: fixed(relay.movedBytes, 0),
                    isKept: relay.movedBytes == 0 && relay.isInPlace))
        }
        for take in takes {
            let title = "\(take.size.height)p\(take.framesPerSecond), \(take.source.name), \(take.reader.rawValue)"
            result.append(late("\(title), from capture", take.account.delayMilliseconds(0.99)))
            result.append(late("\(title), from the screen", take.sinceDrawing.delayMilliseconds(0.99)))
            result.append(
                Verdict(
                    promise: "\(title): the handler sees what conversion wrote, in place", measured: take.placement,
                    isKept: take.isInPlace))
        }
        if let cheapest = baselines.min(by: { $0.cost < $1.cost }) {
            if let relay = relays.first(where: { $0.size == cheapest.size }) {
                result.append(cost("relay alone", relay.cost, cheapest))
            }
            if let increase, let take = takes.first(where: { $0.size == cheapest.size && $0.reader == .extension }) {
                // Supervision costs by the second, not by the frame, and is no part of the relay; it is told all the same.
                var verdict = cost(
                    "a take's extension and what capture needs more", increase.capture + take.readerCost, cheapest)
                let all = (increase.sum + take.readerCost) / cheapest.cost
                verdict.measured += "; with supervision 1/\(fixed(1 / all, 0))"
                result.append(verdict)
            }
        }
        return result
    }

    static func verdicts(raw: [(take: RawTake, limit: Int)], live: [(memory: LiveMemory, limit: Int)]) -> [Verdict] {
        raw.map { take, limit in
            memory(
                "extension that reads \(take.size.height)p\(take.framesPerSecond) raw", take.account.highWaterBytes,
                limit: limit, isWhole: take.arrived > 0)
        }
            + live.map { live, limit in
                memory(
                    "kinecast-live with \(live.crowd)", live.highWaterBytes, limit: limit,
                    isWhole: live.served == live.viewers)
            }
    }

    private static func late(_ title: String, _ milliseconds: Double) -> Verdict {
        Verdict(
            promise: "\(title): p99 ≤ \(fixed(lateLimit, 0)) ms", measured: fixed(milliseconds, 2),
            isKept: milliseconds <= lateLimit)
    }

    private static func cost(_ title: String, _ milliseconds: Double, _ cheapest: Transfer) -> Verdict {
        let ratio = milliseconds / cheapest.cost
        return Verdict(
            promise: "\(title): CPU ≤ 1/20 of “\(cheapest.name)”",
            measured: "\(fixed(ratio, 4)) = 1/\(fixed(1 / ratio, 0))",
            isKept: ratio <= costLimit)
    }

    /// Limits are in megabytes of 2²⁰ bytes, as the cap in a manifest is.
    private static func memory(_ title: String, _ bytes: Int, limit: Int, isWhole: Bool) -> Verdict {
        Verdict(
            promise: "\(title): peak ≤ \(limit) MB", measured: fixed(Double(bytes) / 1_048_576, 1),
            isKept: isWhole && bytes <= limit << 20)
    }
}
