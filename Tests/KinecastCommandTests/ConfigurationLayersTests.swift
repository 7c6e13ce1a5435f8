// The order of file, profile, environment and what is typed, and the keys beside the options that the commands declare.
import ArgumentParser
import CoreTesting
import FoundationEssentials
import KineConfiguration
import KineProgram
import Testing

@testable import KinecastCommand

@Suite struct ConfigurationLayersTests {
    typealias Examples = ConfigurationExamples

    private let text = """
        [record]
        fps = 30
        quality = 18
        monitor = DP-1
        exclude = app:a
        faststart = true
        mic = default
        [record talk]
        bitrate = 4M
        exclude = app:b
        exclude = app:c
        """

    @Test func `a profile replaces what the section says, and the environment replaces both`() throws {
        let layers = try Examples.layers(
            text, ["KINECAST_RECORD_FASTSTART=false", "KINECAST_RECORD_AUDIO_BITRATE=96k", "KINECAST_RECORD_MIC="])
        #expect(
            try Examples.arguments(layers, ["record"]) == [
                "record", "--fps", "30", "--quality", "18", "--monitor", "DP-1", "--exclude", "app:a", "--mic",
                "default", "--audio-bitrate", "96k",
            ])
        #expect(
            try Examples.arguments(layers, ["record"], profile: "talk") == [
                "record", "--fps", "30", "--monitor", "DP-1", "--mic", "default", "--bitrate", "4M", "--exclude",
                "app:b", "--exclude", "app:c", "--audio-bitrate", "96k",
            ])
    }

    @Test(arguments: [
        (["--fps", "60"], ["--fps"]), (["--fps=60"], ["--fps"]), (["-r", "60"], ["--fps"]), (["-vr", "60"], ["--fps"]),
        (["--bitrate", "4M"], ["--quality"]), (["--exclude", "app:x"], ["--exclude"]),
        (["--window", "focused"], ["--monitor", "--exclude"]), (["--pattern", "320x240"], ["--monitor", "--exclude"]),
        (["--mic", "usb"], ["--mic"]), (["--virtual", "640x480"], ["--monitor", "--mic"]), (["-"], ["--faststart"]),
        (["--output=-"], ["--faststart"]),
        (["a.mp4"], []), (["--", "a", "--fps", "60"], []), (["--size", "-"], []),
    ])
    func `what is typed replaces the same option and its rivals`(typed: [String], replaced: [String]) throws {
        let layers = try Examples.layers(text)
        let plain = try Examples.arguments(layers, ["record"]).dropFirst()
        let beside = try Examples.arguments(layers, ["record"] + typed).dropFirst()
        #expect(beside.suffix(typed.count) == typed[...])
        let names = Set(plain.filter { $0.hasPrefix("--") })
        let rest = Set(beside.dropLast(typed.count).filter { $0.hasPrefix("--") })
        #expect(names.subtracting(rest) == Set(replaced))
    }

    @Test func `the name of the file replaces the one that is set, however it is typed`() throws {
        let layers = try Examples.layers("[record]\noutput = a.mp4\n[broadcast]\nrecord = a.mp4")
        for typed in [["b.mp4"], ["-o", "b.mp4"], ["--fps", "9", "b.mp4"], ["--output", "b.mp4"]] {
            #expect(try Examples.arguments(layers, ["record"] + typed) == ["record"] + typed)
        }
        #expect(try Examples.arguments(layers, ["broadcast", "-o", "b.mp4"]) == ["broadcast", "-o", "b.mp4"])
        #expect(try Examples.arguments(layers, ["broadcast", "--check"]) == ["broadcast", "--check"])
    }

    @Test func `destinations that are typed replace those that are set, and what belongs to them`() throws {
        let layers = try Examples.layers("[broadcast]\nservice = live\nlisten = 0.0.0.0:80\nset = a=@/f")
        for typed in [["--to", "@b"], ["--to-file", "f"], ["--service", "x"]] {
            #expect(try Examples.arguments(layers, ["broadcast"] + typed) == ["broadcast"] + typed)
        }
        let both = try Examples.arguments(layers, ["broadcast", "--service", "live", "--to", "@b"])
        #expect(both.starts(with: ["broadcast", "--listen", "0.0.0.0:80"]))
    }

    @Test func `a variable has a line for each value, and the sentence about a wrong value names it`() throws {
        let layers = try Examples.layers("", ["KINECAST_RECORD_EXCLUDE=app:a\ntitle:b", "KINECAST_ENGINE=/e"])
        #expect(
            try Examples.arguments(layers, ["record"]) == ["record", "--exclude", "app:a", "--exclude", "title:b"])
        for (variable, words) in [
            ("KINECAST_RECORD_FOO=1", "KINECAST_RECORD_FOO: record has no option KINECAST_RECORD_FOO"),
            ("KINECAST_RECORD_fps=1", "KINECAST_RECORD_fps: record has no option"),
            ("KINECAST_RECORD_CFR=1", "KINECAST_RECORD_CFR: cfr is a flag"),
            ("KINECAST_RECORD_NO_INDICATOR=true", "the indicator is not configured"),
        ] {
            let failure = #expect(throws: CommandFailure.self) {
                try Examples.layers("", [variable]).options(of: .record, profile: nil)
            }
            Examples.expectSentence(failure)
            #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
        }
        let others = try Examples.layers("", ["KINECAST_RECORD_FOO=1"]).options(of: .broadcast, profile: nil)
        #expect(others.isEmpty)
        let failure = #expect(throws: CommandFailure.self) {
            try Examples.layers("", ["KINECAST_BROADCAST_TO=rtmp://h/a/hush"]).options(of: .broadcast, profile: nil)
        }
        Examples.expectSentence(failure)
    }

    @Test func `a profile that is not there is answered with those that are`() throws {
        for (text, words) in [
            (text, "it has talk."), ("[record]", "it has none."),
            ("[record b]\n[broadcast a]", "it has a and b."),
        ] {
            let failure = #expect(throws: CommandFailure.self) {
                try Examples.layers(text).options(of: .record, profile: "tlak")
            }
            #expect(failure?.message == "/c/kinecast.conf has no profile tlak; \(words)")
        }
        #expect(try Examples.layers("[broadcast a]\nfps = 9").options(of: .record, profile: "a").isEmpty)
    }

    @Test func `the studio's browser is set in the file or the environment, and in no profile`() throws {
        let text = "[studio]\nbrowser = firefox --new-window %s"
        func browser(_ variables: [String] = []) throws -> [String] {
            try Examples.layers(text, variables).options(of: .studio, profile: nil).map(\.value)
        }
        #expect(try browser() == ["firefox --new-window %s"])
        #expect(try browser(["KINECAST_STUDIO_BROWSER=epiphany"]) == ["epiphany"])
        for wrong in ["[studio a]\nbrowser = b", "[studio]\nport = 1", "[record]\nbrowser = b"] {
            #expect(throws: CommandFailure.self, "\(wrong)") { try Examples.layers(wrong) }
        }
    }

    @Test(.tags(.slow)) func `wrong usage names the place of an option that was not typed, and of no other`() throws {
        let layers = try Examples.layers("[record]\nquality = 18\nfps = 60")
        let options = try layers.options(of: .record, profile: nil)
        let arguments = options.arguments(before: ["record", "--audio", "none", "--bitrate", "4M"])
        let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(arguments) }
        let message = RootCommand.message(for: try #require(error))
        #expect(
            options.explaining(message)
                == "--quality and --bitrate cannot be combined; leave one out; --quality is set by /c/kinecast.conf:2.")
        #expect(options.explaining("--fpsx is unknown.") == nil)
    }

    /// ArgumentParser's description of a command.
    private struct Declaration: Decodable {
        struct Command: Decodable { var arguments: [Argument] }
        struct Argument: Decodable {
            struct Name: Decodable {
                var kind: String
                var name: String
            }
            var kind: String
            var isRepeating: Bool
            var names: [Name]?
        }
        var command: Command
    }

    @Test(arguments: ConfiguredCommand.allCases.filter(\.hasOptions))
    func `every option is a key, to be set or with a reason why not`(command: ConfiguredCommand) throws {
        let text = command == .record ? RecordCommand._dumpHelp() : BroadcastCommand._dumpHelp()
        let declaration = try JSONDecoder().decode(Declaration.self, from: Data(text.utf8))
        let declared = declaration.command.arguments.compactMap { argument -> String? in
            let names = argument.names ?? []
            guard let long = names.first(where: { $0.kind == "long" })?.name, long != "help" else { return nil }
            let kind = argument.kind == "flag" ? "flag" : argument.isRepeating ? "list" : "value"
            return [long, kind, names.first { $0.kind == "short" }?.name ?? "-"].joined(separator: " ")
        }
        let options = command.keys.filter { if case .label = $0.use { false } else { true } }
        let keys = options.map { "\($0.name) \($0.kind) \($0.short ?? "-")" }
        #expect(Set(declared) == Set(keys))
        #expect(declared.count == keys.count)
        let names = Set(command.keys.map(\.name))
        for key in command.keys {
            if case .with(let needed) = key.use { #expect(names.isSuperset(of: needed), "\(key.name)") }
            #expect(names.isSuperset(of: key.rivals), "\(key.name)")
        }
    }
}
