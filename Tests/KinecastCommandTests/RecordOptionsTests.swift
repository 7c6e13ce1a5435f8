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

    @Test func `no option is the whole screen with what audio there is`() throws {
        #expect(try configuration() == TakeConfiguration(source: .screen(monitor: nil), output: "/tmp/out.mp4"))
    }

    @Test func `each source option is its source`() throws {
        #expect(try configuration("--monitor", "eDP-1").source == .screen(monitor: "eDP-1"))
        #expect(
            try configuration("--region", "640x480+1+2").source
                == .region(PixelRect(x: 1, y: 2, width: 640, height: 480)))
        #expect(try configuration("--region", "draw").source == .drawnRegion)
        #expect(throws: (any Error).self) { try parse("--region", "drawn") }
        #expect(throws: (any Error).self) { try parse("--region", "draw", "--virtual", "640x480") }
        let switched = try #require(try RootCommand.parseAsRoot(["switch", "--region", "draw"]) as? SwitchCommand)
        #expect(try switched.display.chosen.onlySource == .drawnRegion)
        #expect(try configuration("--monitor", "all").source == .screen(monitor: nil))
        #expect(try configuration("--window", "0x10").source == .window(16))
        #expect(try configuration("--window", "focused").source == .focusedWindow)
        #expect(try configuration("--window", "title:Über uns").source == .windowTitled("Über uns"))
        #expect(try configuration("--window", "ask").source == .chosenWindow)
        #expect(throws: (any Error).self) { try parse("--window", "ask", "--exclude", "title:Mail") }
        let chosen = try #require(try RootCommand.parseAsRoot(["switch", "--window", "ask"]) as? SwitchCommand)
        #expect(try chosen.display.chosen.onlySource == .chosenWindow)
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["switch", "--window", "command"]) }
        #expect(try configuration("--app", "gimp").source == .application("gimp", monitor: nil))
        #expect(try configuration("--app", "gimp", "--monitor", "all").source == .application("gimp", monitor: nil))
        let onOne = try configuration("--monitor", "DP-1", "--app", "gimp", "--exclude", "title:Mail")
        #expect(onOne.source == .application("gimp", monitor: "DP-1"))
        #expect(onOne.video.excludedWindows == [.titled("Mail")])
        #expect(
            try configuration("--exclude", "0x10", "--exclude", "title:Mail", "--exclude", "app:KeePassXC").video
                .excludedWindows
                == [.id(16), .titled("Mail"), .application("KeePassXC")])
        #expect(try configuration("--virtual", "800x600").source == .virtual(PixelSize(width: 800, height: 600)))
        #expect(try configuration("--pattern", "640x480").source == .pattern(PixelSize(width: 640, height: 480)))
    }

    @Test func `with a command, a window that is named is waited for, on a private screen as well`() throws {
        typealias Window = TakeConfiguration.CommandWindow
        let command = ["--", "mine"]
        let screen = PixelSize(width: 800, height: 600)
        for (options, window) in [
            (["--window", "title:Über"], Window(.titled("Über"))), (["--window", "command"], Window(.first)),
            (["--app", "mine", "--monitor", "DP-1"], Window(.application("mine", monitor: "DP-1"))),
            (["--virtual", "800x600", "--window", "title:a"], Window(.titled("a"), privateScreen: screen)),
            (["--window", "command", "--virtual", "800x600"], Window(.first, privateScreen: screen)),
            (["--virtual", "800x600", "--app", "a"], Window(.application("a", monitor: nil), privateScreen: screen)),
            (["--window", "command", "--wait", "1m"], Window(.first, limit: .seconds(60))),
        ] {
            #expect(try configuration(options + command).source == .commandWindow(window), "\(options)")
            #expect(try broadcast(options + command).source == .commandWindow(window), "\(options)")
        }
        #expect(throws: Never.self) { try parse("--app", "a", "--exclude", "title:b", "--", "mine") }
        // Other windows are there before it.
        #expect(try configuration("--window", "0x10", "--", "mine").source == .window(16))
        #expect(try configuration("--window", "focused", "--", "mine").source == .focusedWindow)
    }

    private func broadcast(_ arguments: [String]) throws -> TakeConfiguration {
        let command = try #require(try RootCommand.parseAsRoot(["broadcast"] + arguments) as? BroadcastCommand)
        return try command.takeConfiguration(output: nil, destinations: [])
    }

    @Test(arguments: [
        (["--window", "command"], "add -- COMMAND"),
        (["--virtual", "800x600", "--window", "title:a"], "add -- COMMAND"),
        (["--virtual", "800x600", "--app", "a"], "add -- COMMAND"),
        (["--virtual", "wayland:800x600", "--window", "command", "--", "mine"], "Wayland"),
        (["--virtual", "800x600", "--window", "16", "--", "mine"], "Only one source"),
        (["--pattern", "800x600", "--window", "command", "--", "mine"], "Only one source"),
        (["--window", "command", "--exclude", "title:a", "--", "mine"], "--exclude is for a screen"),
        (["--wait", "5", "--", "mine"], "--wait is for"), (["--wait", "5", "--window", "title:a"], "--wait is for"),
        (["--wait", "0", "--window", "command", "--", "mine"], "give"),
    ])
    func `a window of a command that cannot be is refused in words`(options: [String], words: String) {
        for name in ["record", "broadcast"] {
            let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot([name] + options) }
            #expect(error.map { RootCommand.message(for: $0).contains(words) } == true, "\(options)")
            guard name == "record" else { continue }
            #expect(error.map { RootCommand.exitCode(for: $0).rawValue } == ExitStatus.usage)
        }
    }

    @Test func `a camera has a place and looks`() throws {
        #expect(try configuration().video.camera == nil)
        #expect(try configuration("--camera", "default").video.camera == TakeConfiguration.Camera())
        let all = try configuration(
            "--camera", "HD Webcam", "--camera-at", "0.1,0.9", "--camera-size", "0.4", "--camera-shape", "circle",
            "--camera-mirror", "--camera-border", "ff8000,0.05"
        ).video.camera
        #expect(
            all
                == TakeConfiguration.Camera(
                    device: "HD Webcam",
                    layout: CameraLayout(
                        x: 0.1, y: 0.9, size: 0.4, shape: .circle, isMirrored: true,
                        border: .init(width: 0.05, colour: 0xff8000))))
        #expect(try configuration("--camera", "pattern", "--camera-at", "top-left").video.camera?.layout.x == 0)
        let relative = try #require(try configuration("--camera", "./a.mp4").video.camera?.device)
        #expect(relative.hasPrefix("/") && relative.hasSuffix("/a.mp4") && !relative.contains("/./"))
        for wrong in [
            ["--camera-size", "0.4"], ["--camera", "default", "--camera-at", "2,0"],
            ["--camera", "default", "--camera-size", "0"], ["--camera", "default", "--camera-border", "red"],
            ["--camera", "default", "--camera-shape", "star"],
        ] {
            #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["record"] + wrong) }
        }
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["camera", "--off", "--size", "0.5"]) }
    }

    @Test func `chroma and range are the standard ones unless a recording asks for others`() throws {
        #expect(try configuration().video.colour == .standard)
        #expect(try configuration("--chroma", "420").video.colour == .standard)
        #expect(try configuration("--full-range").video.colour == ColourFormat(isFullRange: true))
        #expect(
            try configuration("--full-range", "--chroma", "444").video.colour
                == ColourFormat(chroma: .yuv444, isFullRange: true))
        #expect(throws: (any Error).self) { try parse("--chroma", "422") }
        let broadcast = ["broadcast", "--record", "a.mp4"]
        #expect(throws: Never.self) { try RootCommand.parseAsRoot(broadcast + ["--chroma", "420"]) }
        for options in [["--full-range"], ["--chroma", "444"]] {
            let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(broadcast + options) }
            let message = error.map { RootCommand.message(for: $0) }
            #expect(message?.contains("are for recordings alone") == true)
            #expect(error.map { RootCommand.exitCode(for: $0).rawValue } == ExitStatus.usage)
        }
    }

    @Test func `the command is what stands after the two dashes, options and all`() throws {
        let command = try parse("out.mp4", "--virtual", "800x600", "--", "xterm", "-e", "top", "--fps", "3")
        #expect(command.out == "out.mp4")
        #expect(command.options.command == ["xterm", "-e", "top", "--fps", "3"])
        #expect(try parse("--virtual", "800x600", "--", "xterm").out == nil)
    }

    @Test func `a microphone is the default one or has a name`() throws {
        #expect(try configuration("--mic", "default").audio.microphone == .defaultDevice)
        #expect(try configuration("--mic", "usb").audio.microphone == .named("usb"))
        #expect(try configuration().audio.microphone == TakeConfiguration.Microphone.none)
    }

    @Test func `a clip buffer is a length of up to thirty minutes, and alone it needs no file`() throws {
        #expect(try configuration("--clip-buffer", "30m").clipBuffer == .seconds(1800))
        #expect(try configuration().clipBuffer == nil)
        #expect(throws: (any Error).self) { try parse("--clip-buffer", "30m1s") }
        #expect(throws: (any Error).self) { try parse("--clip-buffer", "0") }
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

    @Test func `the file's name is an argument or an option`() throws {
        #expect(try parse("a.mp4").outputName == "a.mp4")
        #expect(try parse("-o", "a.mp4").outputName == "a.mp4")
        #expect(try parse("--output", "a.mp4").outputName == "a.mp4")
        #expect(try parse().outputName == nil)
    }

    @Test func `replaykit's settings are bitrate, keyframes and audio, and options beside them win`() throws {
        let settings = try configuration("--settings", "replaykit")
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
            #expect(try configuration("--preset", preset.rawValue).video.preset == preset)
        }
        #expect(try configuration().video.preset == nil)
        let error = #expect(throws: (any Error).self) { try parse("--preset", "quick") }
        let lines = RootCommand.message(for: try #require(error)).split(separator: "\n")
        #expect(lines.dropFirst() == EncoderPreset.allCases.map { "  - \($0)" }[...])
    }

    @Test func `what is typed often has a short name`() throws {
        let short = try configuration("-t", "90", "-r", "12", "-a", "none")
        #expect(short == (try configuration("--duration", "1m30s", "--fps", "12", "--audio", "none")))
        #expect(short.durationLimit == .seconds(90))
    }

    @Test func `every other option reaches the engine`() throws {
        let all = try configuration(
            "--fps", "60", "--size", "640x360", "--no-cursor", "--quality", "18", "--cfr", "--duration", "1m",
            "--overwrite",
            "--faststart", "--audio", "none", "--no-damage-optimization", "--no-skip-unchanged", "--no-macroblock-info",
            "--keyframe-interval", "3s", "--crop", "300x200+10+20", "--rotate", "270")
        #expect(all.video.framesPerSecond == 60 && !all.video.isNTSCRate)
        let film = try configuration("--fps", "23.976").video
        #expect(film.framesPerSecond == 24 && film.isNTSCRate)
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

    @Test func `the pointer is enlarged by a factor from 1 to 8`() throws {
        #expect(try configuration("--cursor-scale", "1.5").video.cursorScale == 1.5)
        #expect(try configuration("--cursor-scale", "8", "--virtual", "800x600").video.cursorScale == 8)
        #expect(try configuration().video.cursorScale == 1)
    }

    @Test func `clicks are shown if that is asked for, also without the pointer`() throws {
        #expect(try configuration("--show-clicks", "--no-cursor").video.showsClicks)
        #expect(try !configuration().video.showsClicks)
    }

    @Test func `shortcuts are shown, or all keys`() throws {
        #expect(try configuration("--show-keys", "shortcuts").video.shownKeys == .shortcuts)
        #expect(try configuration("--show-keys", "all", "--window", "7").video.shownKeys == .all)
        #expect(try configuration().video.shownKeys == nil)
    }

    @Test(arguments: [
        ["--monitor", "a", "--pattern", "640x480"], ["--pattern"], ["--mic"],
        ["--window", "1", "--region", "640x480+0+0"],
        ["--quality", "20", "--bitrate", "4M"],
        ["--quality", "52"], ["--quality", "-1"], ["--fps", "0"], ["--fps", "241"], ["--size", "641x360"],
        ["--separate-tracks"], ["--separate-tracks", "--mic", "default", "--audio", "none"],
        ["--duration", "0"], ["--settings", "obs"], ["--audio-bitrate", "1k"], ["a.mp4", "-o", "b.mp4"],
        ["a.mp4", "b.mp4"], ["--crop", "1"], ["--crop", "fill"], ["--rotate", "45"], ["--window", "me"],
        ["--window", "title:"], ["--app", ""], ["--app", "a", "--window", "7"], ["--app", "a", "--virtual", "640x480"],
        ["--exclude", "app:"], ["--exclude", "focused"], ["--exclude", "app:a", "--window", "7"], [""],
        ["--cursor-scale", "0.9"], ["--cursor-scale", "8.1"], ["--cursor-scale", "nan"], ["--cursor-scale", "big"],
        ["--cursor-scale", "2", "--no-cursor"], ["--cursor-scale", "2", "--pattern", "640x480"],
        ["--show-clicks", "--pattern", "640x480"], ["--show-keys", "all", "--pattern", "640x480"],
        ["--show-keys"], ["--show-keys", "letters"],
    ])
    func `what contradicts itself is wrong usage, 64`(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["record"] + arguments) }
        if let error { #expect(RootCommand.exitCode(for: error).rawValue == ExitStatus.usage) }
    }

    @Test(arguments: [
        (["--region", "1x1+0+0"], "WxH+X+Y, W and H 16 to 16384 pixels, X and Y from 0 at the upper left"),
        (["--region", "100x100-50-50"], "640x480+100+50, or draw"),
        (["--size", "2x2"], "WxH, 16 to 16384 pixels each"),
        (["--virtual", "1280x1024x24"], "wayland:1280x720; its colours have 24 bits"), (["--pattern", "x"], "WxH"),
        (["--crop", "1"], "fit or fill"), (["-t", "abc"], "500ms or 00:01:30"), (["--bitrate", "4 M"], "800k or 4M"),
        (["--fps", "29.5"], "29.97"), (["--window", "me"], "title:TEXT"), (["--exclude", "me"], "app:NAME"),
    ])
    func `a value of the wrong form is answered with the form and the least size`(
        arguments: [String], form: String
    ) throws {
        let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["record"] + arguments) }
        #expect(RootCommand.message(for: try #require(error)).contains(form))
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
