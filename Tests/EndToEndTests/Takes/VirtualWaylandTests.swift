// A command in a private Wayland session: its screen, its bus, its sound, and that nothing of them is left.
import CoreTesting
import DesktopTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .programs, .long)) struct VirtualWaylandTests {
    @Test func `a command on a private X screen does not find the session's compositor`() throws {
        try TestPlace.with { place in
            let ended = try place.run(
                [
                    "record", "a.mp4", "--virtual", "320x240", "--", "sh", "-c",
                    "echo \"[$WAYLAND_DISPLAY] $XDG_SESSION_TYPE\"",
                ], ["WAYLAND_DISPLAY=wayland-0", "XDG_SESSION_TYPE=wayland"])
            #expect(ended.status == 0 && ended.output == "[] x11\n", "\(ended)")
        }
    }

    @Test func `a command on a private Wayland screen has that alone, and its status is passed on`() throws {
        try TestPlace.with { place in
            let ended = try place.run(
                [
                    "record", "a.mp4", "--virtual", "wayland:320x240", "--", "sh", "-c",
                    "echo \"[$DISPLAY] $XDG_SESSION_TYPE\"; test -S \"$WAYLAND_DISPLAY\" && test -S \"$SWAYSOCK\" && exit 7",
                ], ["DISPLAY=:77", "XDG_SESSION_TYPE=x11"])
            #expect(ended.status == 7 && ended.output == "[] wayland\n", "\(ended)")
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `a program's frames on a private Wayland screen are in the file, in their order`() throws {
        try TestPlace.with { place in
            let ended = try place.run(
                [
                    "record", "a.mp4", "--virtual", "wayland:640x480", "--", RunningKinecast.scene, "motion", "--mute",
                    "--fps", "20", "--frames", "40",
                ])
            #expect(ended.status == 0, "\(ended)")
            let video = try RecordedVideo(path: place.path("a.mp4"))
            var numbers: [Int] = []
            try video.decode { _, luma in
                if let number = Barcode.read(luma) { numbers.append(number) }
            }
            #expect(numbers == Set(numbers).sorted() && numbers.count > 1, "\(numbers)")
        }
    }

    @Test func `a terminal's lines on a private Wayland screen are in the file, each whole and in their order`() throws
    {
        try TestPlace.with { place in
            let terminal = NumberedTerminal(in: place)
            let size = NumberedTerminal.screen
            let take = try place.start(
                ["record", "a.mp4", "--audio", "none", "--virtual", "wayland:\(size.width)x\(size.height)", "--"]
                    + terminal.command())
            try terminal.waitUntilScrolled(in: place.path("a.mp4"))
            try terminal.stop()
            let ended = try take.wait()
            #expect(ended.status == NumberedTerminal.status, "\(ended)")
            try NumberedTerminal.check(place.path("a.mp4"))
        }
    }

    @Test(arguments: ["system", "none"])
    func `a command has a bus of its own, whatever is recorded of its sound`(audio: String) throws {
        let bus = try TestBus()
        func ask(_ method: String) -> [String] {
            [
                "dbus-send", "--session", "--print-reply=literal", "--dest=org.freedesktop.DBus",
                "/org/freedesktop/DBus",
                "org.freedesktop.DBus.\(method)",
            ]
        }
        try TestPlace.with { place in
            let variables = ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"]
            func run(_ command: [String]) throws -> String {
                let ended = try place.run(
                    ["record", "a.mp4", "--overwrite", "--audio", audio, "--virtual", "wayland:320x240", "--"]
                        + command,
                    variables)
                #expect(ended.status == 0, "\(ended)")
                return ended.output
            }
            let outside = try Tool.output("env", variables + ask("GetId"))
            let inside = try run(ask("GetId"))
            #expect(!outside.isEmpty && !inside.isEmpty && inside != outside)
            // What the bus would start would outlive the take.
            let services = try run(ask("ListActivatableNames")).split(whereSeparator: \.isWhitespace)
            #expect(services.filter { $0.contains(".") } == ["org.freedesktop.DBus"], "\(services)")
        }
    }

    // MARK: Sound

    @Test(arguments: ["paplay", "pw-play"])
    func `a tone that a program plays by PulseAudio or by PipeWire is in the file`(player: String) throws {
        try TestPlace.with { place in
            let tone = place.path("tone.wav")
            _ = try Tool.output(
                "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=2", "-ac", "2", tone])
            let ended = try place.run(
                "record", "a.mp4", "--virtual", "wayland:320x240", "--", player, tone)
            #expect(ended.status == 0, "\(ended)")
            #expect(try RecordedAudio(path: place.path("a.mp4")).share(ofTone: 440) > 0.5)
        }
    }

    // MARK: The end

    /// Who runs kinecast.
    enum User: CaseIterable, Sendable {
        case thisOne
        /// An ordinary user without a name, as in a container, where this one is root.
        case ordinary
    }

    @Test(arguments: [SIGTERM, SIGKILL], User.allCases)
    func `nothing is left of a private Wayland session, however its take ends`(ending: Int32, user: User) throws {
        try TestPlace.with { place in
            let take = try Self.start(
                [
                    "record", "a.mp4", "--virtual", "wayland:320x240", "--json", "--", "sh", "-c",
                    "echo \"$PIPEWIRE_RUNTIME_DIR\"; exec sleep 1000",
                ], as: user, in: place)
            try take.event("progress")
            let (engine, servers) = try Self.servers(in: place)
            let names = servers.map(ProcFiles.name).sorted()
            #expect(names == ["dbus-daemon", "pipewire", "pipewire", "sh", "sway", "wireplumber"])
            let directories = Self.directories(of: engine)
            #expect(directories.count == 2)
            if ending == SIGKILL { kill(engine, SIGKILL) } else { take.signal(ending) }
            let ended = try take.wait()
            #expect(ended.status == (ending == SIGKILL ? ExitStatus.engineDied : 0), "\(ended)")
            try wait("the servers to go") { !servers.contains(where: ProcFiles.isRunning) }
            try wait("their directories to go") { Self.directories(of: engine).isEmpty }
            if user == .ordinary, getuid() == 0 { _ = try Tool.output("chown", ["-R", "0", place.directory.string]) }
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    /// A server that takes no notice of its parent's death, nor of a request to end.
    @Test func `a server that hangs when the engine is killed is ended, and its directory goes`() throws {
        try TestPlace.with { place in
            let take = try place.start(
                "record", "a.mp4", "--virtual", "wayland:320x240", "--json", "--", "sleep", "1000")
            try take.event("progress")
            let (engine, servers) = try Self.servers(in: place)
            let sway = try #require(servers.first { ProcFiles.name(of: $0) == "sway" })
            try StrangerProcess.stop(sway)
            kill(engine, SIGKILL)
            _ = try take.wait()
            try wait("the servers to go") { !servers.contains(where: ProcFiles.isRunning) }
            try wait("their directories to go") { Self.directories(of: engine).isEmpty }
        }
    }

    @Test func `a private X screen that hangs when the engine is killed is ended`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--virtual", "320x240", "--json", "--", "sleep", "1000")
            try take.event("progress")
            let (engine, servers) = try Self.servers(in: place)
            let server = try #require(servers.first { ProcFiles.name(of: $0) == "Xvfb" })
            try StrangerProcess.stop(server)
            kill(engine, SIGKILL)
            _ = try take.wait()
            try wait("the servers to go") { !servers.contains(where: ProcFiles.isRunning) }
        }
    }

    /// The engine's directories in the temporary one.
    private static func directories(of engine: Int32) -> [String] {
        PrivateDirectory.entries("/tmp").filter {
            $0.hasPrefix("kinecast-session-\(engine)-") || $0.hasPrefix("kinecast-wayland-\(engine)-")
        }
    }

    /// The engine of the one take in a place, and the processes that it has started.
    private static func servers(in place: TestPlace) throws -> (engine: Int32, servers: [Int32]) {
        // Root may have had another user start it, and then the registry is that user's. An ordinary user cannot read where an engine was
        // started.
        guard getuid() == 0 else {
            let engine = try place.registry().find(nil).pid
            return (engine, ProcFiles.children(of: engine))
        }
        let engine = try #require(
            PrivateDirectory.entries("/proc").compactMap { Int32($0) }.first {
                ProcFiles.name(of: $0) == "kinecast-engine"
                    && ProcFiles.read("/proc/\($0)/environ").contains("HOME=\(place.directory)\0")
            })
        return (engine, ProcFiles.children(of: engine))
    }

    private static func start(_ arguments: [String], as user: User, in place: TestPlace) throws -> RunningKinecast {
        guard user == .ordinary, getuid() == 0 else { return try place.start(arguments) }
        // A build directory may lie in a home that is closed.
        _ = try Tool.output(
            "install",
            ["-D", "-m", "755", "-t", place.path("bin")] + ["kinecast", "kinecast-engine"].map(Tool.sibling))
        let ordinary: uid_t = 61_183  // outside the ranges that Debian gives names to, and below sway's
        _ = try Tool.output("chown", ["-R", "\(ordinary)", place.directory.string])
        return try RunningKinecast(
            arguments: ["--reuid=\(ordinary)", "--regid=\(ordinary)", "--clear-groups", place.path("bin/kinecast")]
                + arguments,
            environment: place.environment, directory: place.directory, executable: try Tool.path(of: "setpriv"))
    }
}
