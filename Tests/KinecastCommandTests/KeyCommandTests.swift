// The commands for a desktop's keys, without a desktop.
import ArgumentParser
import KineMedia
import KinePlatform
import KineProgram
import KineText
import Testing

@testable import KineTakes
@testable import KineWire
@testable import KinecastCommand

@Suite struct KeyCommandTests {
    @Test func `mic takes a state or --toggle, then a take`() throws {
        let expected: [([String], Bool?, String?)] = [
            (["on"], true, nil), (["off", "0a1b"], false, "0a1b"), (["--toggle"], nil, nil),
            (["--toggle", "0a1b"], nil, "0a1b"),
        ]
        for (words, isOn, take) in expected {
            let parsed = try MicCommand.parse(words).parsed()
            #expect(parsed.isOn == isOn && parsed.take == take, "\(words)")
        }
        for words in [[], ["0a1b"], ["on", "0a1b", "2c3d"], ["--toggle", "on"], ["--toggle", "0a1b", "2c3d"]] {
            let error = #expect(throws: (any Error).self, "\(words)") { try MicCommand.parse(words) }
            if let error { #expect(MicCommand.exitCode(for: error).rawValue == ExitStatus.usage) }
        }
    }

    @Test(arguments: [
        (["record", "--toggle"], true), (["pause", "--toggle", "0a1b"], true), (["clip", "-t", "15"], true),
        (["mark"], true), (["mark", "--json"], false),
        (["pause"], false), (["mic", "on"], false), (["record", "a.mp4", "--", "a", "--toggle"], false),
        (["clip", "--json"], false), (["record", "--toggle", "--json"], false), ([], false),
    ])
    func `toggles, clips and marks are for keys, unless a program reads JSON`(arguments: [String], isForKey: Bool) {
        #expect(DesktopNotifier.isForKey(arguments) == isForKey)
    }

    @Test func `a notification about a file has its name, its length, its size and its directory`() {
        let contents = DesktopNotifier.Contents.saved("/home/me/Videos/a b.mp4", .seconds(7.4), bytes: 3_400_000)
        #expect(contents.title == "Saved a b.mp4" && contents.text == "7.4 s, 3.4 MB, in /home/me/Videos")
    }

    private func take(_ id: String) -> TakeRecord {
        TakeRecord(id: id, pid: 1, output: nil, source: "screen", started: 0)
    }

    @Test func `a toggle ends the take that one has begun, unless that ends already`() {
        let running = [take("aaaaaaaa"), take("bbbbbbbb")]
        func chosen(_ text: String, _ phase: TakePhase?) -> String? {
            ToggleFile.choose(text, among: running, phase.map { ["bbbbbbbb": $0] } ?? [:])?.id
        }
        for phase in [TakePhase.starting, .recording, .paused, nil] {
            #expect(chosen("bbbbbbbb", phase) == "bbbbbbbb")
            for text in ["", "cccccccc", ToggleFile.counting, ToggleFile.cancelled] {
                #expect(chosen(text, phase) == nil, "\(text)")
            }
        }
        for phase in [TakePhase.finishing, .ended] { #expect(chosen("bbbbbbbb", phase) == nil) }
        // The other texts are no ids.
        for word in [ToggleFile.counting, ToggleFile.cancelled] { #expect(TakeID(word) == nil) }
    }

    @Test func `a toggle writes a file`() throws {
        #expect(throws: (any Error).self) { try RecordCommand.parse(["--toggle", "-"]) }
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["broadcast", "--toggle"]) }
        #expect(try RecordCommand.parse(["--toggle", "a.mp4"]).outputPath()?.escaped.hasSuffix("/a.mp4") == true)
    }
}
