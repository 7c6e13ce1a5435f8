// What needs no take: help, wrong usage, questions.
import Foundation
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct UsageTests {
    @Test func `every command explains itself`() throws {
        try TestPlace.with { place in
            #expect(try place.run("--help").output.contains("always playable"))
            for command in [
                "record", "broadcast", "status", "pause", "resume", "stop", "switch", "mic", "mark", "annotate",
                "sources", "services",
                "extension", "extension new", "config", "config set", "shortcuts", "shortcuts set", "tray", "doctor",
                "recover", "trim", "thumbnail",
            ] {
                let help = try place.run(command.split(separator: " ").map(String.init) + ["--help"])
                #expect(help.status == 0)
                #expect(help.output.contains("USAGE: kinecast \(command)"))
            }
        }
    }

    @Test func `the version is the changelog's newest, and the commit may follow it`() throws {
        let file = RunningKinecast.checkout.appending("CHANGELOG.md").string
        let changelog = try String(contentsOfFile: file, encoding: .utf8)
        let heading = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
        let newest = try #require(heading.dropFirst(3).split { " ,".contains($0) }.first)
        try TestPlace.with { place in
            let ended = try place.run("--version")
            #expect(ended.status == 0)
            #expect(try ended.output.wholeMatch(of: Regex("\(newest)( \\([0-9a-f]{12}\\+?\\))?\n")) != nil, "\(ended)")
        }
    }

    @Test func `wrong usage is 64 and writes nothing`() throws {
        try TestPlace.with { place in
            for arguments in [
                ["fly"], ["record", "--fps", "0"], ["broadcast", "a.mp4"], ["annotate"], ["switch"], ["recover"],
                ["record", "-", "--faststart"], ["broadcast", "--record", "-", "--faststart"],
                ["record", "-", "--split", "1h"], ["broadcast", "--split", "1h"], ["record", "--split", "4s"],
            ] {
                let ended = try place.run(arguments)
                #expect(ended.status == ExitStatus.usage)
                #expect(ended.output == "")
                #expect(ended.errors.contains("Usage: kinecast"))
            }
        }
    }

    @Test func `output that cannot be written is 74 and one sentence`() throws {
        try TestPlace.with { place in
            for (command, output, reason) in [
                "--version", "help record", "config", "sources --json", "--generate-completion-script bash",
                "record a.mp4 --pattern 320x240 --audio none --duration 0.2 --json",
            ].map({ ($0, "/dev/full", "No space left") }) + ["services", "doctor"].map({ ($0, "&-", "Bad file") }) {
                let shell = try RunningKinecast(
                    arguments: ["-c", "exec \"$0\" \(command) >\(output)", RunningKinecast.executable.string],
                    environment: place.environment, directory: place.directory, executable: "/bin/sh")
                let ended = try shell.wait()
                #expect(ended.status == ExitStatus.storageFailed, "\(command): \(ended)")
                let sentence = try #require(ended.errors.split(separator: "\n").last)
                #expect(sentence.hasPrefix("kinecast: Standard output cannot be written (\(reason)"), "\(ended)")
            }
        }
    }

    /// Limits and missing files that containers and logins have.
    @Test(arguments: [
        ("ulimit -f 0", "since there is a limit on the size of files (ulimit -f); raise it"),
        ("mount -t tmpfs none /proc", "There is no /proc here"),
    ])
    func `what keeps every take from beginning is said in one sentence`(lack: String, sentence: String) throws {
        try TestPlace.with { place in
            let take = try RunningKinecast(
                arguments: (geteuid() == 0 ? [] : ["--map-root-user"]) + [
                    "--mount", "sh", "-c", "\(lack); exec \"$0\" record a.mp4 --pattern 320x240",
                    RunningKinecast.executable.string,
                ],
                environment: place.environment, directory: place.directory, executable: try Tool.path(of: "unshare"))
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.unavailable && ended.output == "", "\(ended)")
            #expect(ended.errors.contains(sentence) && ended.errors.split(separator: "\n").count == 1, "\(ended)")
        }
    }

    @Test(arguments: [["broadcast"], ["broadcast", "--tp"]])
    func `an address that is not understood is not repeated`(arguments: [String]) throws {
        try TestPlace.with { place in
            let ended = try place.run(arguments + ["rtmp://host/live/hush"])
            #expect(ended.status == ExitStatus.usage)
            #expect(!(ended.output + ended.errors).contains("hush"))
        }
    }

    @Test func `with no take, status says so and the others are 69`() throws {
        try TestPlace.with { place in
            #expect(try place.run("status").status == 0)
            #expect(try place.run("status", "--json").output == "")
            for command in ["pause", "resume", "stop"] {
                #expect(try place.run("annotate", "a=b").status == ExitStatus.unavailable)
                #expect(try place.run(command).status == ExitStatus.unavailable)
                let named = try place.run(command, "abc")
                #expect(named.errors.contains("No take is called abc"))
            }
        }
    }

    @Test func `the screen without a display is 69 and says what to do`() throws {
        try TestPlace.with { place in
            let ended = try place.run("record", "a.mp4")
            #expect(ended.status == ExitStatus.unavailable)
            #expect(ended.errors.contains("DISPLAY"))
            #expect(access(place.path("a.mp4"), F_OK) != 0)
        }
    }

    @Test func `a command that is not there is 69, and no file is made`() throws {
        try TestPlace.with { place in
            let ended = try place.run("record", "a.mp4", "--virtual", "320x240", "--", "no-such-command")
            #expect(ended.status == ExitStatus.unavailable)
            #expect(ended.errors.contains("no-such-command"))
            #expect(access(place.path("a.mp4"), F_OK) != 0)
        }
    }

    @Test func `sources and doctor answer in text and in JSON`() throws {
        try TestPlace.with { place in
            #expect(try place.run("sources").output.contains("Monitors:"))
            #expect(try place.run("sources", "--json").output.hasPrefix("{"))
            let doctor = try place.run("doctor", "--json")
            #expect(doctor.output.hasPrefix("["))
            #expect([0, ExitStatus.unavailable].contains(doctor.status))
            #expect(try place.run("doctor").output.contains("encoder"))
        }
    }

    @Test func `an engine that cannot be found is 69 and names the variable`() throws {
        try TestPlace.with { place in
            let ended = try place.run(["record", "--pattern", "320x240"], ["KINECAST_ENGINE=/nowhere"])
            #expect(ended.status == ExitStatus.unavailable)
            #expect(ended.errors.contains("KINECAST_ENGINE"))
        }
    }

    @Test func `an engine that is none dies with 70, and its last words are told`() throws {
        try TestPlace.with { place in
            let ended = try place.run(["record", "--pattern", "320x240"], ["KINECAST_ENGINE=/bin/ls"])
            #expect(ended.status == ExitStatus.engineDied)
        }
    }
}
