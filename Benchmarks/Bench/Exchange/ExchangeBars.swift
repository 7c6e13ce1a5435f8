// The promises on what app and extension exchange, held against the measurements.
import KineMeasure

enum ExchangeBars {
    /// Megabytes of 2²⁰ bytes, of an extension that passes 1080p60 on.
    static let memoryLimit = 30

    static func verdicts(passed: [PassedTake], baselines: [Transfer]) -> [Verdict] {
        passed.flatMap { take -> [Verdict] in
            let name = take.transfer.name
            // The ways of today are not measured with apps that read every byte.
            let beside = take.transfer.readsAll ? [] : baselines
            return beside.flatMap { baseline in
                [
                    ratio("\(name): delay p99", take.transfer.late, baseline.late, baseline),
                    ratio("\(name): CPU of both", take.transfer.cost, baseline.cost, baseline),
                ]
            } + [
                Verdict(
                    promise: "\(name): no byte of a frame copied, the extension and the app see the engine's memory",
                    measured: "\(take.placements.extension); \(take.placements.app)", isKept: take.isInPlace),
                memory(take),
            ]
        }
    }

    static func verdicts(_ runs: [ListeningRun]) -> [Verdict] {
        runs.flatMap { run -> [Verdict] in
            let title = "\(run.medium.name), \(run.listeners) listener\(run.listeners == 1 ? "" : "s")"
            let late = run.delay(0.99)
            return [
                Verdict(
                    promise: "\(title): p99 ≤ \(fixed(run.medium.lateLimit, 0)) ms", measured: fixed(late, 2),
                    isKept: late <= run.medium.lateLimit),
                Verdict(
                    promise: "\(title): none missing", measured: "\(run.hearing.missing)",
                    isKept: run.hearing.missing == 0),
            ]
        }
    }

    private static func ratio(_ title: String, _ ours: Double, _ theirs: Double, _ baseline: Transfer) -> Verdict {
        Verdict(
            promise: "\(title) ≤ “\(baseline.name)”", measured: "\(fixed(ours / theirs, 3)) ×", isKept: ours <= theirs)
    }

    private static func memory(_ take: PassedTake) -> Verdict {
        let bytes = take.transfer.sender.highWaterBytes
        return Verdict(
            promise: "\(take.transfer.name): the extension's peak < \(memoryLimit) MB",
            measured: fixed(Double(bytes) / 1_048_576, 1),
            isKept: !take.transfer.receiver.delays.isEmpty && bytes < memoryLimit << 20)
    }
}
