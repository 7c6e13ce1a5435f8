// Measures what the live page's server costs with many viewers.
import ArgumentParser
import KineMeasure
import KinePlatform

struct ViewersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "viewers", abstract: "Measures what the live page's server costs with many viewers.",
        discussion: """
            kinecast-publish is sent 2 Mbit/s: 30 frames and 47 pieces of audio a second, as an engine would send them. The viewers
            read the page's stream over plain HTTP in a process of their own. CPU and memory are the server's alone, and the
            kernel's work for its sockets is in them. nginx sends a file at the same rate, in as few pieces as it likes.
            """)

    @Option(help: "How many viewers, one number after the other with commas between them.")
    var counts = "50,200,1000"

    @Option(help: "How many viewers over TLS, with 100 hostile peers besides; 0: none.")
    var encrypted = 500

    @Option(help: "Seconds of each run.")
    var seconds = 10.0

    @Option(help: "Rounds, all servers in turn.")
    var runs = 1

    private static let bytesPerSecond = 250_000
    private static let viewersLimit = 1500.0

    private var viewerCounts: [Int] { counts.split(separator: ",").compactMap { Int($0) } }

    func validate() throws {
        let isList = viewerCounts.count == counts.split(separator: ",", omittingEmptySubsequences: false).count
        guard isList, viewerCounts.allSatisfy({ $0 > 0 && $0 <= 4000 }) else {
            throw ValidationError("--counts must be numbers from 1 to 4000 with commas between them.")
        }
        try check(runs: runs, seconds: seconds)
    }

    private enum Server: String {
        case ours = "kinecast-publish"
        case nginx = "nginx, a file at this rate"
        case encrypted = "kinecast-publish over TLS, and 100 hostile peers"
    }

    /// One run of one server.
    private struct Run {
        let server: Server
        let viewers: Int
        let processorShare: Double
        let highWaterBytes: Int
        let account: TransferReport

        var viewersPerCore: Double { Double(viewers) / processorShare }
    }

    func run() throws {
        var results: [Run] = []
        let kinds: [(Server, Int)] =
            viewerCounts.flatMap { [(Server.ours, $0), (.nginx, $0)] }
            + (encrypted > 0 ? [(.encrypted, encrypted)] : [])
        for _ in 0..<runs {
            for (server, count) in kinds {
                say("\(server.rawValue), \(count) viewers")
                results.append(try measure(server, viewers: count))
            }
        }
        print(Machine.description(["nginx-light"]))
        let columns = "server | >viewers | >served | >CPU % of a core | >viewers a core | >peak MiB | >Mbit/s to each"
        let rows = kinds.map { server, count in
            let runs = results.filter { $0.server == server && $0.viewers == count }
            let cells = [
                fixed(runs.middle { Double($0.account.frames) }, 0), fixed(runs.middle { $0.processorShare * 100 }, 1),
                fixed(runs.middle(\.viewersPerCore), 0), mebibytes(Int(runs.middle { Double($0.highWaterBytes) })),
                fixed(runs.middle { Double($0.account.movedBytes) * 8 / 1e6 / seconds } / Double(count), 2),
            ]
            return [server.rawValue, "\(count)"] + cells
        }
        let ours = results.filter { $0.server != .nginx }
        var verdicts = viewerCounts.map { count in
            let perCore = ours.filter { $0.server == .ours && $0.viewers == count }.middle(\.viewersPerCore)
            return Verdict(
                "\(count) viewers: ≥ \(fixed(Self.viewersLimit, 0)) a core", fixed(perCore, 0),
                perCore >= Self.viewersLimit)
        }
        verdicts += [
            .memory("peak memory", ours.map(\.highWaterBytes).max() ?? 0),
            Verdict(
                "every viewer is served to the end",
                ours.map { "\($0.account.frames)" }.joined(separator: ", "),
                ours.allSatisfy { $0.account.frames == $0.viewers }),
        ]
        print("\n" + Tables.table(columns, rows) + "\n\n" + Tables.verdicts(verdicts))
    }

    private func measure(_ server: Server, viewers: Int) throws -> Run {
        switch server {
        case .nginx:
            // The least that a server of so many bytes to so many viewers costs here. Half a minute is left for all of them to come.
            let files = try TemporaryDirectory(in: "/dev/shm")
            try files.write(
                [UInt8](repeating: 0, count: Int((seconds + 30) * Double(Self.bytesPerSecond))), to: "stream")
            let nginx = try MediaServer { _, port in
                """
                worker_rlimit_nofile 4096;
                events { worker_connections 4000; }
                http {
                    access_log off;
                    sendfile on;
                    limit_rate \(Self.bytesPerSecond);
                    server { listen 127.0.0.1:\(port) backlog=1024; root \(files.path); }
                }
                """
            }
            defer { withExtendedLifetime(files) { nginx.stop() } }
            return try watch(
                server, viewers: viewers, process: nginx.process.pid,
                .crowd(
                    "http://127.0.0.1:\(nginx.port)/#none", path: "/stream", viewers: viewers, seconds: seconds))
        case .ours:
            let feed = try LiveFeed()
            return try watch(
                server, viewers: viewers, process: feed.server,
                .crowd(feed.link, viewers: viewers, seconds: seconds))
        case .encrypted:
            let certificate = try SelfSignedCertificate(name: "live", alternativeName: "IP:127.0.0.1")
            let feed = try LiveFeed(setupInfo: ["tls-cert": certificate.path, "tls-key": certificate.key])
            let crowd = try HeldProcess(
                "kinecast-bench",
                ["crowd", feed.link, "--viewers", "\(viewers)", "--hostile", "100", "--seconds", "\(seconds)"])
            defer { withExtendedLifetime(certificate) {} }
            return try watch(server, viewers: viewers, process: feed.server, crowd)
        }
    }

    /// Measures the server from when `crowd` is served.
    private func watch(_ server: Server, viewers: Int, process: Int32, _ crowd: HeldProcess) throws -> Run {
        _ = try crowd.line(deadline: deadline(in: 80))
        let (before, start) = (ProcFiles.processorNanoseconds(of: process) ?? 0, MonotonicClock.now())
        // A little less than the viewers read, so that none has gone.
        FrameRhythm.sleep(until: deadline(in: seconds - 0.2))
        let (after, end) = (ProcFiles.processorNanoseconds(of: process) ?? 0, MonotonicClock.now())
        return Run(
            server: server, viewers: viewers, processorShare: Double(after - before) / Double(end - start),
            highWaterBytes: ProcFiles.highWaterBytes(of: process),
            account: try crowd.report(deadline: deadline(in: 60)))
    }
}
