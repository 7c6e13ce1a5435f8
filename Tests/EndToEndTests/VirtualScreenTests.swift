// A command in a private screen with private sound.
import Glibc
import KineRelay
import SystemPackage
import Testing

@Suite(.serialized) struct VirtualScreenTests {
    /// A program that draws and beeps, built beside kinecast.
    static let scene = RunningKinecast.executable.removingLastComponent().appending("kinecast-scene").string

    @Test(arguments: [("exit 0", Int32(0)), ("exit 7", 7), ("kill -SEGV $$", 128 + SIGSEGV)])
    func `the command's status is passed on`(script: String, status: Int32) throws {
        try Workplace.with { place in
            let ended = try place.run("record", "a.mp4", "--virtual", "320x240", "--", "sh", "-c", script)
            #expect(ended.status == status, "\(ended)")
            _ = try TakeTests.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `the command has a display, a sound server and this process's output`() throws {
        try Workplace.with { place in
            // The scene draws, and beeps on the sound server that its environment names; it fails where either is missing.
            let script = "echo $DISPLAY; \"$0\" flash --seconds 1 >/dev/null && echo seen and heard; echo oops >&2"
            let ended = try place.run("record", "a.mp4", "--virtual", "640x480", "--", "sh", "-c", script, Self.scene)
            #expect(ended.status == 0)
            let lines = ended.output.split(separator: "\n")
            #expect(lines.first?.hasPrefix(":") == true)
            #expect(lines.dropFirst() == ["seen and heard"], "\(ended)")
            #expect(ended.errors.contains("oops\n"))
        }
    }

    @Test func `a command that outlives the take is ended, and the status is the take's`() throws {
        try Workplace.with { place in
            let ended = try place.run(
                "record", "a.mp4", "--virtual", "320x240", "--for", "0.5", "--", "sh", "-c",
                "trap '' TERM; sleep 1000 & wait")
            #expect(ended.status == 0)
        }
    }

    @Test func `a signal ends a take with a command properly, with 0`() throws {
        try Workplace.with { place in
            let take = try place.start("record", "a.mp4", "--virtual", "320x240", "--json", "--", "sleep", "1000")
            try take.event("progress")
            take.signal(SIGTERM)
            #expect(try take.wait().status == 0)
            _ = try TakeTests.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `two private screens at once do not get into each other's way`() throws {
        try Workplace.with { place in
            let script = "echo $DISPLAY; \"$0\" bars --frames 1 >/dev/null"
            let takes = try ["a.mp4", "b.mp4"].map {
                try place.start("record", $0, "--virtual", "320x240", "--", "sh", "-c", script, Self.scene)
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
