// The desktop as an extension and an app have it: real engines, a confined extension, a real bus with a notification server, a real X
// server with xclip, and a real Wayland compositor with wl-clipboard.
import DesktopTesting
import FoundationEssentials
import Glibc
import KineDesktop
import KineMeasure
import KineMedia
import KinePlatform
import KineServices
import ScreenTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct DesktopServicesTests {
    private let bus: TestBus
    private let daemon: NotificationDaemon
    private let screen: PrivateScreen

    init() throws {
        bus = try TestBus()
        daemon = try NotificationDaemon(bus)
        screen = try PrivateScreen(size: PixelSize(width: 320, height: 240))
    }

    // MARK: The places

    /// `launcher`: what stands in for the programs that open apps. It notes its arguments and its token.
    private func environment(_ place: TestPlace, launcher status: Int = 0) throws -> [String] {
        _ = try Tool.output("mkdir", ["-p", place.path("bin")])
        let script =
            "#!/bin/sh\necho \"$(basename $0) $* $XDG_ACTIVATION_TOKEN\" >> \(place.path("opened"))\nexit \(status)\n"
        for name in ["gtk-launch", "gio", "xdg-mime", "xdg-open"] {
            try place.write(script, to: "bin/\(name)", permissions: .ownerReadWriteExecute)
        }
        return [
            "DISPLAY=\(screen.name)", "DBUS_SESSION_BUS_ADDRESS=\(bus.address)",
            "PATH=\(place.path("bin")):\(ProcessEnvironment.value("PATH") ?? "/usr/bin:/bin")",
        ]
    }

    /// The lines of the launchers so far.
    private func opened(_ place: TestPlace) -> [String] {
        (PrivateDirectory.contents(of: FilePath(place.path("opened")), limit: 65536) ?? [])
            .split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A take of a pattern whose extension carries out these commands.
    private func take(
        _ place: TestPlace, _ commands: String, source: TakeConfiguration.Source? = nil, restarts: Int = 0
    ) throws -> TakeConfiguration {
        var manifest = ServiceManifest(id: "messenger", name: "Messenger", executable: "kinecast-messenger")
        manifest.video = .encoded(codecs: [.h264], keyframeInterval: 2)
        manifest.setup = [.init(key: "do", title: "Do"), .init(key: "token", title: "Token", isSecret: true)]
        manifest.groups = ["org.example.group"]
        try place.install(manifest)
        var configuration = TakeConfiguration(
            source: source ?? .pattern(PixelSize(width: 320, height: 240)), output: place.path("a.mp4"))
        configuration.audio.app = .none
        configuration.wantsProgress = true
        configuration.supervision.start = 120
        configuration.destinations = [
            .init(service: "messenger", setupInfo: ["do": commands, "token": "s3cret"], label: "messenger")
        ]
        var app = AppIdentity(identifier: "org.example.Recorder", name: "Example Recorder")
        app.desktopFile = "org.example.Recorder"
        app.urlSchemes = ["recorder"]
        configuration.app = app
        return configuration
    }

    /// The messenger as an app, with a manifest beside it.
    private func app(
        _ place: TestPlace, _ input: FileDescriptor, groups: String = "{\"org.example.group\": [\"messenger\"]}"
    ) throws
        -> RunningKinecast
    {
        _ = try Tool.output("mkdir", ["-p", place.path("app")])
        let program = place.path("app/messenger")
        _ = try Tool.output("cp", [RunningKinecast.sibling("kinecast-messenger"), program])
        try place.write(
            """
            {"identifier": "org.example.Recorder", "name": "Example Recorder", "desktopFile": "org.example.Recorder",
             "groups": \(groups)}
            """, to: "app/kinecast-app.json")
        let variables = try environment(place) + ["KINECAST_ENGINE=\(RunningKinecast.sibling("kinecast-engine"))"]
        let app = try RunningKinecast(
            arguments: ["app"], environment: ProcessEnvironment.merging(place.environment, variables),
            directory: place.directory, input: input, executable: program)
        try app.line("ready")
        return app
    }

    /// Runs an app, and gives the body a function that types a command and returns the answer with that beginning.
    private func withApp(
        _ place: TestPlace, groups: String = "{\"org.example.group\": [\"messenger\"]}",
        _ body: (RunningKinecast, (_ command: String, _ beginning: String) throws -> String) throws -> Void
    ) throws {
        let pipe = try FileDescriptor.pipe()
        let app = try app(place, pipe.readEnd, groups: groups)
        try pipe.readEnd.close()
        try body(app) { command, beginning in
            try pipe.writeEnd.writeAll((command + "\n").utf8)
            return try app.line(beginning)
        }
        try pipe.writeEnd.close()
        #expect(try app.wait().status == 0)
    }

    // MARK: Extensions

    @Test func `a confined extension's notification has its service's name and no secret, and replaces`() throws {
        try TestPlace.with { place in
            let commands = "post|state|connected with s3cret|<b>bold</b> & plain;post|state|again|"
            let engine = try EngineUnderTest(
                take(place, commands), in: place, environment: environment(place))
            let first = try daemon.wait("the first") { _ in true }
            #expect(first.sender == "Example Recorder")
            try engine.state("0: done")
            try engine.state("1: done")
            let second = try daemon.wait("the second") { $0.title == "Messenger: again" }
            #expect(second.id == first.id && daemon.shown.count == 1)
            #expect(first.title == "Messenger: connected with …" || first.title == second.title)
            #expect(second.actions == ["default", "Open Example Recorder", "retry", "Retry"])
            #expect(second.hints["desktop-entry"] == .string("org.example.Recorder"))
            try engine.finish(in: place, exitStatus: 0)
            #expect(daemon.shown.count == 1, "it is the person's")
        }
    }

    @Test func `a click opens the app of the manifest with the desktop's token, never the payload's`() throws {
        try TestPlace.with { place in
            let engine = try EngineUnderTest(
                take(place, "post|a|connected|"), in: place, environment: environment(place))
            let shown = try daemon.wait("it") { _ in true }
            try engine.state("0: done")
            daemon.giveToken("token-1", of: shown.id)
            daemon.press("default", of: shown.id)
            try wait("the app") { !opened(place).isEmpty }
            try engine.state("clicked a itself payload-app token-1")
            daemon.press("retry", of: shown.id)
            try engine.state("clicked a retry payload-app without token")
            try wait("the app again") { opened(place).count == 2 }
            #expect(opened(place) == ["gtk-launch org.example.Recorder token-1", "gtk-launch org.example.Recorder "])
            try engine.finish(in: place, exitStatus: 0)
        }
    }

    @Test func `the fourth notification at once is refused with the time to wait`() throws {
        try TestPlace.with { place in
            let commands = (0..<4).map { "post|\($0)|title|" }.joined(separator: ";")
            let engine = try EngineUnderTest(take(place, commands), in: place, environment: environment(place))
            let refused = try engine.event("the refusal") { kind -> String? in
                if case .state(let text) = kind, text.hasPrefix("3: ") { text } else { nil }
            }.0
            #expect(refused.hasPrefix("3: tooMany: There were too many notifications"))
            #expect(daemon.shown.count == 3)
            try engine.finish(in: place, exitStatus: 0)
        }
    }

    @Test func `an extension opens its app, and where that fails the person is told`() throws {
        try TestPlace.with { place in
            let good = try EngineUnderTest(take(place, "activate"), in: place, environment: environment(place))
            try good.state("0: opened")
            #expect(opened(place) == ["gtk-launch org.example.Recorder "])
            #expect(daemon.shown == [])
            try good.finish(in: place, exitStatus: 0)
        }
        try TestPlace.with { place in
            let bad = try EngineUnderTest(
                take(place, "activate"), in: place, environment: environment(place, launcher: 1))
            try bad.state("0: personTold")
            #expect(
                opened(place) == [
                    "gtk-launch org.example.Recorder ", "xdg-mime query default x-scheme-handler/recorder ",
                    "gio open recorder:// ",
                ], "xdg-open would start a browser, as nothing handles the address")
            let shown = try daemon.wait("the request") { _ in true }
            #expect(shown.title == "Open Example Recorder to go on." && shown.text.hasPrefix("Messenger needs it"))
            try bad.finish(in: place, exitStatus: 0)
        }
    }

    @Test func `an app on the bus is activated there`() throws {
        try TestPlace.with { place in
            _ = try Tool.output("mkdir", ["-p", place.path(".local/share/applications")])
            try place.write(
                "[Desktop Entry]\nDBusActivatable=true\n", to: ".local/share/applications/org.example.Recorder.desktop")
            let app = try BusService(bus, name: "org.example.Recorder", paths: ["/org/example/Recorder"]) { _ in
                .values([])
            }
            let engine = try EngineUnderTest(take(place, "activate"), in: place, environment: environment(place))
            try engine.state("0: opened")
            #expect(app.calls.map(\.member) == ["Activate"] && opened(place) == [])
            try engine.finish(in: place, exitStatus: 0)
        }
    }

    @Test func `without a bus and a display each is refused in words, and the broadcast goes on`() throws {
        try TestPlace.with { place in
            let engine = try EngineUnderTest(
                take(place, "post|a|t|;copy|org.example.group|x;paste|org.example.other"), in: place,
                environment: ["DISPLAY=", "WAYLAND_DISPLAY=", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere"])
            let states = try (0..<3).map { index in
                try engine.event("answer \(index)") { kind -> String? in
                    if case .state(let text) = kind, text.hasPrefix("\(index): ") { text } else { nil }
                }.0
            }
            #expect(states[0].hasPrefix("0: unavailable: "), "\(states)")
            #expect(states[1].hasPrefix("1: unavailable: There is no display"), "\(states)")
            #expect(states[2].hasPrefix("2: notMember: The group org.example.other"), "\(states)")
            try engine.finish(in: place, exitStatus: 0)
        }
    }

    // MARK: What the engine tells

    @Test func `a broadcast of the screen says on the desktop that it is live, and that it failed`() throws {
        try TestPlace.with { place in
            try place.installWitness { $0.restarts = 0 }
            let live = try place.start(
                [
                    "broadcast", "--service", "org.example.witness", "--audio", "none", "--json", "--set",
                    "token=s3cret",
                ],
                try environment(place))
            let shown = try daemon.wait("the news") { $0.title == "Witness: live" }
            #expect(shown.hints["urgency"] == .byte(0))
            live.signal(SIGINT)
            _ = try live.wait()
            #expect(!daemon.shown.contains { $0.title.hasSuffix("ended") }, "it was asked for")
            let failed = try place.start(
                [
                    "broadcast", "--service", "org.example.witness", "--audio", "none", "--json", "--set",
                    "fail=The key is wrong.",
                ],
                try environment(place))
            _ = try failed.wait()
            let news = try daemon.wait("the failure") { $0.title == "Witness: ended" }
            #expect(news.text == "The key is wrong.")
        }
    }

    // MARK: Apps

    @Test func `an app posts by itself, is told of clicks while it listens, and is opened by them otherwise`() throws {
        try TestPlace.with { place in
            try withApp(place) { _, type in
                #expect(try type("post|a|Saved|It is in your videos.", "") == "done")
                let shown = try daemon.wait("it") { $0.title == "Saved" }
                #expect(shown.sender == "Example Recorder" && shown.text == "It is in your videos.")
                daemon.press("default", of: shown.id)
                try wait("the app") { opened(place) == ["gtk-launch org.example.Recorder "] }
                #expect(try type("listen", "") == "done")
                daemon.giveToken("t", of: shown.id)
                daemon.press("default", of: shown.id)
                #expect(try type("activate", "clicked") == "clicked a itself payload-app t")
                #expect(opened(place).count == 1)
                #expect(try type("withdraw|a", "done") == "done")
                try wait("its end") { daemon.shown == [] }
            }
        }
    }

    @Test func `what an app has posted for later is shown after its end, and a click on it starts the app`() throws {
        try TestPlace.with { place in
            try withApp(place) { _, type in
                #expect(try type("later|a|Not shown|0.2", "") == "done")
                _ = try type("withdraw|a", "done")
                #expect(try type("later|b|Remember|1", "") == "done")
                #expect(daemon.shown == [])
            }
            let reminder = try daemon.wait("the reminder") { $0.title == "Remember" }
            #expect(daemon.shown.map(\.title) == ["Remember"])
            daemon.press("default", of: reminder.id)
            try wait("the app") { opened(place) == ["gtk-launch org.example.Recorder "] }
            daemon.dismiss(reminder.id)
            try wait("the companion's end") { place.processes().isEmpty }
        }
    }

    @Test func `app and extension pass texts over the clipboard, and what others copy stays theirs`() throws {
        try TestPlace.with { place in
            let engine = try EngineUnderTest(
                take(place, "copy|org.example.group|https://example.org/watch;paste|org.example.group"), in: place,
                environment: environment(place))
            try engine.state("1: text https://example.org/watch")
            try withApp(place) { _, type in
                #expect(try type("paste|org.example.group", "") == "text https://example.org/watch")
                #expect(try type("paste|org.example.other", "").hasPrefix("notMember: "))
                #expect(try pasted() == "https://example.org/watch")
                #expect(try type("copy|org.example.group|from the app", "") == "done")
                #expect(try pasted() == "from the app")
                let program = try XClip.copy("a password", display: screen.name)
                defer { _ = program.end(signal: SIGKILL, deadline: 0) }
                try wait("the other program") { (try? pasted()) == "a password" }
                #expect(try type("paste|org.example.group", "") == "text of nobody in the group")
            }
            try engine.finish(in: place, exitStatus: 0)
        }
    }

    @Test func `an extension reads neither what is nobody's in its group, nor a password`() throws {
        let program = try XClip.copy("a password", display: screen.name)
        defer { _ = program.end(signal: SIGKILL, deadline: 0) }
        try wait("the other program") { (try? pasted()) == "a password" }
        try TestPlace.with { place in
            let engine = try EngineUnderTest(
                take(place, "paste|org.example.group"), in: place, environment: environment(place))
            try engine.state("0: text of nobody in the group")
            try engine.finish(in: place, exitStatus: 0)
        }
    }

    @Test func `an extension and other programs pass texts over a Wayland compositor's clipboard`() throws {
        let desktop = try SwayDesktop(size: PixelSize(width: 64, height: 64))
        try TestPlace.with { place in
            // The X server is another session's. The descriptor that WAYLAND_SOCKET names is another program's.
            let environment =
                try environment(place) + ["WAYLAND_DISPLAY=\(desktop.display)", "WAYLAND_SOCKET=2"]
            let engine = try EngineUnderTest(
                take(place, "copy|org.example.group|https://example.org/watch;paste|org.example.group"), in: place,
                environment: environment)
            try engine.state("1: text https://example.org/watch")
            #expect(try WLClipboard.paste(display: desktop.display) == "https://example.org/watch")
            try engine.finish(in: place, exitStatus: 0)
        }
        let program = try WLClipboard.copy("a password", display: desktop.display)
        defer { _ = program.end(signal: SIGKILL, deadline: 0) }
        try wait("the other program") { (try? WLClipboard.paste(display: desktop.display)) == "a password" }
        try TestPlace.with { place in
            let engine = try EngineUnderTest(
                take(place, "paste|org.example.group"), in: place,
                environment: environment(place) + ["WAYLAND_DISPLAY=\(desktop.display)"])
            try engine.state("0: text of nobody in the group")
            try engine.finish(in: place, exitStatus: 0)
        }
    }

    private func pasted() throws -> String { try XClip.paste(display: screen.name) }
}
