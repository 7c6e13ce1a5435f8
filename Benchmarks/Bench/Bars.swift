// What Kinecast promises, and whether a comparison keeps it.
import KineMeasure

/// One promise held against what was measured.
struct Verdict {
    let promise: String
    var measured: String
    let isKept: Bool
}

enum Bars {
    /// The largest share of ffmpeg's cost that a take may have; nil where nothing is promised.
    static func costLimit(of take: Take) -> Double? {
        switch (take.scene, take.audio) {
        case (.idle, false): 0.02
        case (.idle, true): 0.06
        case (.typing, false): 0.12
        case (.scroll, false), (.video, false): 0.5
        case (.motion, false): 0.75
        default: nil
        }
    }

    static let byteLimit = 1.15
    static let wakeLimit = 2.0

    static func verdicts(on comparison: Comparison) -> [Verdict] {
        let take = comparison.take
        var result: [Verdict] = []
        if let limit = costLimit(of: take) {
            result.append(
                Verdict(
                    promise: "CPU ≤ \(fixed(limit, 2)) × ffmpeg", measured: fixed(comparison.costRatio, 3),
                    isKept: comparison.costRatio <= limit))
        }
        let difference = comparison.similarityDifference
        result.append(
            Verdict(
                promise: "SSIM equal (±\(fixed(RateFactorSearch.tolerance, 3)))",
                measured: (difference > 0 ? "+" : "") + fixed(difference, 4),
                isKept: abs(difference) <= RateFactorSearch.tolerance + 0.00005))
        result.append(
            Verdict(
                promise: "peak memory ≤ ffmpeg", measured: fixed(comparison.memoryRatio, 2),
                isKept: comparison.memoryRatio <= 1))
        result.append(
            Verdict(
                promise: "bytes ≤ \(fixed(byteLimit, 2)) × ffmpeg", measured: fixed(comparison.byteRatio, 2),
                isKept: comparison.byteRatio <= byteLimit))
        if take.scene == .idle, !take.audio {
            let wakes = median(comparison.kinecast.map(\.cost.wakesPerSecond))
            result.append(
                Verdict(promise: "≤ 2 wakes a second", measured: fixed(wakes, 1), isKept: wakes <= wakeLimit))
        }
        if take.scene == .motion, take.framesPerSecond == 30 {
            let lost = comparison.kinecast.map { $0.frame.drawn - $0.frame.distinct }
            result.append(
                Verdict(
                    promise: "every drawn frame captured",
                    measured: "lost " + lost.map { "\($0)" }.joined(separator: ", "),
                    isKept: lost.allSatisfy { $0 == 0 }))
        }
        return result
    }
}
