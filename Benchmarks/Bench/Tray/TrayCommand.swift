// The cost of the tray's process while nothing is recorded, during a take and after it, beside another tray program.
import ArgumentParser
import Glibc
import KineMeasure

struct TrayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tray", abstract: "Compares what the tray costs with another tray program.",
        discussion: """
            A private X server, and a private bus with a panel that reads the items. kinecast-tray holds one key and follows a take of \
            the engine's pattern, 1280×720 at 30 frames a second. pasystray, a GTK program for the volume of a private PulseAudio, holds \
            its keys and has nothing to do. Wakes are the voluntary context switches of all threads. Memory and CPU are the process's \
            own, without servers and engine.
            """)

    @Option(help: "Seconds over which wakes and CPU are counted.")
    var seconds = 10.0

    @Option(help: "Rounds, the two programs in turn.")
    var runs = 3

    /// Seconds from a change until the counting begins, in which a program does what the change needs.
    private static let settling = 2.0
    /// The decimals of what `watch` measures, and of the seconds until the item was registered.
    private static let digits = [1, 1, 1, 1, 0, 1, 3]

    func validate() throws { try check(runs: runs, seconds: seconds) }

    func run() throws {
        let desktop = try TrayDesktop()
        defer { desktop.end() }
        _ = try desktop.kinecast("shortcuts", "set", "record", "Super+Shift+R").finish(deadline: deadline(in: 10))
        // For each program and round, what was measured in each state.
        let outcomes = try inTurn(runs, "tray") { which, _ in
            try which == 0 ? measureKinecast(desktop) : [measurePeer(desktop)]
        }
        let (ours, theirs) = (outcomes[0], outcomes[1])
        func row(_ title: [String], _ value: (Int) -> Double) -> [String] {
            title + Self.digits.enumerated().map { fixed(value($0.offset), $0.element) }
        }
        var rows = ["idle", "during a take", "after it"].enumerated().map { state, title in
            row(["kinecast-tray", title]) { column in ours.middle { $0[state][column] } }
        }
        rows.append(row(["pasystray", "idle"]) { column in theirs.middle { $0[0][column] } })
        rows.append(
            ["× pasystray", "idle"]
                + Self.digits.indices.map { column in fixed(median(ours.ratios(to: theirs) { $0[0][column] }), 3) })
        print(Machine.description(["pasystray", "dbus-daemon", "xvfb", "pulseaudio"]))
        let columns =
            "program | | >peak MiB | >resident MiB | >anonymous MiB | >of files MiB | >wakes | >CPU ms | >registered after s"
        print("\n" + Tables.table(columns, rows))
    }

    private func measureKinecast(_ desktop: TrayDesktop) throws -> [[Double]] {
        let (tray, start) = try desktop.start("kinecast-tray", at: Tool.sibling("kinecast-tray"), [])
        defer { tray.kill() }
        settle()
        guard try desktop.kinecast("shortcuts", "--json").finish(deadline: deadline(in: 10)).contains("\"x11\"") else {
            throw Tool.Error.failed(name: "kinecast-tray", ending: .unknown, complaint: "It has grabbed no key.")
        }
        let idle = watch(tray, start)
        let file = desktop.folder.file("take.mp4")
        unlink(file)
        let take = try desktop.kinecast(
            "record", file, "--pattern", "1280x720", "--fps", "30", "--audio", "none", "--json", "--duration",
            "\(fixed(seconds + 2 * Self.settling, 1))s")
        while try !take.line(deadline: deadline(in: 20)).contains("\"event\":\"started\"") {}
        settle()
        let during = watch(tray)
        _ = try take.finish(deadline: deadline(in: 20))
        settle()
        return [idle, during, watch(tray)]
    }

    private func measurePeer(_ desktop: TrayDesktop) throws -> [Double] {
        let (peer, start) = try desktop.start(
            "pasystray", at: Tool.path(of: "pasystray"), ["--key-grabbing", "--notify=none"])
        defer { peer.kill() }
        settle()
        return watch(peer, start)
    }

    private func settle() { FrameRhythm.sleep(until: deadline(in: Self.settling)) }

    /// Lets the seconds pass. Returns MiB of memory at their end, the wakes and the milliseconds on a processor in them, and `start`.
    private func watch(_ program: HeldProcess, _ start: Double = .nan) -> [Double] {
        let process = program.process.pid
        let use = ProcessUse.watch([process], seconds: seconds)[0]
        let memory = [
            ProcFiles.highWaterBytes(of: process), ProcFiles.residentBytes(of: process),
            ProcFiles.anonymousBytes(of: process), ProcFiles.fileBytes(of: process),
        ]
        return memory.map { Double($0) / 1_048_576 } + [Double(use.wakes), Double(use.processor) / 1e6, start]
    }
}
