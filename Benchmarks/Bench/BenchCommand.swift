// kinecast-bench: what recording costs and keeps, and what broadcasting costs. How measurements are carried out: in turn, and without
// losing minutes of work.
import ArgumentParser
import Glibc
import KineMeasure
import KinePlatform

@main
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kinecast-bench", abstract: "Measures recorders and broadcasts.",
        subcommands: [
            CompareCommand.self, VersionsCommand.self, BroadcastCommand.self, ConfinementCommand.self,
            ExchangeCommand.self, ImagingCommand.self, CameraCommand.self, ExcludeCommand.self, PeersCommand.self,
            InputTrackCommand.self, WaylandCommand.self, FeedCommand.self,
            GlassCommand.self, RTMPCommand.self, RTMPFeedCommand.self, ViewersCommand.self, CrowdReaderCommand.self,
            HostileCrowdCommand.self, TrimCommand.self, ExportCommand.self, TrayCommand.self, StudioCommand.self,
            OpeningCommand.self,
            LevelsCommand.self,
        ], defaultSubcommand: CompareCommand.self)
}

/// Standard output is for the tables.
func say(_ line: String) {
    let text = line + "\n"
    text.withCString { _ = write(2, $0, strlen($0)) }
}

/// CLOCK_MONOTONIC so many seconds from now.
func deadline(in seconds: Double) -> Int64 { FrameRhythm.instant(after: seconds) }

/// Two in turn; which goes first changes from round to round. Returns what each gave, in the order of the rounds.
func inTurn<Run>(_ rounds: Int, _ title: String, _ run: (_ which: Int, _ round: Int) throws -> Run) rethrows -> [[Run]]
{
    var runs: [[Run]] = [[], []]
    for round in 0..<rounds {
        say("\(title), round \(round + 1) of \(rounds)")
        for which in round % 2 == 0 ? [0, 1] : [1, 0] { runs[which].append(try run(which, round)) }
    }
    return runs
}

/// The parts of a long measurement. One that fails does not take the others' minutes with it.
final class Attempts {
    private let started = MonotonicClock.now()
    private var failures: [String] = []

    func note(_ line: String) { say("[\((MonotonicClock.now() - started) / 1_000_000_000) s] \(line)") }

    func callAsFunction<Result>(_ title: String, _ body: () throws -> Result) -> Result? {
        note(title)
        do {
            return try body()
        } catch {
            failures.append("\(title): \(error)")
            note(failures[failures.count - 1])
            return nil
        }
    }

    /// Fails where a part has failed.
    func end() throws {
        note("done")
        guard !failures.isEmpty else { return }
        print("\n### What failed\n\n" + failures.map { "- \($0)" }.joined(separator: "\n"))
        throw ExitCode.failure
    }
}

/// How often and how long two are run in turn.
func check(runs: Int, seconds: Double?, atLeast: Double = 1) throws {
    guard runs > 0 else { throw ValidationError("--runs must be at least 1.") }
    guard seconds ?? atLeast >= atLeast else { throw ValidationError("--seconds must be at least \(Int(atLeast)).") }
}
