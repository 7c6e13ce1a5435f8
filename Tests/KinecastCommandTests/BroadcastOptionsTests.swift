// The broadcast command's options together.
import ArgumentParser
import CoreTesting
import KineChoices
import KineMedia
import KinePlatform
import KineProgram
import KineServices
import SystemPackage
import Testing

@testable import KinecastCommand

@Suite(.tags(.long)) struct BroadcastOptionsTests {
    func parse(_ arguments: String...) throws -> BroadcastCommand {
        try #require(try RootCommand.parseAsRoot(["broadcast"] + arguments) as? BroadcastCommand)
    }

    /// The options of destinations alone, which are read sooner than all of the command's.
    func plan(_ arguments: String...) throws -> DestinationPlan { try plan(DestinationOptions.parse(arguments)) }

    func plan(_ options: DestinationOptions) throws -> DestinationPlan {
        let reader = DestinationReader(
            environment: { $0 == "KEYED" ? "rtmp://v/app/key" : nil }, path: { FilePath($0) }, standardInput: { "" })
        return try options.plan(reader: reader) { $0.hasPrefix("/") ? $0 : "/here/\($0)" }
    }

    /// Expects each of these to be wrong usage, 64.
    private func expectUsage<Options: ParsableArguments>(_ options: Options.Type, _ refused: [[String]]) {
        for arguments in refused {
            let error = #expect(throws: (any Error).self, "\(arguments)") { try Options.parse(arguments) }
            if let error { #expect(Options.exitCode(for: error).rawValue == ExitStatus.usage) }
        }
    }

    @Test func `no option is the whole screen on the live page, with a keyframe every two seconds and no file`() throws
    {
        let command = try parse()
        var expected = TakeConfiguration(source: .screen(monitor: nil), output: nil)
        expected.video.keyframeInterval = .seconds(2)
        expected.video.recordsInput = true
        #expect(try command.takeConfiguration(output: nil, destinations: []) == expected)
        #expect(command.out == nil)
        #expect(try plan(command.destinations).services.isEmpty)
    }

    @Test func `the options of a recording are those of a broadcast`() throws {
        let command = try parse(
            "--virtual", "800x600", "--fps", "60", "--bitrate", "4M", "--mic", "usb", "--duration", "1m", "--preset",
            "slow", "--record", "a.mp4", "--overwrite", "--", "xterm", "--to", "x")
        #expect(command.out == "a.mp4")
        let live = TakeConfiguration.Destination(service: "live", label: "live")
        let configuration = try command.takeConfiguration(output: "/a.mp4", destinations: [live])
        #expect(configuration.source == .virtual(PixelSize(width: 800, height: 600)))
        #expect(configuration.video.framesPerSecond == 60 && configuration.video.preset == .slow)
        #expect(configuration.video.rateControl == .averageBitrate(4_000_000))
        #expect(configuration.audio.microphone == .named("usb"))
        #expect(configuration.durationLimit == .seconds(60))
        #expect(configuration.output == "/a.mp4" && configuration.overwrite)
        #expect(configuration.destinations == [live])
        #expect(command.options.command == ["xterm", "--to", "x"])
    }

    @Test func `destinations may be several, and their settings too`() throws {
        let plan = try plan(
            "--to", "rtmp://a/b/c", "--service", "live", "--to", "rtmp://d/e/f", "--set", "a=b", "--set", "c=d")
        #expect(plan.addresses.map(\.text) == ["rtmp://a/b/c", "rtmp://d/e/f"])
        #expect(plan.services == ["live"])
        #expect(plan.settings.map(\.key) == ["a", "c"])
    }

    @Test func `address, certificate and title are the live page's settings`() throws {
        let plan = try plan(
            "--listen", "0.0.0.0:8443", "--tls-cert", "c.pem", "--tls-key", "/k.pem", "--title", "Show")
        #expect(
            plan.settings == [
                Setting(key: "live.listen", value: "0.0.0.0:8443"),
                Setting(key: "live.tls-cert", value: "/here/c.pem"), Setting(key: "live.tls-key", value: "/k.pem"),
                Setting(key: "live.title", value: "Show"),
            ])
    }

    @Test func `the public address and the players' link are the live page's settings`() throws {
        let plan = try plan("--public-url", "https://live.example.org/a", "--player-link")
        #expect(
            plan.settings == [
                Setting(key: "live.public-url", value: "https://live.example.org/a"),
                Setting(key: "live.player-link", value: "yes"),
            ])
        #expect(try plan.destinations(among: BuiltInServices.manifests)[0].setupInfo["player-link"] == "yes")
        let address = ["--to", "rtmp://a/b/c"]
        expectUsage(DestinationOptions.self, [address + ["--public-url", "https://a/"], address + ["--player-link"]])
    }

    @Test func `a key that is typed is warned about once, one that is named or in a variable is not`() throws {
        func warning(_ arguments: String...) throws -> String? {
            try DestinationChoice.parse(arguments).typedKeyWarning()
        }
        let typed = try warning("--to", "rtmp://a/b/hush", "--to", "rtmp://c/d/hush")
        #expect(typed?.contains("--to @NAME") == true && typed?.contains("hush") == false)
        for to in ["@youtube", "env:KEYED", "witness://here"] { #expect(try warning("--to", to) == nil) }
        #expect(try warning() == nil)
        #expect(try warning("--to", "rtmp://a/b", "--stream-key-file", "f") == nil)
    }

    @Test
    func `reconnects, certificates and the least bitrate are the settings of RTMP, wherever the address comes from`()
        throws
    {
        for to in ["rtmp://a/b/c", "rtmps://a/b/c", "env:KEYED"] {
            let plan = try plan(
                "--to", to, "--max-reconnects", "0", "--ca-file", "ca.pem", "--min-bitrate", "1.5M")
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
        #expect(
            try plan("--service", "twitch", "--max-reconnects", "2").settings
                == [Setting(key: "twitch.max-reconnects", value: "2")])
        let error = #expect(throws: CommandFailure.self) { try plan("--service", "live", "--max-reconnects", "2") }
        #expect(error?.status == ExitStatus.usage)
    }

    @Test func `every option of the table is a setting of its services, and names a file where that does`() {
        for row in DestinationSetting.all {
            for service in row.owner.services {
                let field = service.setup.first { $0.key == row.name }
                #expect(field?.isFile == (row.files != nil), "--\(row.name) of \(service.id)")
            }
        }
    }

    @Test func `the options of services that are not among the destinations are refused in one sentence`() throws {
        let error = #expect(throws: (any Error).self) {
            try DestinationOptions.parse(["--service", "x", "--title", "t"])
        }
        #expect(
            DestinationOptions.message(for: try #require(error))
                == "--listen, --tls-cert, --tls-key, --title, --public-url and --player-link are for the live page, which is "
                + "not among the destinations; add --service live.")
        let failure = #expect(throws: CommandFailure.self) { try plan("--service", "live", "--ca-file", "c") }
        #expect(
            failure?.message == "--max-reconnects and --ca-file are for RTMP, which is not among the destinations; "
                + "add --to rtmp://HOST/APP/KEY.")
        // It limits the encoder of any broadcast.
        #expect(try plan("--min-bitrate", "1M").settings == [])
    }

    private func video(_ arguments: String...) throws -> TakeConfiguration.Video {
        let command = try #require(try RootCommand.parseAsRoot(["broadcast"] + arguments) as? BroadcastCommand)
        let destinations = try plan(command.destinations).destinations(among: BuiltInServices.manifests)
        return try command.takeConfiguration(output: "/a.mp4", destinations: destinations).video
    }

    @Test func `the most and the least bitrate are the take's, whatever its destinations are`() throws {
        let plain = try video("--to", "rtmp://a/b/c")
        #expect(plain.maximumBitrate == nil && plain.minimumBitrate == 400_000)
        #expect(plain.keepsRecordingQuality && !plain.isRateChosen)
        let page = try video("--min-bitrate", "100k", "--max-bitrate", "2M")
        #expect(page.maximumBitrate == 2_000_000 && page.minimumBitrate == 100_000)
        // A destination's own setting counts where there is no option.
        func least(_ arguments: String...) throws -> Int {
            let options = try DestinationOptions.parse(["--to", "rtmp://a/b/c"] + arguments)
            return options.minimumBitrate(try plan(options).destinations(among: BuiltInServices.manifests))
        }
        #expect(try least("--set", "rtmp.min-bitrate=200k") == 200_000)
        #expect(try least("--set", "rtmp.min-bitrate=200k", "--min-bitrate", "300k") == 300_000)
    }

    @Test func `a recording keeps its quality unless the encode is shared`() throws {
        #expect(try !video("-o", ".", "--share-encode").keepsRecordingQuality)
        for options in [["--quality", "18"], ["--bitrate", "8M"], ["--settings", "replaykit"]] {
            var configuration = TakeConfiguration(source: .screen(monitor: nil), output: nil)
            try EncodingOptions.parse(options).apply(to: &configuration)
            #expect(configuration.video.isRateChosen, "\(options)")
        }
    }

    @Test func `what contradicts itself is wrong usage, 64`() {
        let address = ["--to", "rtmp://a/b/c"]
        expectUsage(
            DestinationChoice.self,
            [
                ["--to", "nonsense"], ["--set", "nonsense"], ["--set", "=x"], ["--to", "@"], ["--to", "@a b"],
                ["--to", "env:"], ["--to", "env:A=B"], ["--to-file", ""], ["--to-file", "-", "--to-file", "-"],
                ["--stream-key-file", ""],
            ])
        expectUsage(
            DestinationOptions.self,
            [
                ["--tls-cert", "c.pem"], ["--tls-key", "k.pem"], ["--listen", ""], ["--listen", "here:"],
                ["--listen", "here:8080"], address + ["--listen", "8080"], ["--service", "x", "--title", "t"],
                ["--service", "x", "--tls-cert", "c", "--tls-key", "k"], ["--check"],
                address + ["--max-reconnects", "-1"], address + ["--min-bitrate", "fast"],
                address + ["--ca-file", ""], ["--max-bitrate", "1M", "--min-bitrate", "2M"], ["--max-bitrate", "much"],
            ])
        expectUsage(
            BroadcastCommand.self,
            [
                address + ["--check", "--record", "."], address + ["--check", "--", "true"],
                address + ["--bitrate", "1M", "--min-bitrate", "2M"], ["--share-encode"], ["out.mp4"],
                ["--record", ""], ["--record"], ["--overwrite"], ["--faststart"],
                ["--monitor", "a", "--pattern", "640x480"], ["--window", "command"],
            ])
    }

    @Test(arguments: [["--to", "hush"], ["--set", "hush"]])
    func `no refusal repeats what may be a secret`(arguments: [String]) throws {
        let error = #expect(throws: (any Error).self) { try DestinationChoice.parse(arguments) }
        #expect(!DestinationChoice.message(for: try #require(error)).contains("hush"))
    }

    @Test func `annotate takes a take's id where there is one, and pairs`() throws {
        func parse(_ words: String...) throws -> (take: String?, information: [String: String]) {
            try AnnotateCommand.parse(words).parsed()
        }
        #expect(try parse("title=a=b", "x=").information == ["title": "a=b", "x": ""])
        #expect(try parse("title=a").take == nil)
        #expect(try parse("abc", "title=a").take == "abc")
        for words in [[], ["abc"], ["abc", "def"], ["=a"], ["a=b", "c"]] {
            #expect(throws: (any Error).self) { try AnnotateCommand.parse(words) }
        }
    }
}
