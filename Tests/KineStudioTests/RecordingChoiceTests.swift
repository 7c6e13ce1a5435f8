// The choice of a page: as arguments of `kinecast record`, and as a profile of kinecast.conf.
import HTTPTypes
import KineConfiguration
import KineMedia
import KineProgram
import KineText
import Testing

@testable import KineStudio

@Suite struct RecordingChoiceTests {
    private func choice(_ json: String) throws -> RecordingChoice {
        try #require(StudioJSON.decode(RecordingChoice.self, Array(json.utf8)), "\(json)")
    }

    private func file(_ text: String) throws -> ConfigurationFile {
        try ConfigurationFile(Array(text.utf8), path: "/c/kinecast.conf")
    }

    private func profiles(_ text: String, _ environment: [String] = []) throws -> RecordingProfiles {
        try RecordingProfiles(ConfigurationLayers(file: file(text), environment: environment))
    }

    private let all = """
        {"profile":"talk","source":"monitor","name":"DP-1","audio":"none","microphone":"usb","microphoneChannels":"left","clipBuffer":30,"fps":24,\
        "size":{"width":1280,"height":720},"quality":30,"showKeys":"all","showClicks":true,"noCursor":false,\
        "exclude":["app:Mail","0x1f"],"excludeHow":"beneath","countdown":3}
        """

    @Test func `each value becomes an option, and a flag that is off a variable`() throws {
        let choice = try choice(all)
        #expect(
            choice.arguments()?.dropFirst(3) == [
                "--profile=talk", "--monitor=DP-1", "--audio=none", "--mic=usb", "--mic-channels=left",
                "--clip-buffer=30s", "--fps=24",
                "--size=1280x720", "--quality=30", "--show-keys=all", "--show-clicks", "--exclude=app:Mail",
                "--exclude=0x1f", "--exclude-how=beneath", "--countdown=3",
            ])
        #expect(choice.variables == ["KINECAST_RECORD_NO_CURSOR=false"])
        let none = try self.choice(#"{"showKeys":"none","exclude":[],"audio":"false"}"#)
        #expect(none.arguments()?.dropFirst(3) == ["--audio=false", "--show-keys=none", "--exclude=none"])
        #expect(none.variables == [])
        let silent = try self.choice(#"{"microphone":"none","microphoneChannels":"mono"}"#)
        #expect(silent.arguments()?.dropFirst(3) == ["--mic=none"], "the option is about a microphone")
        let window = try self.choice(
            #"{"source":"window","name":"0x1","exclude":["app:a"],"excludeHow":"beneath"}"#)
        #expect(window.arguments()?.dropFirst(3) == ["--window=0x1"], "it shows no other window")
    }

    @Test func `a choice with destinations is a broadcast, which is recorded too unless it says otherwise`() throws {
        let live = try choice(#"{"destinations":["live","@twitch"],"showClicks":false}"#)
        let command = ["broadcast", "--json", "--service=live", "--to=@twitch"]
        #expect(live.isRecordedBeside && live.arguments(recordingTo: "/v/K") == command + ["--record=/v/K"])
        #expect(live.variables == ["KINECAST_BROADCAST_SHOW_CLICKS=false"])
        let unrecorded = try choice(#"{"destinations":["live"],"isRecorded":false}"#)
        #expect(!unrecorded.isRecordedBeside)
        #expect(unrecorded.arguments(recordingTo: "/a.mp4") == ["broadcast", "--json", "--service=live"])
        #expect(try !choice(#"{"destinations":[],"isRecorded":true}"#).isRecordedBeside)
        for name in ["", "@", "rtmp://host/app/key", "@a b", "@../a", "Live", "@é"] {
            let bytes = Array(#"{"destinations":["\#(name)"]}"#.utf8)
            #expect(StudioJSON.decode(RecordingChoice.self, bytes) == nil, "\(name)")
            #expect(DestinationName(name) == nil, "\(name)")
        }
    }

    @Test func `a live page has a reach, which replaces what is configured`() throws {
        func arguments(_ rest: String) throws -> [String] { try choice("{\(rest)}").linkArguments() }
        #expect(try arguments("") == [] && arguments(#""destinations":["live","@twitch"]"#) == [])
        let network = try choice(#"{"destinations":["@twitch","live:network"]}"#)
        #expect(network.arguments()?.prefix(4) == ["broadcast", "--json", "--to=@twitch", "--service=live"])
        #expect(try network.linkArguments() == ["--listen", "0.0.0.0", "--public-url", ""])
        let page = #""destinations":["live:public"]"#
        #expect(
            try arguments(#"\#(page),"link":{"address":"https://live.example.org/a/"}"#)
                == ["--listen", "8080", "--public-url", "https://live.example.org/a/"])
        #expect(
            try arguments(#"\#(page),"link":{"address":"http://a","port":9000}"#).prefix(2) == ["--listen", "9000"])
        for rest in [
            page, #"\#(page),"link":{"address":""}"#, #"\#(page),"link":{"address":"live.example.org"}"#,
            #""destinations":["live","live:network"]"#,
        ] {
            let problem = #expect(throws: StudioProblem.self) { try arguments(rest) }
            #expect(problem?.status == .conflict, "\(rest)")
        }
        let names = ["live", "live:network", "live:public", "@live", "service:live"]
        #expect(names.map { DestinationName($0)?.reach } == [.computer, .network, .public, nil, nil])
        for wrong in ["live:", "live:computer", "live:Public", "live:network "] {
            #expect(DestinationName(wrong) == nil, "\(wrong)")
        }
        // It is offered again as it was, and a profile has none of it.
        let kept = try #require(StudioJSON.decode(RecordingChoice.self, StudioJSON.encode(network)))
        #expect(kept == network && network.options.isEmpty)
    }

    @Test func `another source of a take is one argument, and audio is named as for its options`() throws {
        #expect(try choice(#"{"source":"window","name":"title:-x"}"#).takeSource == .windowTitled("-x"))
        #expect(try choice(#"{"source":"monitor","name":"all"}"#).takeSource == .screen(monitor: nil))
        #expect(try choice(#"{"source":"region","name":"draw"}"#).takeSource == .drawnRegion)
        for wrong in ["{}", #"{"source":"window","name":"-x"}"#, #"{"source":"window","name":"command"}"#] {
            #expect(try choice(wrong).takeSource == nil)
        }
        #expect(DestinationName("live")?.argument == "--service=live")
        let survey = StudioJSON.decode(
            SurveyChoice.self, Array(#"{"audio":"app:a:b","microphone":"default"}"#.utf8))
        #expect(survey?.audio == .application("a:b") && survey?.microphone == .defaultDevice)
        #expect(survey?.camera == nil)
        for (camera, shown) in [("none", nil), ("Webcam", "Webcam")] as [(String, String?)] {
            let body = Array(#"{"camera":"\#(camera)"}"#.utf8)
            #expect(try #require(StudioJSON.decode(SurveyChoice.self, body)).camera == shown, "\(camera)")
        }
        #expect(StudioJSON.decode(SurveyChoice.self, Array(#"{"camera":""}"#.utf8)) == nil)
        #expect(StudioJSON.decode(SurveyChoice.self, Array(#"{"shown":{"source":"monitor","name":""}}"#.utf8)) == nil)
        for audio in ["", "all", "app:"] {
            #expect(StudioJSON.decode(SurveyChoice.self, Array(#"{"audio":"\#(audio)"}"#.utf8)) == nil, "\(audio)")
        }
    }

    @Test(arguments: [
        #""fps":0"#, #""fps":241"#, #""quality":52"#, #""quality":-1"#, #""countdown":61"#,
        #""size":{"width":1281,"height":720}"#, #""size":{"width":8,"height":8}"#, #""exclude":["Mail"]"#,
        #""exclude":["app:"]"#, #""exclude":["none"]"#, #""exclude":["0x0"]"#, #""exclude":["0x1f "]"#,
        #""exclude":["process:0"]"#,
        #""exclude":["app:a\u0000"]"#, #""profile":"a b""#, #""profile":"""#, #""profile":"-\n""#, #""profile":"谈""#,
    ])
    func `a value that cannot be one is refused`(member: String) throws {
        #expect(try choice("{\(member)}").arguments() == nil)
    }

    @Test(arguments: [
        #""fps":1.5"#, #""fps":"30""#, #""size":"1280x720""#, #""size":{"width":1280}"#, #""showKeys":"letters""#,
        #""showClicks":1"#, #""exclude":"app:a""#, #""excludeHow":"blur""#, #""link":{"address":"http://a","port":0}"#,
        #""link":{"address":"http://a","port":65536}"#,
    ])
    func `a value of another type is refused`(member: String) {
        #expect(StudioJSON.decode(RecordingChoice.self, Array("{\(member)}".utf8)) == nil)
    }

    @Test func `a choice is kept as a profile, and read again`() throws {
        let text = "# mine\n[record]\nfps = 60\n\n[broadcast]\nto = @youtube\n"
        let kept = try file(text).keeping(choice(all), as: "Talk")
        let expected = """
            \(text)
            [record Talk]
            monitor = DP-1
            audio = none
            mic = usb
            mic-channels = left
            clip-buffer = 30s
            fps = 24
            size = 1280x720
            quality = 30
            show-keys = all
            show-clicks = true
            no-cursor = false
            exclude = app:Mail
            exclude = 0x1f
            exclude-how = beneath
            countdown = 3

            """
        #expect(String(escaping: kept.bytes) == expected)
        let read = try profiles(expected)
        var same = try choice(all)
        same.profile = nil
        #expect(read.profiles.map(\.name) == ["Talk"] && read.profiles.first?.choice == same)
        #expect(read.profiles.first?.others == [])
        #expect(read.configured == (try choice(#"{"fps":60}"#)))
        #expect(try kept.keeping(choice(all), as: "Talk").bytes == kept.bytes)
        #expect(String(escaping: try kept.removing("Talk").bytes) == text)
    }

    @Test func `a camera has its place and look in the options, and none has nothing but its name`() throws {
        let camera = try choice(
            """
            {"camera":"Webcam","cameraLayout":{"x":0.5,"y":1,"size":0.3,"shape":"circle","isMirrored":false}}
            """)
        #expect(
            camera.arguments()?.dropFirst(3) == [
                "--camera=Webcam", "--camera-at=0.5,1.0", "--camera-size=0.3", "--camera-shape=circle",
            ])
        #expect(camera.variables == ["KINECAST_RECORD_CAMERA_MIRROR=false"])
        var none = camera
        none.camera = "none"
        #expect(none.arguments()?.dropFirst(3) == ["--camera=none"] && none.variables.isEmpty)
        for layout in [#""x":1.1,"y":1,"size":0.3"#, #""x":1,"y":1,"size":0.01"#] {
            let json = #"{"camera":"a","cameraLayout":{\#(layout),"shape":"circle","isMirrored":true}}"#
            #expect(try choice(json).arguments() == nil, "\(layout)")
        }
        let text = """
            [record Talk]
            camera = Webcam
            camera-at = bottom
            camera-size = 0.3
            camera-shape = circle
            camera-mirror = false
            camera-border = ff0000

            """
        let profile = try #require(profiles(text).profiles.first)
        #expect(profile.choice == camera && profile.others == ["camera-border = ff0000"])
        let kept = try file("").keeping(camera, as: "Talk")
        #expect(try profiles(String(escaping: kept.bytes)).profiles.first?.choice == camera)
    }

    @Test func `options that a page cannot show stay in the profile unless the page sets them`() throws {
        let text = """
            [record Talk]
            # slow
            duration = 45m
            fps = 29.97
            app = gimp
            monitor = DP-1
            bitrate = 4M
            exclude = title:Mail
            exclude = 12345
            mic = usb

            """
        let profile = try #require(profiles(text).profiles.first)
        #expect(profile.choice == (try choice(#"{"microphone":"usb"}"#)))
        #expect(
            profile.others == [
                "duration = 45m", "fps = 29.97", "app = gimp", "monitor = DP-1", "bitrate = 4M", "exclude = title:Mail",
                "exclude = 12345",
            ])
        let same = try file(text).keeping(choice(#"{"audio":"none"}"#), as: "Talk")
        #expect(String(escaping: same.bytes) == text.replacing("mic = usb\n", with: "audio = none\n"))
        let changed = try file(text).keeping(
            choice(#"{"source":"window","name":"title:Notes","fps":10,"quality":16,"exclude":[]}"#), as: "Talk")
        #expect(
            String(escaping: changed.bytes)
                == "[record Talk]\n# slow\nduration = 45m\nfps = 10\nwindow = title:Notes\nquality = 16\n")
    }

    @Test func `a choice that is kept under another name takes the options along that a page cannot show`() throws {
        let text = "[record Talk]\nduration = 45m\nbitrate = 4M\nfps = 24\n"
        let kept = try file(text).keeping(choice(#"{"profile":"Talk","quality":16}"#), as: "Bug")
        #expect(String(escaping: kept.bytes) == text + "\n[record Bug]\nduration = 45m\nquality = 16\n")
        let other = try file(text).keeping(choice(#"{"profile":"gone","fps":10}"#), as: "Bug")
        #expect(String(escaping: other.bytes) == text + "\n[record Bug]\nfps = 10\n")
    }

    @Test func `a preset's name may be any text, and its section gets one like it`() throws {
        let first = try file("").keeping(choice(#"{"fps":10}"#), titled: "Vortrag: Wald & Wiese")
        #expect(String(decoding: first.bytes, as: UTF8.self).hasPrefix("[record Vortrag-Wald-Wiese]\n"))
        let second = try first.keeping(choice(#"{"fps":24}"#), titled: "Vortrag? Wald, Wiese")
            .keeping(choice(#"{"fps":30}"#), titled: "讲座").keeping(choice(#"{"fps":60}"#), titled: "Talk")
        let shown = try RecordingProfiles(ConfigurationLayers(file: second, environment: [])).profiles
        #expect(
            shown.map { "\($0.name): \($0.title), \($0.choice.fps ?? 0)" } == [
                "Talk: Talk, 60", "Vortrag-Wald-Wiese: Vortrag: Wald & Wiese, 10",
                "Vortrag-Wald-Wiese-2: Vortrag? Wald, Wiese, 24", "preset: 讲座, 30",
            ])
        #expect(shown.allSatisfy { $0.others.isEmpty })
        let again = try second.keeping(choice(#"{"fps":15}"#), titled: "讲座")
        let section = ConfigurationSection(command: .record, profile: "preset")
        #expect(again.profiles(of: .record).count == 4 && again.options(of: section).count == 2)
        #expect(!RecordingProfile.isTitle("") && !RecordingProfile.isTitle("a\nb") && RecordingProfile.isTitle("讲座 1"))
    }

    @Test func `a value that the file cannot hold is refused with a sentence, and the environment is configured`()
        throws
    {
        let failure = #expect(throws: CommandFailure.self) {
            try file("").keeping(choice(#"{"source":"window","name":"title:a\nb"}"#), as: "Talk")
        }
        #expect(failure?.message == "Talk: the value of window has a control character; remove that.")
        #expect(try profiles("", ["KINECAST_RECORD_QUALITY=16"]).configured.quality == 16)
        #expect(throws: CommandFailure.self) { try profiles("", ["KINECAST_RECORD_CFR=1"]) }
    }

    @Test func `a service is a destination by its id`() {
        #expect(DestinationName("service:org.example.up")?.argument == "--service=org.example.up")
        #expect(DestinationName("live")?.service == nil)
        let long = String(repeating: "a", count: 101)
        for wrong in ["service:", "service:a b", "service:\(long)", "Service:a", "service"] {
            #expect(DestinationName(wrong) == nil, "\(wrong)")
        }
    }
}
