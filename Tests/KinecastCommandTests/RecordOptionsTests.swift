// The record command's options together: what the engine is asked for, and which combinations are refused.
import ArgumentParser
import CoreTesting
import KineMedia
import KinePlatform
import Testing

@testable import KinecastCommand

@Suite(.tags(.long)) struct RecordOptionsTests {
    func parse(_ arguments: String...) throws -> RecordCommand {
        try #require(try RootCommand.parseAsRoot(["record"] + arguments) as? RecordCommand)
    }

    func configuration(_ arguments: String...) throws -> TakeConfiguration { try configuration(arguments) }

    func configuration(_ arguments: [String]) throws -> TakeConfiguration {
        let command = try #require(try RootCommand.parseAsRoot(["record"] + arguments) as? RecordCommand)
        return try command.takeConfiguration(output: "/tmp/out.mp4")
    }

    /// Options of one group, which `record` and `broadcast` have in common. Reading all of a command's takes many times as long.
    private func source(_ arguments: String..., hasCommand: Bool = false) throws -> TakeConfiguration.Source {
        try SourceOptions.parse(arguments).source(hasCommand: hasCommand)
    }

    /// Expects each of these to be wrong usage, 64.
    private func expectUsage<Options: ParsableArguments>(_ options: Options.Type, _ refused: [[String]]) {
        for arguments in refused {
            let error = #expect(throws: (any Error).self, "\(arguments)") { try Options.parse(arguments) }
            if let error { #expect(Options.exitCode(for: error).rawValue == ExitStatus.usage) }
        }
    }

    @Test func `no option is the whole screen with what audio there is`() throws {
        var expected = TakeConfiguration(source: .screen(monitor: nil), output: "/tmp/out.mp4")
        expected.video.recordsInput = true
        #expect(try configuration() == expected)
        #expect(try !configuration("--no-input-track").video.recordsInput)
    }

    @Test func `each source option is its source`() throws {
        #expect(try source("--monitor", "eDP-1") == .screen(monitor: "eDP-1"))
        #expect(
            try source("--region", "640x480+1+2") == .region(PixelRect(x: 1, y: 2, width: 640, height: 480)))
        #expect(try source("--region", "draw") == .drawnRegion)
        let switched = try #require(try RootCommand.parseAsRoot(["switch", "--region", "draw"]) as? SwitchCommand)
        #expect(try switched.display.part() == .drawnRegion)
        #expect(try source("--monitor", "all") == .screen(monitor: nil))
        #expect(try source("--window", "0x10") == .window(16))
        #expect(try source("--window", "focused") == .focusedWindow)
        #expect(try source("--window", "title:Über uns") == .windowTitled("Über uns"))
        #expect(try source("--window", "ask") == .chosenWindow)
        let chosen = try #require(try RootCommand.parseAsRoot(["switch", "--window", "ask"]) as? SwitchCommand)
        #expect(try chosen.display.part() == .chosenWindow)
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["switch", "--window", "command"]) }
        #expect(try source("--app", "gimp") == .application("gimp", monitor: nil))
        #expect(try source("--app", "gimp", "--monitor", "all") == .application("gimp", monitor: nil))
        let onOne = try configuration("--monitor", "DP-1", "--app", "gimp", "--exclude", "title:Mail")
        #expect(onOne.source == .application("gimp", monitor: "DP-1"))
        #expect(onOne.video.excludedWindows == [.titled("Mail")])
        #expect(
            try SourceOptions.parse(["--exclude", "0x10", "--exclude", "title:Mail", "--exclude", "app:KeePassXC"])
                .exclude.map(\.rule) == [.id(16), .titled("Mail"), .application("KeePassXC")])
        #expect(
            try SourceOptions.parse(["--exclude", "process:77", "--exclude", "window:0x20", "--exclude", "above:33"])
                .exclude.map(\.rule) == [.process(77), .id(32), .above(33)])
        #expect(onOne.video.excludeHow == .cover)
        #expect(try configuration("--exclude-how", "beneath").video.excludeHow == .beneath)
        #expect(try configuration("--window", "7", "--exclude", "none").video.excludedWindows.isEmpty)
        #expect(try source("--virtual", "800x600") == .virtual(PixelSize(width: 800, height: 600)))
        #expect(try source("--pattern", "640x480") == .pattern(PixelSize(width: 640, height: 480)))
    }

    @Test func `with a command, a window that is named is waited for, on a private screen as well`() throws {
        typealias Window = TakeConfiguration.CommandWindow
        let screen = PixelSize(width: 800, height: 600)
        for (options, window) in [
            (["--window", "title:Über"], Window(.titled("Über"))), (["--window", "command"], Window(.first)),
            (["--app", "mine", "--monitor", "DP-1"], Window(.application("mine", monitor: "DP-1"))),
            (["--virtual", "800x600", "--window", "title:a"], Window(.titled("a"), privateScreen: screen)),
            (["--window", "command", "--virtual", "800x600"], Window(.first, privateScreen: screen)),
            (["--virtual", "800x600", "--app", "a"], Window(.application("a", monitor: nil), privateScreen: screen)),
            (["--window", "command", "--wait", "1m"], Window(.first, limit: .seconds(60))),
        ] {
            #expect(try SourceOptions.parse(options).source(hasCommand: true) == .commandWindow(window), "\(options)")
        }
        let whole = ["--window", "command", "--virtual", "800x600", "--", "mine"]
        #expect(try configuration(whole).source == .commandWindow(Window(.first, privateScreen: screen)))
        #expect(try broadcast(whole).source == .commandWindow(Window(.first, privateScreen: screen)))
        #expect(throws: Never.self) { try source("--app", "a", "--exclude", "title:b", hasCommand: true) }
        // Other windows are there before it.
        #expect(try source("--window", "0x10", hasCommand: true) == .window(16))
        #expect(try source("--window", "focused", hasCommand: true) == .focusedWindow)
    }

    private func broadcast(_ arguments: [String]) throws -> TakeConfiguration {
        let command = try #require(try RootCommand.parseAsRoot(["broadcast"] + arguments) as? BroadcastCommand)
        return try command.takeConfiguration(output: nil, destinations: [])
    }

    @Test(arguments: [
        (["--window", "command"], false, "add -- COMMAND"),
        (["--virtual", "800x600", "--window", "title:a"], false, "add -- COMMAND"),
        (["--virtual", "800x600", "--app", "a"], false, "add -- COMMAND"),
        (["--virtual", "wayland:800x600", "--window", "command"], true, "Wayland"),
        (["--virtual", "800x600", "--window", "16"], true, "Only one source"),
        (["--pattern", "800x600", "--window", "command"], true, "Only one source"),
        (["--window", "command", "--exclude", "title:a"], true, "--exclude is for a screen"),
        (["--wait", "5"], true, "--wait is for"), (["--wait", "5", "--window", "title:a"], false, "--wait is for"),
        (["--wait", "0", "--window", "command"], true, "give"),
    ])
    func `a window of a command that cannot be is refused in words`(
        options: [String], hasCommand: Bool, words: String
    ) {
        let error = #expect(throws: (any Error).self) {
            try SourceOptions.parse(options).source(hasCommand: hasCommand)
        }
        #expect(error.map { SourceOptions.message(for: $0).contains(words) } == true, "\(options)")
    }

    private func camera(_ arguments: String...) throws -> TakeConfiguration.Camera? {
        var configuration = TakeConfiguration(source: .screen(monitor: nil), output: nil)
        try CameraOptions.parse(arguments).apply(to: &configuration)
        return configuration.video.camera
    }

    @Test func `a camera has a place and looks`() throws {
        #expect(try camera() == nil)
        #expect(try camera("--camera", "none", "--camera-size", "0.4") == nil, "whatever is configured")
        #expect(try camera("--camera", "default") == TakeConfiguration.Camera())
        let all = try camera(
            "--camera", "HD Webcam", "--camera-at", "0.1,0.9", "--camera-size", "0.4", "--camera-shape", "circle",
            "--camera-mirror", "--camera-border", "ff8000,0.05")
        #expect(
            all
                == TakeConfiguration.Camera(
                    device: "HD Webcam",
                    layout: CameraLayout(
                        x: 0.1, y: 0.9, size: 0.4, shape: .circle, isMirrored: true,
                        border: .init(width: 0.05, colour: 0xff8000))))
        #expect(try camera("--camera", "pattern", "--camera-at", "top-left")?.layout.x == 0)
        let relative = try #require(try camera("--camera", "./a.mp4")?.device)
        #expect(relative.hasPrefix("/") && relative.hasSuffix("/a.mp4") && !relative.contains("/./"))
        expectUsage(
            CameraOptions.self,
            [
                ["--camera-size", "0.4"], ["--camera", "default", "--camera-at", "2,0"],
                ["--camera", "default", "--camera-size", "0"], ["--camera", "default", "--camera-border", "red"],
                ["--camera", "default", "--camera-shape", "star"],
            ])
        expectUsage(CameraCommand.self, [["--off", "--size", "0.5"]])
    }

    @Test func `chroma and range are the standard ones unless a recording asks for others`() throws {
        func colour(_ arguments: String...) throws -> ColourFormat { try ColourOptions.parse(arguments).colour }
        #expect(try colour() == .standard && colour("--chroma", "420") == .standard)
        #expect(try colour("--full-range") == ColourFormat(isFullRange: true))
        #expect(
            try colour("--full-range", "--chroma", "444") == ColourFormat(chroma: .yuv444, isFullRange: true))
        expectUsage(ColourOptions.self, [["--chroma", "422"]])
        #expect(throws: Never.self) { try RootCommand.parseAsRoot(["broadcast", "--chroma", "420"]) }
        for options in [["--full-range"], ["--chroma", "444", "--record", "a.mp4"]] {
            let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["broadcast"] + options) }
            let message = error.map { RootCommand.message(for: $0) }
            #expect(message?.contains("are for recordings alone") == true)
            #expect(error.map { RootCommand.exitCode(for: $0).rawValue } == ExitStatus.usage)
        }
        #expect(!BroadcastCommand.helpMessage().contains("--chroma"))
    }

    @Test func `the command is what stands after the two dashes, options and all`() throws {
        let command = try parse("out.mp4", "--virtual", "800x600", "--", "xterm", "-e", "top", "--fps", "3")
        #expect(command.outputName == "out.mp4")
        #expect(command.options.command == ["xterm", "-e", "top", "--fps", "3"])
        #expect(try parse("--virtual", "800x600", "--", "xterm").outputName == nil)
    }

    @Test func `a microphone is the default one or has a name`() throws {
        #expect(try AudioOptions.parse(["--mic", "default"]).mic == .defaultDevice)
        #expect(try AudioOptions.parse(["--mic", "usb"]).mic == .named("usb"))
    }

    @Test func `a clip buffer is a length of up to thirty minutes, and alone it needs no file`() throws {
        expectUsage(TakeOptions.self, [["--clip-buffer", "30m1s"], ["--clip-buffer", "0"]])
        let alone = try parse("--clip-buffer", "15s")
        #expect(try alone.outputPath() == nil)
        #expect(try alone.takeConfiguration(output: nil).output == nil)
        #expect(try parse("a.mp4", "--clip-buffer", "15s").outputPath() != nil)
        #expect(try parse().outputPath() != nil)
    }

    @Test func `a clip is asked of a take, with a length and a file, or all that is kept`() throws {
        let all = try #require(try RootCommand.parseAsRoot(["clip"]) as? ClipCommand)
        #expect(all.take == nil && all.duration == nil && all.output == nil && !all.overwrite && !all.json)
        let some = try #require(
            try RootCommand.parseAsRoot(["clip", "abc", "-t", "1m30s", "-o", "a.mp4", "--overwrite", "--json"])
                as? ClipCommand)
        #expect(some.take == "abc" && some.duration?.time == .seconds(90) && some.output == "a.mp4")
        #expect(some.overwrite && some.json)
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["clip", "-t", "0"]) }
    }

    @Test func `replaykit's settings are bitrate, keyframes and audio, and options beside them win`() throws {
        var settings = TakeConfiguration(source: .screen(monitor: nil), output: nil)
        try EncodingOptions.parse(["--settings", "replaykit"]).apply(to: &settings)
        #expect(settings.video.rateControl == .bitsPerSecondPerPixel(11.4))
        #expect(settings.video.keyframeFrames == 30)
        #expect([settings.audio.sampleRate, settings.audio.channels, settings.audio.bitrate] == [44100, 1, 64000])
        let changed = try configuration("--settings", "replaykit", "--bitrate", "4M", "--audio-bitrate", "96k")
        #expect(changed.video.rateControl == .averageBitrate(4_000_000))
        #expect(changed.video.keyframeFrames == 30)
        #expect(changed.audio.bitrate == 96000)
    }

    @Test func `a preset is the encoder's speed by x264's name, and the default is none of them`() throws {
        for preset in EncoderPreset.allCases {
            #expect(try EncodingOptions.parse(["--preset", preset.rawValue]).preset == preset)
        }
        #expect(try EncodingOptions.parse([]).preset == nil)
        let lines = try message(EncodingOptions.self, ["--preset", "quick"]).split(separator: "\n")
        #expect(lines.dropFirst() == EncoderPreset.allCases.map { "  - \($0)" }[...])
    }

    @Test func `what is typed often has a short name`() throws {
        let short = try parse("-t", "90", "-r", "12", "-a", "none", "-o", "a.mp4")
        let long = try parse("--duration", "1m30s", "--fps", "12", "--audio", "none", "--output", "a.mp4")
        let configuration = try short.takeConfiguration(output: nil)
        #expect(try long.takeConfiguration(output: nil) == configuration)
        #expect(configuration.durationLimit == .seconds(90))
        #expect(short.outputName == "a.mp4" && long.outputName == "a.mp4")
    }

    @Test func `every other option reaches the engine`() throws {
        let all = try configuration(
            "--fps", "60", "--size", "640x360", "--no-cursor", "--quality", "18", "--cfr", "--duration", "1m",
            "--overwrite",
            "--faststart", "--audio", "none", "--no-damage-optimization", "--no-skip-unchanged", "--no-macroblock-info",
            "--keyframe-interval", "3s", "--crop", "300x200+10+20", "--rotate", "270", "--camera", "pattern",
            "--full-range", "--show-clicks", "--clip-buffer", "30m", "--preset", "slow", "--mic", "usb", "--split",
            "2GB")
        #expect(all.split == .bytes(2_000_000_000))
        #expect(all.video.framesPerSecond == 60 && !all.video.isNTSCRate)
        #expect(all.video.camera?.device == "pattern" && all.video.colour.isFullRange && all.video.showsClicks)
        #expect(all.clipBuffer == .seconds(1800) && all.video.preset == .slow && all.audio.microphone == .named("usb"))
        var film = TakeConfiguration(source: .screen(monitor: nil), output: nil)
        try EncodingOptions.parse(["--fps", "23.976"]).apply(to: &film)
        #expect(film.video.framesPerSecond == 24 && film.video.isNTSCRate)
        #expect(all.video.crop == .part(PixelRect(x: 10, y: 20, width: 300, height: 200)))
        #expect(all.video.orientation == .left)
        #expect(all.video.size == PixelSize(width: 640, height: 360))
        #expect(!all.video.showsCursor)
        #expect(all.video.rateControl == .constantQuality(18))
        #expect(all.video.constantFrameRate)
        #expect(all.durationLimit == .seconds(60))
        #expect(all.video.keyframeInterval == .seconds(3))
        #expect(all.overwrite && all.fastStart)
        #expect(all.audio.app == TakeConfiguration.AppAudio.none)
        #expect(!all.optimizations.damage && !all.optimizations.skipUnchanged && !all.optimizations.macroblockInfo)
    }

    @Test func `the pointer is enlarged, and clicks and keys are shown, where that is asked for`() throws {
        func video(_ arguments: String...) throws -> TakeConfiguration.Video {
            var configuration = TakeConfiguration(source: .screen(monitor: nil), output: nil)
            try InputOptions.parse(arguments).apply(to: &configuration.video)
            return configuration.video
        }
        #expect(try video("--cursor-scale", "1.5").cursorScale == 1.5)
        #expect(try video("--cursor-scale", "8").cursorScale == 8)
        #expect(try video("--show-clicks", "--no-cursor").showsClicks)
        #expect(try video("--show-keys", "shortcuts").shownKeys == .shortcuts)
        #expect(try video("--show-keys", "all").shownKeys == .all)
        #expect(try video("--show-keys", "none").shownKeys == nil)
        let plain = try video()
        #expect(plain.cursorScale == 1 && !plain.showsClicks && plain.shownKeys == nil)
    }

    @Test func `what contradicts itself is wrong usage, 64`() {
        let monitors = ["--monitor", "a", "--pattern", "640x480"]
        expectUsage(
            RecordCommand.self,
            [monitors, ["--window", "command"], ["a.mp4", "-o", "b.mp4"], ["a.mp4", "b.mp4"], [""]])
        expectUsage(
            SourceOptions.self,
            [
                ["--pattern"], ["--window", "me"], ["--window", "title:"], ["--app", ""], ["--exclude", "app:"],
                ["--exclude", "focused"], ["--exclude", "process:0"], ["--exclude", "process:me"],
                ["--exclude", "window:title:a"], ["--exclude-how", "blur"], ["--region", "drawn"],
            ])
        expectUsage(
            InputOptions.self,
            [
                ["--cursor-scale", "0.9"], ["--cursor-scale", "8.1"], ["--cursor-scale", "nan"],
                ["--cursor-scale", "big"], ["--cursor-scale", "2", "--no-cursor"], ["--show-keys"],
                ["--show-keys", "letters"],
            ])
        expectUsage(
            AudioOptions.self,
            [
                ["--mic"], ["--separate-tracks"], ["--separate-tracks", "--mic", "default", "--audio", "none"],
                ["--audio-bitrate", "1k"],
            ])
        expectUsage(
            EncodingOptions.self,
            [
                ["--quality", "20", "--bitrate", "4M"], ["--quality", "52"], ["--quality", "-1"], ["--fps", "0"],
                ["--fps", "241"], ["--size", "641x360"], ["--settings", "obs"], ["--crop", "1"], ["--crop", "fill"],
                ["--rotate", "45"],
            ])
        expectUsage(TakeOptions.self, [["--duration", "0"]])
    }

    @Test(arguments: [
        ["--window", "1", "--region", "640x480+0+0"], ["--app", "a", "--window", "7"],
        ["--app", "a", "--virtual", "640x480"], ["--exclude", "app:a", "--window", "7"],
        ["--window", "ask", "--exclude", "title:Mail"], ["--region", "draw", "--virtual", "640x480"],
        ["--cursor-scale", "2", "--pattern", "640x480"], ["--show-clicks", "--pattern", "640x480"],
        ["--show-keys", "all", "--pattern", "640x480"],
    ])
    func `sources that contradict each other, or what is shown on them, are refused`(arguments: [String]) {
        #expect(throws: ValidationError.self) { try SourceOptions.parse(arguments).source(hasCommand: false) }
    }

    /// The sentence about wrong options.
    private func message<Options: ParsableArguments>(_ options: Options.Type, _ arguments: [String]) throws -> String {
        let error = #expect(throws: (any Error).self, "\(arguments)") { try Options.parse(arguments) }
        return Options.message(for: try #require(error))
    }

    @Test func `a value of the wrong form is answered with the form and the least size`() throws {
        for (arguments, form) in [
            (["--region", "1x1+0+0"], "WxH+X+Y, W and H 16 to 16384 pixels, X and Y from 0 at the upper left"),
            (["--region", "100x100-50-50"], "640x480+100+50, or draw"),
            (["--virtual", "1280x1024x24"], "wayland:1280x720; its colours have 24 bits"), (["--pattern", "x"], "WxH"),
            (["--window", "me"], "title:TEXT"), (["--exclude", "me"], "app:NAME"),
        ] { #expect(try message(SourceOptions.self, arguments).contains(form)) }
        for (arguments, form) in [
            (["--size", "2x2"], "WxH, 16 to 16384 pixels each"), (["--crop", "1"], "fit or fill"),
            (["--bitrate", "4 M"], "800k or 4M"), (["--fps", "29.5"], "29.97"),
        ] { #expect(try message(EncodingOptions.self, arguments).contains(form)) }
        #expect(try message(TakeOptions.self, ["-t", "abc"]).contains("500ms or 00:01:30"))
    }

    @Test func `each refusal is one sentence that says what to do`() throws {
        let error = #expect(throws: (any Error).self) {
            try RootCommand.parseAsRoot(["record", "--monitor", "a", "--pattern", "640x480", "--window", "1"])
        }
        let message = RootCommand.message(for: try #require(error))
        #expect(
            message
                == "Only one source can be recorded at a time; give one of --monitor, --window and --pattern."
        )
    }
}
