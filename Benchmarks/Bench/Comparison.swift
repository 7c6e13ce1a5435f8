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
                // The outcome that came nearest counts as the first round's.
                let found = try RateFactorSearch.factor(for: target, from: result.rateFactor) {
                    try record(take, .ffmpeg(rateFactor: $0, decimate: false))
                }
                result.rateFactor = found.factor
                result.plain.append(found.outcome)
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
