// The commands that a desktop's keys run, with real programs, and what a notification server gets of them.
import AudioTesting
import DesktopTesting
import Glibc
import KineDesktop
import KinePlatform
import Testing

@Suite(.tags(.real, .programs)) struct KeyTests {
    private static let pattern = ["--pattern", "320x240", "--audio", "none"]
    private let bus: TestBus
    private let daemon: NotificationDaemon
    private var desktop: [String] { ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"] }

    init() throws {
        bus = try TestBus()
        daemon = try NotificationDaemon(bus)
    }

    @Test func `pause --toggle and mark do what they say, and notifications say so, or why not`() throws {
        try TestPlace.with { place in
            let none = try place.run(["pause", "--toggle"], desktop)
            #expect(none.status == ExitStatus.unavailable, "\(none)")
            _ = try daemon.wait("the reason") { $0.text.contains("No take is running") }
            let take = try place.start(["record", "a.mp4", "--json"] + Self.pattern)
            try take.recorded(0.2)
            #expect(try place.run(["pause", "--toggle"], desktop).errors == "Paused.\n")
            try take.event("paused")
            _ = try daemon.wait("the pause") { $0.title == "Paused" }
            #expect(try place.run(["pause", "--toggle"], desktop).errors == "Resumed.\n")
            try take.event("resumed")
            _ = try daemon.wait("the end of the pause") { $0.title == "Resumed" }
            let mark = try place.run(["mark", "Intro"], desktop)
            #expect(mark.status == 0 && mark.errors.hasSuffix(" as “Intro”.\n"), "\(mark)")
            _ = try daemon.wait("the chapter") { $0.title == mark.errors.dropLast() }
            // Neither a program that reads JSON nor wrong usage of another command is a person's key.
            let count = daemon.notifyCount
            #expect(try place.run(["pause", "--toggle", "--json"], desktop).events.map(\.event) == ["paused"])
            #expect(try place.run(["pause", "--fly"], desktop).status == ExitStatus.usage)
            #expect(daemon.notifyCount == count)
            #expect(try place.run(["clip"], desktop).status == ExitStatus.unavailable)
            _ = try daemon.wait("the reason") { $0.text.contains("--clip-buffer") }
            #expect(try place.run(["pause", "--toggle", "--fly"], desktop).status == ExitStatus.usage)
            _ = try daemon.wait("the wrong option") { $0.text.contains("--fly") }
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }

    @Test func `clip says by a notification where the clip is`() throws {
        try TestPlace.with { place in
            try place.makeDirectory("films")
            let take = try place.start(["record", "films/a.mp4", "--clip-buffer", "5s", "--json"] + Self.pattern)
            try take.event("progress") { ($0.duration ?? 0) >= 0.5 }
            let clip = try place.run(["clip", "-o", "c.mp4"], desktop)
            #expect(clip.status == 0, "\(clip)")
            let shown = try daemon.wait("the clip") { $0.title == "Saved c.mp4" }
            #expect(shown.text.hasSuffix(", in \(place.directory)"), "\(shown)")
            // Without a name it is beside the recording, whatever the key's directory is.
            #expect(try place.run(["clip"], desktop).status == 0)
            let named = try daemon.wait("the other clip") { $0.text.hasSuffix(", in \(place.path("films"))") }
            #expect(named.title.hasPrefix("Saved Clip 20"), "\(named)")
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }

    @Test func `mic turns the microphone off and on, and status has its state`() throws {
        let audio = try TestAudioServer()
        try TestPlace.with { place in
            let take = try place.start(
                [
                    "record", "a.mp4", "--virtual", "320x240", "--audio", "none", "--mic", "kinecast.monitor", "--json",
                ], ["PULSE_SERVER=\(audio.address)"])
            try take.event("started")
            #expect(try place.run("status", "--json").output.contains(#""microphone":true"#))
            #expect(try place.run("mic", "--toggle").errors == "Microphone off.\n")
            try take.event("microphone") { $0.on == false }
            #expect(try place.run("status", "--json").output.contains(#""microphone":false"#))
            #expect(try place.run("mic", "--toggle").errors == "Microphone on.\n")
            try take.event("microphone") { $0.on == true }
            #expect(try place.run("mic", "off", "--json").events.compactMap(\.on) == [false])
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
            let silent = try place.start(["record", "b.mp4", "--json"] + Self.pattern)
            try silent.event("started")
            let refused = try place.run("mic", "--toggle")
            #expect(refused.status == ExitStatus.unavailable && refused.errors.contains("without a microphone"))
            silent.signal(SIGINT)
            #expect(try silent.wait().status == 0)
        }
    }

    @Test func `a countdown comes before the take, and a signal cancels both`() throws {
        try TestPlace.with { place in
            let counted = try place.run(
                ["record", "a.mp4", "--countdown", "1", "--duration", "0.2", "--json"] + Self.pattern)
            #expect(counted.status == 0, "\(counted)")
            #expect(counted.events.map(\.event).filter { $0 != "opening" }.prefix(2) == ["countdown", "started"])
            let take = try place.start(["record", "b.mp4", "--countdown", "60", "--json"] + Self.pattern)
            #expect(try take.event("countdown").seconds ?? 0 > 0)
            #expect(try place.registry().list().running.isEmpty)
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.unavailable && ended.events.last?.result == "failed", "\(ended)")
            #expect(ended.errors.contains("cancelled during its countdown"))
            #expect(access(place.path("b.mp4"), F_OK) != 0)
        }
    }

    @Test func `the desktop plays a sound before a take, and another after it`() throws {
        try TestPlace.with { place in
            let take = try place.start(["record", "a.mp4", "--sounds", "--json"] + Self.pattern, desktop)
            let first = try daemon.wait("the beginning") { $0.title == "The take begins" }
            #expect(first.hints["sound-name"] == .string("device-added"))
            try take.recorded(0.2)
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
            let last = try daemon.wait("the end") { $0.title == "Saved a.mp4" }
            #expect(last.hints["sound-name"] == .string("complete") && last.id == first.id)
        }
    }
}
