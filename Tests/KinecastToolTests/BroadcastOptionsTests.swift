// The broadcast command's options together.
import ArgumentParser
import KineMedia
import KineRelay
import SystemPackage
import Testing

@testable import kinecast

@Suite struct BroadcastOptionsTests {
    func parse(_ arguments: String...) throws -> BroadcastCommand {
        try #require(try Kinecast.parseAsRoot(["broadcast"] + arguments) as? BroadcastCommand)
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
            "--virtual", "800x600", "--fps", "60", "--bitrate", "4M", "--mic", "usb", "--for", "1m", "--record",
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

    @Test func `the recording's name may be left out`() throws {
        #expect(try parse("--record").out == ".")
        #expect(try parse("--record", "--fps", "3").out == ".")
        #expect(try parse("--record", "a.mp4").out == "a.mp4")
    }

    @Test func `destinations may be several, and their settings too`() throws {
        let plan = try plan(
            parse("--to", "rtmp://a/b/c", "--service", "live", "--to", "rtmp://d/e/f", "--set", "a=b", "--set", "c=d"))
        #expect(plan.addresses.map(\.text) == ["rtmp://a/b/c", "rtmp://d/e/f"])
        #expect(plan.services == ["live"])
        #expect(plan.settings.map(\.key) == ["a", "c"])
    }

    @Test func `listen, cert and key are the live page's settings`() throws {
        let plan = try plan(parse("--listen", "0.0.0.0:8443", "--cert", "c.pem", "--key", "/k.pem"))
        #expect(
            plan.settings == [
                Setting(key: "live.listen", value: "0.0.0.0:8443"), Setting(key: "live.cert", value: "/here/c.pem"),
                Setting(key: "live.key", value: "/k.pem"),
            ])
    }

    @Test func `retry, ca and min-bitrate are the settings of RTMP, wherever the address comes from`() throws {
        for to in ["rtmp://a/b/c", "rtmps://a/b/c", "env:KEYED"] {
            let plan = try plan(parse("--to", to, "--retry", "0", "--ca", "ca.pem", "--min-bitrate", "1.5M"))
            #expect(
                plan.settings == [
                    Setting(key: "rtmp.retry", value: "0"), Setting(key: "rtmp.ca", value: "/here/ca.pem"),
                    Setting(key: "rtmp.min-bitrate", value: "1500000"),
                ])
            let destinations = try plan.destinations(among: BuiltInServices.manifests)
            #expect(destinations.map(\.service) == ["rtmp"])
            #expect(destinations[0].setupInfo["retry"] == "0" && destinations[0].setupInfo["min-bitrate"] == "1500000")
        }
        let error = #expect(throws: CommandFailure.self) { try plan(parse("--service", "live", "--retry", "2")) }
        #expect(error?.status == ExitStatus.usage)
    }

    @Test(arguments: [
        ("8080", "127.0.0.1:8080"), (":8080", "127.0.0.1:8080"), ("0.0.0.0:0", "0.0.0.0:0"), ("[::1]:80", "[::1]:80"),
        ("localhost:80", "localhost:80"),
    ])
    func `where to listen is an address and a port, or a port of this machine`(text: String, listen: String) {
        #expect(ListenOption(argument: text)?.description == listen)
    }

    @Test(arguments: ["", ":", "host", "host:", "host:65536", "host:-1", "::1:80", "[::1]", "a b:80", "host:٣"])
    func `what is no place to listen is refused`(text: String) {
        #expect(ListenOption(argument: text) == nil)
    }

    @Test(arguments: [
        ["--to", "nonsense"], ["--set", "nonsense"], ["--set", "=x"], ["--cert", "c.pem"], ["--key", "k.pem"],
        ["--listen", "here"], ["--to", "rtmp://a/b/c", "--listen", "8080"],
        ["--service", "x", "--cert", "c", "--key", "k"],
        ["--to", "@"], ["--to", "@a b"], ["--to", "env:"], ["--to", "env:A=B"], ["--to-file", ""],
        ["--to-file", "-", "--to-file", "-"], ["--test"], ["--test", "--to", "rtmp://a/b/c", "--record"],
        ["--test", "--to", "rtmp://a/b/c", "--", "true"], ["--to", "rtmp://a/b/c", "--retry", "-1"],
        ["--to", "rtmp://a/b/c", "--min-bitrate", "fast"], ["--to", "rtmp://a/b/c", "--ca", ""],
        ["--to", "rtmp://a/b/c", "--bitrate", "1M", "--min-bitrate", "2M"],
        ["out.mp4"], ["--record", ""], ["--overwrite"], ["--faststart"], ["--screen", "a", "--pattern"],
    ])
    func `what contradicts itself is wrong usage, 64`(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try Kinecast.parseAsRoot(["broadcast"] + arguments) }
        if let error { #expect(Kinecast.exitCode(for: error).rawValue == ExitStatus.usage) }
    }

    @Test(arguments: [["--to", "hush"], ["--set", "hush"]])
    func `no refusal repeats what may be a secret`(arguments: [String]) throws {
        let error = #expect(throws: (any Error).self) { try Kinecast.parseAsRoot(["broadcast"] + arguments) }
        #expect(!Kinecast.message(for: try #require(error)).contains("hush"))
    }

    @Test func `annotate takes a take's id where there is one, and pairs`() throws {
        func parse(_ words: String...) throws -> (take: String?, information: [String: String]) {
            try #require(try Kinecast.parseAsRoot(["annotate"] + words) as? AnnotateCommand).parsed()
        }
        #expect(try parse("title=a=b", "x=").information == ["title": "a=b", "x": ""])
        #expect(try parse("title=a").take == nil)
        #expect(try parse("abc", "title=a").take == "abc")
        for words in [[], ["abc"], ["abc", "def"], ["=a"], ["a=b", "c"]] {
            #expect(throws: (any Error).self) { try Kinecast.parseAsRoot(["annotate"] + words) }
        }
    }
}
