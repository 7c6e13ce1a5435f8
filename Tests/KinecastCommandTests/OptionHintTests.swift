// The answer to another program's options, and to arguments without a command.
import CoreTesting
import Testing

@testable import KinecastCommand

@Suite struct OptionHintTests {
    @Test(
        .tags(.slow),
        arguments: [
            (
                ["record", "-f", "60", "-w", "screen", "-o", "o.mp4"],
                "write --fps 60 for -f and write --monitor all for -w."
            ),
            (
                ["record", "-vcodec", "libx264", "o.mp4"],
                "leave out -vcodec, since files are MP4 with H.264 and AAC."
            ),
            (["record", "-framerate", "30"], "write --fps 30 for -framerate."),
            (["record", "--framerate=30", "-y"], "write --fps 30 for --framerate and write --overwrite for -y."),
            (["record", "-f", "out.mkv"], "write -o out.mkv for -f."),
            (["record", "-f", "x11grab"], "leave out -f, since files are MP4 with H.264 and AAC."),
            (["record", "-g", "10,20 300x200"], "write --region for -g."),
            (["broadcast", "-f", "rtmp://h/app/hush"], "write -o for -f."),
        ])
    func `another program's options are answered with those that are meant`(arguments: [String], advice: String) {
        #expect(RootCommand.hint(for: arguments) == "Options of another program were given; \(advice)")
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(arguments) }
    }

    @Test(arguments: [
        (["o.mp4"], "No command stands before o.mp4; did you mean kinecast record o.mp4?"),
        (["--fps", "30", "o.mp4"], "No command stands before --fps; did you mean kinecast record --fps?"),
        (["--to", "rtmp://h/app/hush"], "No command stands before --to; did you mean kinecast broadcast --to?"),
        (
            ["rtmp://h/app/hush"],
            "No command stands before an address; did you mean kinecast broadcast --to ADDRESS?"
        ),
    ])
    func `a command that was left out is named`(arguments: [String], hint: String) {
        #expect(RootCommand.hint(for: arguments) == hint)
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(arguments) }
    }

    @Test func `what is right, or wrong otherwise, gets no such answer`() {
        #expect(RootCommand.hint(for: ["record", "--duration", "x"]) == nil)
        #expect(RootCommand.hint(for: ["record", "--", "ffmpeg", "-f", "60"]) == nil)
        for words in [["fly"], ["recover", "x"], ["record", "recrod"]] {
            #expect(RootCommand.hint(for: words) == nil, "\(words)")
        }
    }

    @Test(arguments: [
        (["recrod", "o.mp4"], "There is no command kinecast recrod; did you mean kinecast record?"),
        (["statsu"], "There is no command kinecast statsu; did you mean kinecast status?"),
        (["config", "sett", "record"], "There is no command kinecast config sett; did you mean kinecast config set?"),
    ])
    func `a mistyped command is answered with the one that is like it`(arguments: [String], hint: String) {
        #expect(RootCommand.hint(for: arguments) == hint)
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(arguments) }
    }

    @Test func `help for a mistyped command is answered so, too`() {
        let hint = "There is no command kinecast recrod; did you mean kinecast record?"
        #expect(RootCommand.hint(for: ["help", "recrod"]) == hint)
    }

    @Test func `words differ by what is inserted and removed`() {
        for (one, other, distance) in [
            ("", "", 0), ("a", "", 1), ("mic", "mic", 0), ("recrod", "record", 2), ("trm", "trim", 1),
            ("fly", "mic", 6),
        ] {
            #expect(CommandNames.distance(one, other) == distance)
            #expect(CommandNames.distance(other, one) == distance)
        }
    }
}
