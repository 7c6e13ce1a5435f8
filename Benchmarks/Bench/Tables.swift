// The measurements as Markdown for docs/benchmarks.md, and whether they keep Kinecast's promises.
import KineMeasure

/// A promise held against what was measured.
struct Verdict {
    let promise: String
    let measured: String
    let isKept: Bool

    init(_ promise: String, _ measured: String, _ isKept: Bool) {
        (self.promise, self.measured, self.isKept) = (promise, measured, isKept)
    }

    /// - Parameter limit: in megabytes of 2²⁰ bytes, as the cap in a manifest is.
    static func memory(_ what: String, _ bytes: Int, limit: Int = 50) -> Verdict {
        Verdict("\(what) ≤ \(limit) MiB", mebibytes(bytes), bytes <= limit << 20)
    }

    static func mark(_ isKept: Bool) -> String { isKept ? "pass" : "**miss**" }
}

enum Tables {
    /// The head of a table: its columns with | between them, those of numbers with > before them.
    static func head(_ columns: String) -> String {
        let names = columns.split(separator: "|", omittingEmptySubsequences: false)
            .map { $0.split(separator: " ").joined(separator: " ") }
        return row(names.map { String($0.drop { $0 == ">" }) })
            + "\n|" + names.map { $0.hasPrefix(">") ? "--:|" : "---|" }.joined()
    }

    static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    static func table(_ columns: String, _ rows: [[String]]) -> String {
        ([head(columns)] + rows.map(row)).joined(separator: "\n")
    }

    static func verdicts(_ verdicts: [Verdict]) -> String {
        table("promise | >measured |", verdicts.map { [$0.promise, $0.measured, Verdict.mark($0.isKept)] })
    }
}

// The machine and the versions behind the numbers, without which they mean nothing.
enum Machine {
    /// Two lines of Markdown: how to get the numbers again, and on what they were made.
    static func description(_ packages: [String] = ["ffmpeg", "libx264-164", "xvfb", "pulseaudio"]) -> String {
        let processor = ProcFiles.processor()
        let kernel = ProcFiles.read("/proc/sys/kernel/osrelease").split(separator: "\n").first ?? "?"
        let distribution =
            ProcFiles.read("/etc/os-release").split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
            .map { $0.dropFirst(12).filter { $0 != "\"" } } ?? "unknown"
        let versions = packages.map { package in
            "\(package) \((try? Tool.output("dpkg-query", ["-W", "-f=${Version}", package])) ?? "?")"
        }
        return """
            Command: `\((["scripts/bench"] + CommandLine.arguments.dropFirst()).joined(separator: " "))`

            Machine: \(processor.model), \(processor.count) cores, \(distribution), Linux \(kernel); \
            \(versions.joined(separator: ", ")).
            """
    }
}

/// `value` with `digits` decimals.
func fixed(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite else { return "–" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let whole = Int((abs(value) * scale).rounded())
    let sign = value < 0 && whole != 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(whole)" }
    let rest = String(whole % Int(scale))
    return "\(sign)\(whole / Int(scale))." + String(repeating: "0", count: digits - rest.count) + rest
}

func mebibytes(_ bytes: Int) -> String { fixed(Double(bytes) / 1_048_576, 1) }

/// The middle value; the mean of the two middle ones where the count is even. Not a number where there is none.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// The least and the largest.
func spread(_ values: [Double], _ digits: Int) -> String {
    "\(fixed(values.min() ?? .nan, digits)) to \(fixed(values.max() ?? .nan, digits))"
}

extension Array {
    /// The middle of the rounds.
    func middle(_ value: (Element) -> Double) -> Double { median(map(value)) }

    /// The ratios to another's rounds, each taken within its round.
    func ratios(to others: [Element], _ value: (Element) -> Double) -> [Double] {
        zip(self, others).map { value($0) / value($1) }
    }
}
