// The broadcast command's options together.
import ArgumentParser
import CoreTesting
import KineMedia
import KinePlatform
import KineServices
import SystemPackage
import Testing

@testable import KinecastCommand

@Suite(.tags(.long)) struct BroadcastOptionsTests {
    func parse(_ arguments: String...) throws -> BroadcastCommand {
        try #require(try RootCommand.parseAsRoot(["broadcast"] + arguments) as? BroadcastCommand)
    }

    func plan(_ command: BroadcastCommand) throws -> DestinationPlan {
        let reader = DestinationReader(
            environment: { $0 == "KEYED" ? "rtmp://v/app/key" : nil }, path: { FilePath($0) }, standardInput: { "" })
        return try command.destinations.plan(reader: reader) { $0.hasPrefix("/") ? $0 : "/here/\($0)" }
    }

    @Test func `no option is the whole screen on the live page, with a keyframe every two seconds and no file`() throws
    {
        let command = try parse()
        var expected = TakeConfiguration(source: .screen(monitor: nil), output: nil)
        expected.video.keyframeInterval = .seconds(2)
        #expect(try command.takeConfiguration(output: nil, destinations: []) == expected)
        #expect(command.out == nil)
        #expect(try plan(command).services.isEmpty)
    }

    @Test func `the options of a recording are those of a broadcast`() throws {
        let command = try parse(
            "--virtual", "800x600", "--fps", "60", "--bitrate", "4M", "--mic", "usb", "--duration", "1m", "--record",
            "a.mp4",
            "--overwrite", "--", "xterm", "--to", "x")
        let live = TakeConfiguration.Destination(service: "live", label: "live")
        let configuration = try command.takeConfiguration(output: "/a.mp4", destinations: [live])
        #expect(configuration.source == .virtual(PixelSize(width: 800, height: 600)))
        #expect(configuration.video.framesPerSecond == 60)
        #expect(configuration.video.rateControl == .averageBitrate(4_000_000))
        #expect(configuration.audio.microphone == .named("usb"))
        #expect(configuration.durationLimit == .seconds(60))
        #expect(configuration.output == "/a.mp4" && configuration.overwrite)
        #expect(configuration.destinations == [live])
        #expect(command.options.command == ["xterm", "--to", "x"])
    }

    @Test func `the recording has a name or a directory`() throws {
        #expect(try parse("--record", ".").out == ".")
        #expect(try parse("-o", "a.mp4").out == "a.mp4")
    }

    @Test func `destinations may be several, and their settings too`() throws {
        let plan = try plan(
            parse("--to", "rtmp://a/b/c", "--service", "live", "--to", "rtmp://d/e/f", "--set", "a=b", "--set", "c=d"))
        #expect(plan.addresses.map(\.text) == ["rtmp://a/b/c", "rtmp://d/e/f"])
        #expect(plan.services == ["live"])
        #expect(plan.settings.map(\.key) == ["a", "c"])
    }

    @Test func `address, certificate and title are the live page's settings`() throws {
        let plan = try plan(
            parse("--listen", "0.0.0.0:8443", "--tls-cert", "c.pem", "--tls-key", "/k.pem", "--title", "Show"))
        #expect(
            plan.settings == [
                Setting(key: "live.listen", value: "0.0.0.0:8443"), Setting(key: "live.title", value: "Show"),
                Setting(key: "live.tls-cert", value: "/here/c.pem"), Setting(key: "live.tls-key", value: "/k.pem"),
            ])
    }

    @Test func `the public address and the players' link are the live page's settings`() throws {
        let plan = try plan(parse("--public-url", "https://live.example.org/a", "--player-link"))
        #expect(
            plan.settings == [
                Setting(key: "live.public-url", value: "https://live.example.org/a"),
                Setting(key: "live.player-link", value: "yes"),
            ])
        #expect(try plan.destinations(among: BuiltInServices.manifests)[0].setupInfo["player-link"] == "yes")
        for option in [["--public-url", "https://a/"], ["--player-link"]] {
            #expect(throws: (any Error).self) {
                try RootCommand.parseAsRoot(["broadcast", "--to", "rtmp://a/b/c"] + option)
            }
        }
    }

    @Test func `a key that is typed is warned about once, one that is named or in a variable is not`() throws {
        let typed = try parse("--to", "rtmp://a/b/hush", "--to", "rtmp://c/d/hush").destinations.choice
            .typedKeyWarning()
        #expect(typed?.contains("--to @NAME") == true && typed?.contains("hush") == false)
        for to in ["@youtube", "env:KEYED", "witness://here"] {
            #expect(try parse("--to", to).destinations.choice.typedKeyWarning() == nil)
        }
        #expect(try parse().destinations.choice.typedKeyWarning() == nil)
        #expect(try parse("--to", "rtmp://a/b", "--stream-key-file", "f").destinations.choice.typedKeyWarning() == nil)
    }

    @Test
    func `reconnects, certificates and the least bitrate are the settings of RTMP, wherever the address comes from`()
        throws
    {
        for to in ["rtmp://a/b/c", "rtmps://a/b/c", "env:KEYED"] {
            let plan = try plan(
                parse("--to", to, "--max-reconnects", "0", "--ca-file", "ca.pem", "--min-bitrate", "1.5M"))
            #expect(
                plan.settings == [
                    Setting(key: "rtmp.max-reconnects", value: "0"),
                    Setting(key: "rtmp.ca-file", value: "/here/ca.pem"),
                    Setting(key: "rtmp.min-bitrate", value: "1500000"),
                ])
            let destinations = try plan.destinations(among: BuiltInServices.manifests)
            #expect(destinations.map(\.service) == ["rtmp"])
            #expect(destinations[0].setupInfo["max-reconnects"] == "0")
            #expect(destinations[0].setupInfo["min-bitrate"] == "1500000")
        }
        let error = #expect(throws: CommandFailure.self) {
            try plan(parse("--service", "live", "--max-reconnects", "2"))
        }
        #expect(error?.status == ExitStatus.usage)
    }

    private func video(_ arguments: String...) throws -> TakeConfiguration.Video {
        let command = try #require(try RootCommand.parseAsRoot(["broadcast"] + arguments) as? BroadcastCommand)
        let destinations = try plan(command).destinations(among: BuiltInServices.manifests)
        return try command.takeConfiguration(output: "/a.mp4", destinations: destinations).video
    }

    @Test func `the most and the least bitrate are the take's, whatever its destinations are`() throws {
        let plain = try video("--to", "rtmp://a/b/c")
        #expect(plain.maximumBitrate == nil && plain.minimumBitrate == 400_000)
        #expect(plain.keepsRecordingQuality && !plain.isRateChosen)
        #expect(try video("--to", "rtmp://a/b/c", "--preset", "slow").preset == .slow)
        let page = try video("--min-bitrate", "100k", "--max-bitrate", "2M")
        #expect(page.maximumBitrate == 2_000_000 && page.minimumBitrate == 100_000)
        // A destination's own setting counts where there is no option.
        #expect(try video("--to", "rtmp://a/b/c", "--set", "rtmp.min-bitrate=200k").minimumBitrate == 200_000)
        #expect(
            try video("--to", "rtmp://a/b/c", "--set", "rtmp.min-bitrate=200k", "--min-bitrate", "300k")
                .minimumBitrate == 300_000)
    }

    @Test func `a recording keeps its quality unless the encode is shared`() throws {
        #expect(try !video("--record", ".", "--share-encode").keepsRecordingQuality)
        #expect(try video("--record", ".", "--quality", "18").isRateChosen)
        #expect(try video("--record", ".", "--bitrate", "8M").isRateChosen)
        #expect(try video("--record", ".", "--settings", "replaykit").isRateChosen)
    }

    @Test(arguments: [
        ("8080", "127.0.0.1:8080"), (":8080", "127.0.0.1:8080"), ("0.0.0.0:0", "0.0.0.0:0"), ("[::1]:80", "[::1]:80"),
        ("localhost:80", "localhost:80"), ("host", "host:0"), ("[::1]", "[::1]:0"),
    ])
    func `where to listen is an address, a port or both, as the setting has it`(text: String, listen: String) {
        #expect(ListenOption(argument: text)?.address.description == listen)
    }

    @Test(arguments: ["", ":", "host:", "host:65536", "65536", "host:-1", "::1:80", "[::1", "a b:80", "host:٣"])
    func `what is no place to listen is refused`(text: String) {
        #expect(ListenOption(argument: text) == nil)
    }

    @Test(arguments: [
        ["--to", "nonsense"], ["--set", "nonsense"], ["--set", "=x"], ["--tls-cert", "c.pem"], ["--tls-key", "k.pem"],
        ["--listen", "here:"], ["--listen", "here:8080"], ["--to", "rtmp://a/b/c", "--listen", "8080"],
        ["--service", "x", "--tls-cert", "c", "--tls-key", "k"], ["--service", "x", "--title", "t"],
        ["--to", "@"], ["--to", "@a b"], ["--to", "env:"], ["--to", "env:A=B"], ["--to-file", ""],
        ["--to-file", "-", "--to-file", "-"], ["--check"], ["--check", "--to", "rtmp://a/b/c", "--record", "."],
        ["--check", "--to", "rtmp://a/b/c", "--", "true"], ["--to", "rtmp://a/b/c", "--max-reconnects", "-1"],
        ["--to", "rtmp://a/b/c", "--min-bitrate", "fast"], ["--to", "rtmp://a/b/c", "--ca-file", ""],
        ["--stream-key-file", ""],
        ["--to", "rtmp://a/b/c", "--bitrate", "1M", "--min-bitrate", "2M"], ["--share-encode"],
        ["--max-bitrate", "1M", "--min-bitrate", "2M"], ["--max-bitrate", "much"],
        ["out.mp4"], ["--record", ""], ["--record"], ["--overwrite"], ["--faststart"],
        ["--monitor", "a", "--pattern", "640x480"],
    ])
    func `what contradicts itself is wrong usage, 64`(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["broadcast"] + arguments) }
        if let error { #expect(RootCommand.exitCode(for: error).rawValue == ExitStatus.usage) }
    }

    @Test(arguments: [["--to", "hush"], ["--set", "hush"]])
    func `no refusal repeats what may be a secret`(arguments: [String]) throws {
        let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["broadcast"] + arguments) }
        #expect(!RootCommand.message(for: try #require(error)).contains("hush"))
    }

    @Test func `annotate takes a take's id where there is one, and pairs`() throws {
        func parse(_ words: String...) throws -> (take: String?, information: [String: String]) {
            try #require(try RootCommand.parseAsRoot(["annotate"] + words) as? AnnotateCommand).parsed()
        }
        #expect(try parse("title=a=b", "x=").information == ["title": "a=b", "x": ""])
        #expect(try parse("title=a").take == nil)
        #expect(try parse("abc", "title=a").take == "abc")
        for words in [[], ["abc"], ["abc", "def"], ["=a"], ["a=b", "c"]] {
            #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["annotate"] + words) }
        }
    }
}
