// A command in a private screen with private audio.
import AudioTesting
import DesktopTesting
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct VirtualScreenTests {
    /// A program that draws and beeps, built beside kinecast.
    static let scene = RunningKinecast.scene

    @Test(arguments: [("exit 0", Int32(0)), ("exit 7", 7), ("kill -SEGV $$", 128 + SIGSEGV)])
    func `the command's status is passed on`(script: String, status: Int32) throws {
        try TestPlace.with { place in
            let ended = try place.run("record", "a.mp4", "--virtual", "320x240", "--", "sh", "-c", script)
            #expect(ended.status == status, "\(ended)")
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    /// A program of the X Window System that everybody has, and what it draws in a private screen.
    @Test func `xterm is recorded in a private screen`() throws {
        try TestPlace.with { place in
            let ended = try place.run(
                "record", "a.mp4", "--virtual", "320x240", "--", "xterm", "-e", "sh", "-c",
                "echo shown; echo done >mark")
            #expect(ended.status == 0 && access(place.path("mark"), F_OK) == 0, "\(ended)")
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `the command has a display, an audio server and this process's output`() throws {
        try TestPlace.with { place in
            // The scene draws, and beeps on the audio server that its environment names; it fails where either is missing.
            let script = "echo $DISPLAY; \"$0\" flash --seconds 1 >/dev/null && echo seen and heard; echo oops >&2"
            let ended = try place.run("record", "a.mp4", "--virtual", "640x480", "--", "sh", "-c", script, Self.scene)
            #expect(ended.status == 0)
            let lines = ended.output.split(separator: "\n")
            #expect(lines.first?.hasPrefix(":") == true)
            #expect(lines.dropFirst() == ["seen and heard"], "\(ended)")
            #expect(ended.errors.contains("oops\n"))
        }
    }

    /// python-xlib, which pyautogui and pynput use, knows no wild family.
    @Test func `the cookie is there for every host, and for this one by its name, as xauth writes it`() throws {
        try TestPlace.with { place in
            let script = "cp $XAUTHORITY cookies; echo ${DISPLAY#:}; uname -n"
            let ended = try place.run(
                "record", "a.mp4", "--virtual", "320x240", "--audio", "none", "--", "sh", "-c", script)
            let lines = ended.output.split(separator: "\n").map(String.init)
            try #require(ended.status == 0 && lines.count == 2, "\(ended)")
            let file = try Tool.contents(of: place.path("cookies"))
            let cookie = [0, 18] + Array("MIT-MAGIC-COOKIE-1".utf8) + [0, 16] + file.suffix(16)
            let (display, host) = (Array(lines[0].utf8), Array(lines[1].utf8))
            let local = [1, 0, 0, UInt8(host.count)] + host + [0, UInt8(display.count)] + display
            #expect(file == [0xff, 0xff, 0, 0, 0, 0] + cookie + local + cookie)
        }
    }

    @Test func `the picture of a still screen goes through a pipe while it is still`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "-", "--virtual", "320x240", "--audio", "none")
            try take.words("moof", onOutput: true)
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == 0 && ended.errors.contains("Written to standard output"), "\(ended.errors)")
        }
    }

    /// A take with the person's bus where systemd puts it, for whose names the private server would ask.
    @Test func `what a command plays at once is in the file, and the private audio server is on no bus`() throws {
        try TestPlace.with { place in
            let bus = try TestBus(at: place.path("runtime/bus"))
            defer { withExtendedLifetime(bus) {} }
            let tone = place.path("tone.wav")
            _ = try Tool.output(
                "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=0.5", "-ac", "2", tone])
            let script = """
                paplay "$0" && dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus \
                /org/freedesktop/DBus org.freedesktop.DBus.ListNames
                """
            let ended = try place.run("record", "a.mp4", "--virtual", "320x240", "--", "sh", "-c", script, tone)
            #expect(ended.status == 0 && ended.output.contains("org.freedesktop.DBus"), "\(ended)")
            #expect(!ended.output.contains("Pulse"), "\(ended)")
            #expect(try RecordedAudio(path: place.path("a.mp4")).share(ofTone: 440) > 0.5)
        }
    }

    @Test func `a microphone that delivers nothing is reported, and keeps the command waiting no longer`() throws {
        try TestPlace.with { place in
            // Nothing is ever written into its pipe.
            let server = try TestAudioServer(modules: [
                "module-pipe-source source_name=mute file=\(place.path("samples"))"
            ])
            defer { server.end() }
            let ended = try place.run(
                ["record", "a.mp4", "--virtual", "320x240", "--audio", "none", "--mic", "mute", "--", "echo", "begun"],
                ["PULSE_SERVER=\(server.address)"])
            #expect(ended.status == 0 && ended.output == "begun\n", "\(ended)")
            #expect(ended.errors.contains("The microphone has delivered nothing for 5 seconds;"), "\(ended)")
        }
    }

    @Test func `a command that outlives the take is ended, and the status is the take's`() throws {
        try TestPlace.with { place in
            let ended = try place.run(
                "record", "a.mp4", "--virtual", "320x240", "--duration", "0.5", "--", "sh", "-c",
                "trap '' TERM; sleep 1000 & wait")
            #expect(ended.status == 0)
        }
    }

    /// Ended together with its display, it would die of that, and its own status would be the take's.
    @Test func `a command that uses the display is ended before it`() throws {
        try TestPlace.with { place in
            // What the command says of a display that is gone would be its status.
            let script = "trap 'exit 0' TERM; \"$0\" bars --seconds 1000 >/dev/null & wait $!; exit 84"
            let ended = try place.run(
                "record", "a.mp4", "--virtual", "320x240", "--duration", "0.5", "--", "sh", "-c", script, Self.scene)
            #expect(ended.status == 0, "\(ended)")
        }
    }

    @Test func `a private X server that never answers keeps nobody waiting`() throws {
        try TestPlace.with { place in
            try place.makeDirectory("servers")
            try place.write(
                "#!/bin/sh\nexec sleep 1000\n", to: "servers/Xvfb", permissions: .ownerReadWriteExecute)
            let environment = place.environment.map {
                $0.hasPrefix("PATH=") ? "PATH=\(place.path("servers")):" + $0.dropFirst(5) : $0
            }
            let take = try RunningKinecast(
                arguments: ["record", "a.mp4", "--virtual", "320x240"], environment: environment,
                directory: place.directory)
            try place.waitForTake()
            // Asked meanwhile, the engine answers.
            #expect(try place.run("status").output.contains("starting"))
            take.signal(SIGTERM)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.unavailable)
            #expect(ended.errors.contains("ended before its first frame"), "\(ended)")
        }
    }

    /// As on Debian's GNOME, whose PipeWire packages conflict with PulseAudio's.
    @Test func `a tone is recorded on a private X screen where only PipeWire is installed`() throws {
        try TestPlace.with { place in
            let tone = place.path("tone.wav")
            _ = try Tool.output(
                "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=2", "-ac", "2", tone])
            try place.makeDirectory("programs")
            for name in ["Xvfb", "dbus-daemon", "pipewire", "wireplumber", "paplay"] {
                let program = try #require(ExecutableSearch.find(name))
                #expect(symlink(program, place.path("programs/" + name)) == 0)
            }
            let environment = place.environment.map { $0.hasPrefix("PATH=") ? "PATH=\(place.path("programs"))" : $0 }
            let ended = try RunningKinecast(
                arguments: ["record", "a.mp4", "--virtual", "320x240", "--", "paplay", tone], environment: environment,
                directory: place.directory
            ).wait()
            #expect(ended.status == 0, "\(ended)")
            #expect(try RecordedAudio(path: place.path("a.mp4")).share(ofTone: 440) > 0.5)
        }
    }

    @Test func `a signal ends a take with a command properly, with 0`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--virtual", "320x240", "--json", "--", "sleep", "1000")
            try take.event("progress")
            take.signal(SIGTERM)
            #expect(try take.wait().status == 0)
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `two private screens at once do not get into each other's way`() throws {
        try TestPlace.with { place in
            // Each waits for the other, or one could be over before the other begins.
            let script = """
                echo $DISPLAY; touch "$1"; while [ ! -e "$2" ]; do sleep 0.05; done; "$0" bars --frames 1 >/dev/null
                """
            let takes = try [("a", "b"), ("b", "a")].map { own, other in
                try place.start(
                    "record", "\(own).mp4", "--virtual", "320x240", "--", "sh", "-c", script, Self.scene, own, other)
            }
            let displays = try takes.map { take in
                let ended = try take.wait()
                #expect(ended.status == 0, "\(ended)")
                return ended.output
            }
            #expect(Set(displays).count == 2)
        }
    }
}
