// One take recorded in turn by Kinecast and by ffmpeg, at a quality that looks the same.
import Glibc
import KineMeasure

/// The outcomes of one take, in the order of the rounds.
struct Comparison {
    let take: Take
    var kinecast: [Outcome] = []
    var plain: [Outcome] = []
    /// Frames that look like the one before are dropped, and the frame rate varies.
    var decimated: [Outcome] = []
    /// ffmpeg's constant rate factor that gave Kinecast's SSIM.
    var rateFactor = 20.0

    static let byteLimit = 1.15
    static let wakeLimit = 2.0

    /// The largest share of ffmpeg's cost that a take may have; nil where nothing is promised.
    private var costLimit: Double? {
        switch (take.scene, take.audio) {
        case (.idle, false): 0.02
        case (.idle, true): 0.06
        case (.typing, false): 0.12
        case (.scroll, false), (.video, false): 0.5
        case (.motion, false): 0.75
        default: nil
        }
    }

    /// Every recorder: the middle of its rounds.
    var rows: [[String]] {
        let recorders = [
            ("Kinecast", kinecast), ("ffmpeg, CRF \(fixed(rateFactor, 1))", plain),
            ("ffmpeg mpdecimate, CRF \(fixed(rateFactor, 1))", decimated),
        ]
        return recorders.filter { !$0.1.isEmpty }.map { name, outcomes in
            var cells = outcomes.cells
            cells.insert(take.audio ? fixed(outcomes.middle(\.audioSeconds), 3) : "–", at: 2)
            cells.insert(mebibytes(Int(outcomes.middle { Double($0.cost.peakProportionalBytes) })), at: 5)
            cells.insert(mebibytes(Int(outcomes.middle { Double($0.cost.highWaterBytes) })), at: 6)
            let frames = [outcomes.middle { Double($0.frame.drawn) }, outcomes.middle { Double($0.frame.distinct) }]
            cells += frames.map { fixed($0, 0) }
            cells += [fixed(outcomes.similarity, 4), fixed(outcomes.middle(\.cost.wakesPerSecond), 1)]
            return [take.title, "\(take.framesPerSecond)", name] + cells
        }
    }

    var verdicts: [Verdict] {
        func ratio(_ value: (Outcome) -> Double) -> Double { median(kinecast.ratios(to: plain, value)) }
        var result: [Verdict] = []
        if let limit = costLimit {
            let cost = ratio(\.seconds)
            result.append(Verdict("CPU ≤ \(fixed(limit, 2)) × ffmpeg", fixed(cost, 3), cost <= limit))
        }
        let difference = kinecast.similarity - plain.similarity
        let (memory, bytes) = (ratio(\.peak), ratio { Double($0.bytes) })
        result += [
            Verdict(
                "SSIM equal (±\(fixed(RateFactorSearch.tolerance, 3)))",
                (difference > 0 ? "+" : "") + fixed(difference, 4), RateFactorSearch.isEqual(difference)),
            Verdict("peak memory ≤ ffmpeg", fixed(memory, 2), memory <= 1),
            Verdict("bytes ≤ \(fixed(Self.byteLimit, 2)) × ffmpeg", fixed(bytes, 2), bytes <= Self.byteLimit),
        ]
        if take.scene == .idle, !take.audio {
            let wakes = kinecast.middle(\.cost.wakesPerSecond)
            result.append(Verdict("≤ 2 wakes a second", fixed(wakes, 1), wakes <= Self.wakeLimit))
        }
        if take.scene == .motion, take.framesPerSecond == 30 {
            let lost = kinecast.map { $0.frame.drawn - $0.frame.distinct }
            result.append(
                Verdict(
                    "every drawn frame captured", "lost " + lost.map { "\($0)" }.joined(separator: ", "),
                    lost.allSatisfy { $0 == 0 }))
        }
        return result
    }
}

/// Carries out comparisons and remembers which rate factor fitted.
final class Comparer {
    private let laboratory: Laboratory
    private let rounds: Int
    private var fitting: [SceneKind: (factor: Double, framesPerSecond: Int)] = [:]

    init(laboratory: Laboratory, rounds: Int) {
        self.laboratory = laboratory
        self.rounds = rounds
    }

    func compare(_ take: Take) throws -> Comparison {
        var result = Comparison(take: take)
        if let known = fitting[take.scene] {
            // x264 spends less on a frame that is shown for a shorter time: about two steps for each halving.
            result.rateFactor = known.factor - 2 * log2(Double(take.framesPerSecond) / Double(known.framesPerSecond))
        }
        for round in 0..<rounds {
            result.kinecast.append(try record(take, "Kinecast", try Tool.sibling("kinecast"), kinecast(take)))
            if round == 0, let target = result.kinecast.first?.frame.similarity {
                // The outcome that came nearest counts as the first round's.
                let found = try RateFactorSearch.factor(for: target, from: result.rateFactor) {
                    try ffmpeg(take, rateFactor: $0)
                }
                result.rateFactor = found.factor
                result.plain.append(found.outcome)
            } else {
                result.plain.append(try ffmpeg(take, rateFactor: result.rateFactor))
            }
            // The audio runs are about the audio; what decimation does is seen without it.
            if take.audio { continue }
            result.decimated.append(try ffmpeg(take, rateFactor: result.rateFactor, decimates: true))
        }
        fitting[take.scene] = (result.rateFactor, take.framesPerSecond)
        return result
    }

    private func record(_ take: Take, _ name: String, _ executable: String, _ arguments: [String]) throws -> Outcome {
        let outcome = try laboratory.observe(take, executable, arguments, examines: true)
        say(
            "\(take.title) \(take.framesPerSecond) fps, \(name): \([outcome].cells.joined(separator: ", ")), "
                + "\(outcome.frame.distinct) of \(outcome.frame.drawn) frames, SSIM \(fixed([outcome].similarity, 5))")
        return outcome
    }

    private func kinecast(_ take: Take) -> [String] {
        [
            "record", laboratory.output, "--fps", "\(take.framesPerSecond)", "--audio", take.audio ? "system" : "none",
            "--duration", "\(fixed(take.seconds, 1))s",
        ]
    }

    private func ffmpeg(_ take: Take, rateFactor: Double, decimates: Bool = false) throws -> Outcome {
        // -t stands before -i, or with mpdecimate a still screen would be recorded for ever. Audio is opened first:
        // behind the screen it would keep the screen's frames waiting for over a second, and most would be lost.
        var arguments = ["-v", "error", "-nostdin"]
        if take.audio { arguments += ["-f", "pulse", "-t", fixed(take.seconds, 1), "-i", PrivateAudio.monitor] }
        arguments += FFmpeg.grab(take, laboratory.displayName)
        if take.audio { arguments += ["-map", "1:v", "-map", "0:a"] }
        arguments += [
            "-vf", (decimates ? "mpdecimate," : "") + FFmpeg.conversion, "-c:v", "libx264", "-preset", "veryfast",
            "-crf", fixed(rateFactor, 2), "-bf", "0", "-g", "\(take.framesPerSecond * 10)", "-color_primaries",
            "bt709", "-color_trc", "bt709", "-colorspace", "bt709", "-color_range", "tv",
        ]
        if decimates { arguments += ["-fps_mode", "vfr"] }
        if take.audio { arguments += ["-c:a", "aac", "-b:a", "160k"] }
        let name = "ffmpeg\(decimates ? " mpdecimate" : ""), CRF \(fixed(rateFactor, 1))"
        return try record(take, name, try Tool.path(of: "ffmpeg"), arguments + [laboratory.output])
    }
}

enum FFmpeg {
    static let conversion = "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"

    /// The screen as x11grab reads it.
    static func grab(_ take: Take, _ display: String) -> [String] {
        [
            "-f", "x11grab", "-framerate", "\(take.framesPerSecond)", "-video_size",
            "\(take.size.width)x\(take.size.height)", "-draw_mouse", "1", "-t", fixed(take.seconds, 1), "-i", display,
        ]
    }
}

/// The rate factor of x264 at which another recorder's frames are as good as Kinecast's. It tries one after the other, by the
/// secant method.
enum RateFactorSearch {
    /// How far apart two SSIMs may be and still count as equal.
    static let tolerance = 0.001
    /// How many factors are tried before the nearest is taken.
    private static let tries = 6

    static func isEqual(_ difference: Double) -> Bool { abs(difference) <= tolerance + 0.00005 }

    /// Returns the factor whose frames have the SSIM nearest to `target`, and the outcome of recording with it.
    static func factor(
        for target: Double, from first: Double, record: (_ factor: Double) throws -> Outcome
    ) rethrows -> (factor: Double, outcome: Outcome) {
        var tried: [(factor: Double, error: Double, outcome: Outcome)] = []
        var factor = first
        while true {
            let outcome = try record(factor)
            tried.append((factor, (outcome.frame.similarity ?? 0) - target, outcome))
            tried.sort { abs($0.error) < abs($1.error) }
            if tried.count == tries || abs(tried[0].error) <= tolerance * 0.6 { break }
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
        return (tried[0].factor, tried[0].outcome)
    }
}
