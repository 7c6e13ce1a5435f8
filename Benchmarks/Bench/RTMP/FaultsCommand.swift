// What bad networks and bad servers do to a broadcast over RTMP.
import ArgumentParser
import KineMeasure
import KinePlatform

struct FaultsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rtmp-faults", abstract: "Disturbs broadcasts over RTMP and tells how they come back.",
        discussion: """
            A moving picture of 640×360 at 30 frames a second and 4 Mbit/s, with sound, published from one network namespace to a
            server in another. Needs root, or a user who may make namespaces; the delay needs /dev/net/tun.
            """)

    @Option(help: "Only faults whose name contains this.")
    var only: String?

    @Option(help: "The publisher's TCP congestion control, such as reno; the machine's own if not given.")
    var congestionControl: String?

    private struct Fault: Sendable {
        let name: String
        var delay = 0
        var deaf = false
        let play: @Sendable (FaultRun) throws -> Void
    }

    private static let faults: [Fault] = [
        Fault(name: "2 % loss for 30 s, 50 ms each way throughout", delay: 50) { run in
            try run.run(for: 10)
            try run.disturb { try run.network.lose(percent: 2) }
            try run.run(for: 30)
            try run.restore { try run.network.lose(percent: 0) }
            try run.run(for: 12)
        },
        Fault(name: "1 Mbit/s for 20 s") { run in
            try run.run(for: 10)
            try run.disturb { try run.network.limit(bitsPerSecond: 1_000_000) }
            try run.run(for: 20)
            try run.restore { try run.network.limit(bitsPerSecond: nil) }
            try run.run(for: 15)
        },
        Fault(name: "own link down for 10 s") { run in
            try run.run(for: 8)
            try run.disturb { try run.network.setLink(up: false) }
            try run.run(for: 10)
            try run.restore { try run.network.setLink(up: true) }
            try run.run(for: 12)
        },
        Fault(name: "everything lost on the way for 10 s") { run in
            try run.run(for: 8)
            try run.disturb { try run.network.swallow(true) }
            try run.run(for: 10)
            try run.restore { try run.network.swallow(false) }
            try run.run(for: 12)
        },
        Fault(name: "server killed five times, back after 3 s") { run in
            try run.run(for: 6)
            for _ in 0..<5 {
                try run.disturb { run.farEnd.kill() }
                try run.run(for: 3)
                try run.restore { try run.farEnd.start() }
                try run.run(for: 6)
            }
        },
        Fault(name: "server hangs for 20 s") { run in
            try run.run(for: 8)
            try run.disturb { run.farEnd.hang() }
            try run.run(for: 20)
            try run.restore { run.farEnd.goOn() }
            try run.run(for: 12)
        },
        Fault(name: "server accepts and never reads for 20 s, then another", deaf: true) { run in
            try run.disturb {}
            try run.run(for: 20)
            try run.restore { try run.farEnd.start() }
            try run.run(for: 12)
        },
    ]

    func run() throws {
        var outcomes: [FaultOutcome] = []
        for fault in Self.faults where only.map({ fault.name.contains($0) }) ?? true {
            let run = try FaultRun(
                fault.name, delayMilliseconds: fault.delay, deaf: fault.deaf, congestionControl: congestionControl)
            try fault.play(run)
            outcomes.append(try run.finish())
        }
        guard !outcomes.isEmpty else { throw ValidationError("No fault has “\(only ?? "")” in its name.") }
        print(Machine.description(packages: ["iproute2", "nftables"]))
        let control = congestionControl ?? ProcFiles.read("/proc/sys/net/ipv4/tcp_congestion_control")
        print("TCP congestion control: \(control.filter { $0 != "\n" }).")
        print("\n" + FaultTables.outcomes(outcomes) + "\n\n" + FaultTables.verdicts(outcomes))
    }
}
