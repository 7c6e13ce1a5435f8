// Measures the live page's server with many viewers: its cost, and how late they get each sample.
import ArgumentParser
import Glibc
import KineMeasure
import KinePlatform

struct ViewersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "viewers", abstract: "Measures what the live page's server costs with many viewers.",
        discussion: """
            kinecast-live is sent 2 Mbit/s: 30 frames and 47 pieces of audio a second, as an engine would send them. The viewers
            read the page's stream over plain HTTP in a process of their own. CPU and memory are the server's alone, and the
            kernel's work for its sockets is in them. A delay is the time from when a sample is handed to kinecast-live until a
            viewer has read its last byte; twenty viewers note it. nginx sends a file at the same rate, in as few pieces as it likes.
            """)

    @Option(help: "How many viewers, one number after the other with commas between them.")
    var counts = "50,200,1000"

    @Option(help: "How many viewers over TLS, with 100 hostile peers besides; 0: none.")
    var encrypted = 500

    @Option(help: "Seconds of each run.")
    var seconds = 10.0

    @Option(help: "Rounds, all servers in turn.")
    var runs = 1

    @Option(help: "Another kinecast-live, such as an earlier one, to be measured in turn with this one.")
    var beside: String?

    private static let bytesPerSecond = 250_000
    private static let viewersLimit = 1500.0
    private static let memoryLimit = 50 << 20

    private var viewerCounts: [Int] { counts.split(separator: ",").compactMap { Int($0) } }

    func validate() throws {
        let isList = viewerCounts.count == counts.split(separator: ",", omittingEmptySubsequences: false).count
        guard isList, viewerCounts.allSatisfy({ $0 > 0 && $0 <= 4000 }) else {
            throw ValidationError("--counts must be numbers from 1 to 4000 with commas between them.")
        }
        guard seconds >= 1, runs > 0 else { throw ValidationError("--seconds and --runs must be at least 1.") }
    }

    private enum Server: String {
        case ours = "kinecast-live"
        case beside = "kinecast-live beside it"
        case nginx = "nginx, a file at this rate"
        case encrypted = "kinecast-live over TLS, and 100 hostile peers"

        static let plain = [ours, beside, nginx]
    }

    /// One run of one server.
    private struct Run {
        let server: Server
        let viewers: Int
        let processorShare: Double
        let highWaterBytes: Int
        let account: TransferReport

        var viewersPerCore: Double { Double(viewers) / processorShare }
        func delay(_ share: Double) -> Double { account.delayMilliseconds(share, warmup: 0) }
    }

    func run() throws {
        var results: [Run] = []
        for _ in 0..<runs {
            for count in viewerCounts {
                for server in Server.plain where server != .beside || beside != nil {
                    BroadcastCommand.complain("\(server.rawValue), \(count) viewers")
                    results.append(try measure(server, viewers: count))
                }
            }
            if encrypted > 0 {
                BroadcastCommand.complain("\(Server.encrypted.rawValue), \(encrypted) viewers")
                results.append(try measure(.encrypted, viewers: encrypted))
            }
        }
        print(
            Machine.description(
                command: CommandLine.arguments.dropFirst().joined(separator: " "), packages: ["nginx-light"]))
        print("\n" + table(results) + "\n\n" + BroadcastTables.verdicts(verdicts(results)))
    }

    private func measure(_ server: Server, viewers: Int) throws -> Run {
        switch server {
        case .nginx:
            let nginx = try RateServer(bytesPerSecond: Self.bytesPerSecond, seconds: seconds)
            return try watch(
                server, viewers: viewers, process: nginx.process,
                ["--port", "\(nginx.port)", "--path", RateServer.path])
        case .ours, .beside:
            let program = server == .beside ? beside : nil
            let feed = try LiveFeed(program: try program ?? Tool.sibling("kinecast-live"))
            guard let address = LiveAddress(link: feed.link), let token = LiveLink(feed.link)?.token else {
                throw LiveFeed.Failed(description: "The server's link is not one of this machine: \(feed.link).")
            }
            return try watch(
                server, viewers: viewers, process: feed.server,
                ["--port", "\(address.port)", "--token", token, "--origin", "\(feed.origin)"])
        case .encrypted:
            let certificate = try SelfSignedCertificate(name: "live", alternativeName: "IP:127.0.0.1")
            let feed = try LiveFeed(
                program: try Tool.sibling("kinecast-live"),
                setupInfo: ["tls-cert": certificate.path, "tls-key": certificate.key])
            let crowd = try HelperProcess(
                "kinecast-bench",
                ["crowd", feed.link, "--viewers", "\(viewers)", "--hostile", "100", "--seconds", "\(seconds)"])
            return try watch(server, viewers: viewers, process: feed.server, crowd) {
                // `viewers N least BYTES bytes BYTES`
                let words = try crowd.finish(deadline: deadline(in: 60)).split { $0 == " " || $0 == "\n" }
                var account = TransferReport()
                account.frames = words.count == 6 ? Int(words[1]) ?? 0 : 0
                account.movedBytes = words.count == 6 ? Int(words[5]) ?? 0 : 0
                return account
            }
        }
    }

    private func watch(_ server: Server, viewers: Int, process: Int32, _ arguments: [String]) throws -> Run {
        let crowd = try HelperProcess(
            "kinecast-bench",
            ["viewers-crowd", "--viewers", "\(viewers)", "--seconds", "\(seconds)"] + arguments)
        return try watch(server, viewers: viewers, process: process, crowd) {
            try crowd.report(deadline: deadline(in: 60))
        }
    }

    /// Measures the server from when `crowd` is served, and then calls `account` for what the crowd has to say.
    private func watch(
        _ server: Server, viewers: Int, process: Int32, _ crowd: HelperProcess, account: () throws -> TransferReport
    ) throws -> Run {
        _ = try crowd.line(deadline: deadline(in: 80))
        let (before, start) = (ProcFiles.processorNanoseconds(of: process) ?? 0, MonotonicClock.now())
        // A little less than the viewers read, so that none has gone.
        FrameRhythm.sleep(until: deadline(in: seconds - 0.2))
        let (after, end) = (ProcFiles.processorNanoseconds(of: process) ?? 0, MonotonicClock.now())
        return Run(
            server: server, viewers: viewers, processorShare: Double(after - before) / Double(end - start),
            highWaterBytes: ProcFiles.highWaterBytes(of: process),
            account: try account())
    }

    /// The median of the runs of one server with so many viewers.
    private func middle(_ runs: [Run], _ server: Server, _ viewers: Int, _ value: (Run) -> Double) -> Double {
        median(runs.filter { $0.server == server && $0.viewers == viewers }.map(value))
    }

    private func table(_ runs: [Run]) -> String {
        var lines = [
            "| server | viewers | served | CPU % of a core | viewers a core | peak MiB | Mbit/s to each | delay p50 ms | p95 ms |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
        let rows = viewerCounts.flatMap { count in Server.plain.map { ($0, count) } } + [(.encrypted, encrypted)]
        for (server, count) in rows where runs.contains(where: { $0.server == server }) {
            func middle(_ value: (Run) -> Double) -> Double { self.middle(runs, server, count, value) }
            let cells = [
                server.rawValue, "\(count)", fixed(middle { Double($0.account.frames) }, 0),
                fixed(middle { $0.processorShare * 100 }, 1), fixed(middle(\.viewersPerCore), 0),
                fixed(middle { Double($0.highWaterBytes) / 1_048_576 }, 1),
                fixed(middle { Double($0.account.movedBytes) * 8 / 1e6 / seconds } / Double(count), 2),
                fixed(middle { $0.delay(0.5) }, 2), fixed(middle { $0.delay(0.95) }, 2),
            ]
            lines.append("| " + cells.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n")
    }

    private func verdicts(_ runs: [Run]) -> [Verdict] {
        let ours = runs.filter { [.ours, .encrypted].contains($0.server) }
        let peak = ours.map(\.highWaterBytes).max() ?? 0
        var verdicts = viewerCounts.map { count in
            let perCore = middle(runs, .ours, count, \.viewersPerCore)
            return Verdict(
                promise: "\(count) viewers: ≥ \(fixed(Self.viewersLimit, 0)) a core", measured: fixed(perCore, 0),
                isKept: perCore >= Self.viewersLimit)
        }
        verdicts += [
            Verdict(
                promise: "peak memory ≤ 50 MiB", measured: fixed(Double(peak) / 1_048_576, 1),
                isKept: peak <= Self.memoryLimit),
            Verdict(
                promise: "every viewer is served to the end",
                measured: ours.map { "\($0.account.frames)" }.joined(separator: ", "),
                isKept: ours.allSatisfy { $0.account.frames == $0.viewers }),
        ]
        guard beside != nil else { return verdicts }
        for count in viewerCounts {
            let (ours, theirs) = (
                middle(runs, .ours, count) { $0.delay(0.95) }, middle(runs, .beside, count) { $0.delay(0.95) }
            )
            verdicts.append(
                Verdict(
                    promise: "\(count) viewers: delay p95 ≤ that of the one beside it",
                    measured: "\(fixed(ours, 2)) ms, \(fixed(theirs, 2)) ms", isKept: ours <= theirs))
        }
        return verdicts
    }
}
