// One take recorded in turn by Kinecast and by ffmpeg, at a quality that looks the same.
import Glibc
import KineMeasure

/// The outcomes of one take, in the order of the rounds.
struct Comparison {
    let take: Take
    var kinecast: [Outcome] = []
    var plain: [Outcome] = []
    var decimated: [Outcome] = []
    /// ffmpeg's constant rate factor that gave Kinecast's SSIM.
    var rateFactor = Comparison.firstRateFactor

    static let firstRateFactor = 20.0
    /// How far apart two SSIMs may be and still count as equal.
    static let tolerance = 0.001

    /// Kinecast's cost by ffmpeg's, the middle of the rounds.
    var costRatio: Double { median(zip(kinecast, plain).map { $0.seconds / $1.seconds }) }
    var byteRatio: Double { median(zip(kinecast, plain).map { Double($0.bytes) / Double($1.bytes) }) }
    var memoryRatio: Double {
        median(zip(kinecast, plain).map { Double($0.cost.peakResidentBytes) / Double($1.cost.peakResidentBytes) })
    }
    /// How much better Kinecast's frames are, as SSIM.
    var similarityDifference: Double { Comparison.similarity(kinecast) - Comparison.similarity(plain) }

    static func similarity(_ outcomes: [Outcome]) -> Double { median(outcomes.compactMap(\.frame.similarity)) }
}

/// Carries out comparisons and remembers which rate factor fitted.
final class Comparer {
    private let laboratory: Laboratory
    private let rounds: Int
    private let report: (String) -> Void
    private var fitting: [SceneKind: (factor: Double, framesPerSecond: Int)] = [:]

    /// How often ffmpeg is tried at another rate factor before the nearest is taken.
    private static let tries = 6

    init(laboratory: Laboratory, rounds: Int, report: @escaping (String) -> Void) {
        self.laboratory = laboratory
        self.rounds = rounds
        self.report = report
    }

    /// - Parameter referenceOnly: leaves Kinecast out, to try the bench itself.
    func compare(_ take: Take, referenceOnly: Bool) throws -> Comparison {
        var result = Comparison(take: take)
        if let known = fitting[take.scene] {
            // x264 spends less on a frame that is shown for a shorter time: about two steps for each halving.
            result.rateFactor = known.factor - 2 * log2(Double(take.framesPerSecond) / Double(known.framesPerSecond))
        }
        for round in 0..<rounds {
            if !referenceOnly { result.kinecast.append(try record(take, .kinecast(without: nil))) }
            if round == 0, let target = result.kinecast.first?.frame.similarity {
                result.plain.append(try calibrate(&result, target: target))
            } else {
                result.plain.append(try record(take, .ffmpeg(rateFactor: result.rateFactor, decimate: false)))
            }
            // The audio runs are about the audio; what decimation does is seen without it.
            if take.audio { continue }
            result.decimated.append(try record(take, .ffmpeg(rateFactor: result.rateFactor, decimate: true)))
        }
        fitting[take.scene] = (result.rateFactor, take.framesPerSecond)
        return result
    }

    /// Looks for the rate factor at which ffmpeg's frames are as good as `target`, by the secant method, and returns the
    /// outcome that came nearest, which counts as the first round's.
    private func calibrate(_ comparison: inout Comparison, target: Double) throws -> Outcome {
        var tried: [(factor: Double, error: Double, outcome: Outcome)] = []
        var factor = comparison.rateFactor
        while true {
            let outcome = try record(comparison.take, .ffmpeg(rateFactor: factor, decimate: false))
            tried.append((factor, (outcome.frame.similarity ?? 0) - target, outcome))
            tried.sort { abs($0.error) < abs($1.error) }
            if tried.count == Comparer.tries || abs(tried[0].error) <= Comparison.tolerance * 0.6 { break }
            // One step of the factor costs about 0.0012 of SSIM in this range of quality.
            var slope = -0.0012
            if tried.count > 1, tried[0].factor != tried[1].factor {
                let measured = (tried[0].error - tried[1].error) / (tried[0].factor - tried[1].factor)
                if measured < -0.0001 { slope = measured }
            }
            let step = max(-8, min(8, -tried[0].error / slope))
            let next = max(1, min(45, ((tried[0].factor + step) * 10).rounded() / 10))
            if tried.contains(where: { abs($0.factor - next) < 0.05 }) { break }
            factor = next
        }
        comparison.rateFactor = tried[0].factor
        return tried[0].outcome
    }

    func record(_ take: Take, _ recorder: Recorder) throws -> Outcome {
        let outcome = try laboratory.record(take, with: recorder)
        report(
            "\(take.title) \(take.framesPerSecond) fps, \(recorder.name): "
                + "\(fixed(outcome.cost.processorSeconds, 3)) s + X \(fixed(outcome.displaySeconds, 3)) s, "
                + "\(outcome.cost.peakResidentBytes >> 20) MiB, \(outcome.bytes) bytes, "
                + "\(outcome.frame.distinct) of \(outcome.frame.drawn) frames, "
                + "SSIM \(outcome.frame.similarity.map { fixed($0, 5) } ?? "–"), "
                + "\(fixed(outcome.cost.wakesPerSecond, 1)) wakes/s")
        return outcome
    }
}
