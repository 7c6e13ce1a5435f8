// The results as Markdown, ready for docs/benchmarks.md.
import KineMeasure

enum Tables {
    /// A row of a table.
    static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    static func mebibytes(_ bytes: Int) -> String { fixed(Double(bytes) / 1_048_576, 1) }

    /// Every recorder in every take: the middle of its rounds.
    static func measurements(_ comparisons: [Comparison]) -> String {
        var lines = [
            "| scene | fps | recorder | CPU s | + X server s | + audio server s | CPU % | peak MiB | shared split MiB "
                + "| sum of peaks MiB | bytes | drawn | captured | SSIM | wakes/s |",
            "|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
        for comparison in comparisons {
            let rows: [(Recorder, [Outcome])] = [
                (.kinecast(without: nil), comparison.kinecast),
                (.ffmpeg(rateFactor: comparison.rateFactor, decimate: false), comparison.plain),
                (.ffmpeg(rateFactor: comparison.rateFactor, decimate: true), comparison.decimated),
            ]
            for (recorder, outcomes) in rows where !outcomes.isEmpty {
                lines.append(row(comparison.take, recorder, outcomes))
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func row(_ take: Take, _ recorder: Recorder, _ outcomes: [Outcome]) -> String {
        func middle(_ value: (Outcome) -> Double) -> Double { median(outcomes.map(value)) }
        func mebibytes(_ value: (Outcome) -> Int) -> String { fixed(middle { Double(value($0)) / 1_048_576 }, 0) }
        let cells = [
            take.title, "\(take.framesPerSecond)", recorder.name,
            fixed(middle { $0.cost.processorSeconds }, 3), fixed(middle { $0.displaySeconds }, 3),
            take.audio ? fixed(middle { $0.audioSeconds ?? 0 }, 3) : "–",
            fixed(middle { $0.seconds / $0.cost.elapsedSeconds * 100 }, 1),
            mebibytes { $0.cost.peakResidentBytes }, mebibytes { $0.cost.peakProportionalBytes },
            mebibytes { $0.cost.highWaterBytes }, fixed(middle { Double($0.bytes) }, 0),
            fixed(middle { Double($0.frame.drawn) }, 0), fixed(middle { Double($0.frame.distinct) }, 0),
            fixed(Comparison.similarity(outcomes), 4), fixed(middle { $0.cost.wakesPerSecond }, 1),
        ]
        return Tables.row(cells)
    }

    static func verdicts(_ comparisons: [Comparison]) -> String {
        var lines = ["| scene | fps | promise | measured | |", "|---|--:|---|--:|---|"]
        for comparison in comparisons where !comparison.kinecast.isEmpty {
            for verdict in Bars.verdicts(on: comparison) {
                lines.append(
                    row([
                        comparison.take.title, "\(comparison.take.framesPerSecond)", verdict.promise, verdict.measured,
                        verdict.isKept ? "pass" : "**miss**",
                    ]))
            }
        }
        return lines.joined(separator: "\n")
    }

    /// What each optimisation brings: Kinecast without it, beside Kinecast with all.
    static func switches(_ results: [(take: Take, with: Outcome, without: [(Recorder.Switch, Outcome)])]) -> String {
        var lines = [
            "| scene | fps | switched off | CPU s | + X server s | × all on | bytes | frames in file | SSIM | wakes/s |",
            "|---|--:|---|--:|--:|--:|--:|--:|--:|--:|",
        ]
        for result in results {
            func row(_ name: String, _ outcome: Outcome) -> String {
                let cells = [
                    result.take.title, "\(result.take.framesPerSecond)", name,
                    fixed(outcome.cost.processorSeconds, 3), fixed(outcome.displaySeconds, 3),
                    fixed(outcome.seconds / result.with.seconds, 2), "\(outcome.bytes)", "\(outcome.frame.frames)",
                    outcome.frame.similarity.map { fixed($0, 4) } ?? "–", fixed(outcome.cost.wakesPerSecond, 1),
                ]
                return Tables.row(cells)
            }
            lines.append(row("nothing", result.with))
            for (part, outcome) in result.without {
                lines.append(row("`\(part.rawValue)`: \(part.meaning)", outcome))
            }
        }
        return lines.joined(separator: "\n")
    }
}
