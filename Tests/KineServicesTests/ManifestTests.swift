// The content of manifests, and the messages on their mistakes.
import KineMedia
import KineText
import Testing

@testable import KineServices

@Suite struct ManifestTests {
    func decode(_ json: String) throws(ServiceManifest.Problem) -> ServiceManifest {
        try ServiceManifest.read(Array(json.utf8)).manifest
    }

    static let full = """
        {"kinecast": 1, "id": "org.example.meter", "name": "Meter", "version": "1.0", "executable": "meter",
         "video": {"raw": {"pixelFormat": "nv12", "maximumSize": {"width": 1280, "height": 720}, "framesPerSecond": 30}},
         "audio": {"app": "aac", "mic": "pcm"},
         "setup": [{"key": "url", "title": "Address", "required": true, "secret": false, "default": "rtmp://a"},
                   {"key": "streamKey", "secret": true}, {"key": "place", "default": "8080"}, {"key": "ca", "file": true}],
         "read": ["/usr/share/meter"], "network": "none", "listen": "place",
         "environment": ["HTTPS_PROXY"], "urlSchemes": ["rtmp", "rtmps"], "memoryLimitMB": 20.5, "finishSeconds": 2,
         "restarts": 0}
        """

    @Test func `every key is understood`() throws {
        let manifest = try decode(Self.full)
        var expected = ServiceManifest(id: "org.example.meter", name: "Meter", executable: "meter")
        expected.version = "1.0"
        expected.video = .raw(
            pixelFormat: .nv12, maximumSize: PixelSize(width: 1280, height: 720), framesPerSecond: 30)
        expected.appAudio = .aac
        expected.micAudio = .pcm
        expected.setup = [
            .init(key: "url", title: "Address", isRequired: true, defaultValue: "rtmp://a"),
            .init(key: "streamKey", title: "streamKey", isSecret: true),
            .init(key: "place", title: "place", defaultValue: "8080"),
            .init(key: "ca", title: "ca", isFile: true),
        ]
        expected.readable = ["/usr/share/meter"]
        expected.network = .none
        expected.listen = "place"
        expected.environment = ["HTTPS_PROXY"]
        expected.urlSchemes = ["rtmp", "rtmps"]
        expected.memoryLimit = 41 << 19
        expected.finishSeconds = 2
        expected.restarts = 0
        #expect(manifest == expected)
    }

    @Test func `an absent key has a default`() throws {
        let manifest = try decode(#"{"id": "a", "executable": "b"}"#)
        #expect(manifest == ServiceManifest(id: "a", name: "a", executable: "b"))
        #expect(manifest.memoryLimit == 50 << 20 && manifest.finishSeconds == 5 && manifest.restarts == 1)
        #expect(
            try decode(#"{"id": "a", "executable": "b", "video": {"encoded": {}}}"#).video
                == .encoded(codecs: [.h264], keyframeInterval: nil))
        #expect(
            try decode(#"{"id": "a", "executable": "b", "video": {"raw": {}}}"#).video
                == .raw(pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil))
    }

    static let ingest = """
        {"id": "a", "executable": "b", "video": {"encoded":
         {"maximumBitrate": 4500000, "maximumAccessUnit": 1000000, "stillFramesPerSecond": 10}}}
        """

    @Test func `codecs are listed in the order of the service's preference`() throws {
        let manifest = try decode(
            #"{"id": "a", "executable": "b", "video": {"encoded": {"codecs": ["av1", "hevc", "av1", "h264"]}}}"#)
        #expect(manifest.samples.codecs == [.av1, .hevc, .h264])
    }

    @Test func `a service says that it follows changes of the format`() throws {
        for (value, follows) in [("true", true), ("false", false)] {
            let manifest = try decode(
                #"{"id": "a", "executable": "b", "video": {"encoded": {"formatChanges": \#(value)}}}"#)
            #expect(manifest.samples.expectations?.followsFormat == follows)
        }
        #expect(try decode(Self.ingest).samples.expectations?.followsFormat == false)
    }

    @Test func `the expectations of a server are understood`() throws {
        #expect(
            try decode(Self.ingest).video
                == .encoded(
                    codecs: [.h264], keyframeInterval: nil,
                    expecting: .init(
                        maximumBitrate: 4_500_000, maximumAccessUnit: 1_000_000, stillFramesPerSecond: 10)))
    }

    @Test(arguments: [
        (#"["id"]"#, "the file has to be an object"),
        (#"{"id": 5, "executable": "b"}"#, "id has to be text"),
        (#"{"id": "a", "executable": "b", "read": ["/usr/../home"]}"#, "read holds"),
        (#"{"id": "a", "executable": "b", "listen": "place"}"#, "listen has to be the key of a setting"),
        (
            #"{"id": "a", "executable": "b", "setup": [{"key": "c", "file": true, "default": "/etc/passwd"}]}"#,
            "setup[0].default is that of a file, which only a person names"
        ),
        (
            #"{"id": "a", "executable": "b", "listen": "p", "setup": [{"key": "p", "default": "0.0.0.0:80"}]}"#,
            #"listen names the setting "p", whose default is no address of this machine alone"#
        ),
        (
            #"{"id": "a", "executable": "b", "listen": "p", "setup": [{"key": "p", "default": "127.example.org:80"}]}"#,
            #"listen names the setting "p", whose default is no address of this machine alone"#
        ),
        (#"{"executable": "b"}"#, "id is missing"),
        (#"{"id": "a"}"#, "executable is missing"),
        (#"{"id": "a b", "executable": "b"}"#, "id has to begin with a letter or a digit and consist of"),
        (#"{"id": "../a", "executable": "b"}"#, "id has to begin with"),
        (#"{"id": "a", "executable": "../b"}"#, "executable has to be the name of a file inside the bundle"),
        (#"{"id": "a", "executable": ".."}"#, "executable has to be the name"),
        (#"{"kinecast": 3, "id": "a", "executable": "b"}"#, "kinecast is 3 and this Kinecast reads 1 to 2"),
        (
            #"{"id": "a", "executable": "b", "memoryLimitMB": 51}"#,
            "memoryLimitMB is 51 and has to be a number from 1 to 50"
        ),
        (
            #"{"id": "a", "executable": "b", "restarts": 1.5}"#,
            "restarts is 1.5 and has to be a whole number from 0 to 10"
        ),
        (#"{"id": "a", "executable": "b", "video": {}}"#, "video has to hold either raw or encoded"),
        (#"{"id": "a", "executable": "b", "video": {"raw": {}, "encoded": {}}}"#, "video has to hold either"),
        (
            #"{"id": "a", "executable": "b", "video": {"raw": {"pixelFormat": "yuv"}}}"#,
            #"video.raw.pixelFormat is "yuv" and has to be "i420", "nv12" or "bgra""#
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"raw": {"maximumSize": {"width": 640}}}}"#,
            "video.raw.maximumSize needs both width and height"
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"encoded": {"codecs": ["h264", "vvc"]}}}"#,
            #"video.encoded.codecs holds "vvc", which is not one of "h264", "hevc", "av1""#
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"encoded": {"codecs": []}}}"#,
            "video.encoded.codecs has to hold at least one of"
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"encoded": {"codec": "h264", "codecs": ["h264"]}}}"#,
            "video.encoded.codecs cannot be beside codec"
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"encoded": {"maximumBitrate": 1000}}}"#,
            "video.encoded.maximumBitrate is 1000 and has to be a whole number from 100000 to 1000000000"
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"encoded": {"maximumAccessUnit": 1000000}}}"#,
            "video.encoded.maximumAccessUnit needs maximumBitrate beside it"
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"encoded": {"stillFramesPerSecond": 0}}}"#,
            "video.encoded.stillFramesPerSecond is 0 and has to be a whole number from 1 to 30"
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"raw": {"size": {"width": 641, "height": 360}}}}"#,
            "video.raw.size needs an even width and height"
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"raw": {"size": {"width": 64, "height": 36}, "maximumSize": {"width": 64, "height": 64}}}}"#,
            "video.raw.size cannot be beside maximumSize"
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"raw": {"crop": "fill"}}}"#,
            #"video.raw.crop is "fill" and needs size beside it"#
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"raw": {"crop": "half"}}}"#,
            #"video.raw.crop is "half" and has to be "fit" or "fill""#
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"raw": {"crop": {"x": 5, "width": 9}}}}"#,
            "video.raw.crop needs both width and height"
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"raw": {"orientation": 9}}}"#,
            "video.raw.orientation is 9 and has to be a whole number from 1 to 8"
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"raw": {"orientation": "left"}}}"#,
            #"video.raw.orientation is "left" and has to be "upright" or "source""#
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"raw": {"orientation": true}}}"#,
            "video.raw.orientation has to be a number"
        ),
        (
            #"{"id": "a", "executable": "b", "video": {"raw": {"maximumSize": {"width": 0, "height": 360}}}}"#,
            "video.raw.maximumSize.width is 0 and has to be a whole number from 16 to 16384"
        ),
        (#"{"id": "a", "executable": "b", "video": {"raw": []}}"#, "video.raw has to be an object"),
        (#"{"id": "a", "executable": "b", "read": "/usr"}"#, "read has to be a list"),
        (#"{"id": "a", "executable": "b", "restarts": "1"}"#, "restarts has to be a number"),
        (#"{"id": "a", "executable": "b", "audio": {"app": 1}}"#, "audio.app has to be text"),
        (#"{"id": "a", "executable": "b", "audio": {"mic": "x"}}"#, #"audio.mic is "x" and has to be "aac" or "pcm""#),
        (#"{"id": "a", "executable": "b", "setup": [{"title": "x"}]}"#, "setup[0].key is missing"),
        (
            #"{"id": "a", "executable": "b", "setup": [{"key": "x", "file": 1}]}"#,
            "setup[0].file has to be true or false"
        ),
        (
            #"{"id": "a", "executable": "b", "setup": [{"key": "x"}, {"key": "x"}]}"#,
            #"setup has the key "x" a second time"#
        ),
        (
            #"{"id": "a", "executable": "b", "environment": ["DISPLAY"]}"#,
            #"environment holds "DISPLAY", which is not the name of a variable that an extension may have"#
        ),
        (#"{"id": "a", "executable": "b", "urlSchemes": ["RTMP"]}"#, #"urlSchemes holds "RTMP", which is not"#),
        (#"{"id": "a", "executable": "b", "name": "x\u001b[2J"}"#, "name has to be one line"),
        (#"{"id": "a", "executable": "b", "name": "x\u202ey"}"#, "name has to be one line"),
        (#"{"id": "a\n", "executable": "b"}"#, "id has to begin with"),
        (#"{"id": ".", "executable": "b"}"#, "id has to begin with"),
        (#"{"id": "a", "executable": "b\u0000c"}"#, "executable has to be the name"),
        (
            #"{"kinecast": 2, "id": "a", "executable": "b", "setupProgram": "b/../../c"}"#,
            "setupProgram has to be the name"
        ),
        (#"{"kinecast": 2, "id": "a", "executable": "b", "icon": "../b.svg"}"#, "icon has to be the name of"),
        (#"{"kinecast": 2, "id": "a", "executable": "b", "groups": ["../b"]}"#, #"groups holds "../b""#),
        (#"{"id": "a", "executable": "b", "environment": ["LD_PRELOAD"]}"#, #"environment holds "LD_PRELOAD""#),
        (#"{"id": "a", "executable": "b", "environment": ["A=b"]}"#, #"environment holds "A=b""#),
        (#"{"id": "a", "executable": "b", "read": ["usr"]}"#, #"read holds "usr""#),
        (#"{"id": "a", "executable": "b", "read": ["/a\u001b[2J"]}"#, "read holds"),
        (#"{"id": "a", "executable": "b", "read": ["/a\udbff\udfff"]}"#, "read holds"),
        ("not json", "the file is not JSON"), ("", "the file is not JSON"),
    ])
    func `a fault is named by its place, with what is allowed`(json: String, sentence: String) {
        do throws(ServiceManifest.Problem) {
            _ = try decode(json)
            Issue.record("it was accepted")
        } catch {
            #expect(error.description.hasPrefix(sentence))
        }
    }

    /// Manifests that the first version's `kinecast extension new` and documentation contain.
    @Test(arguments: [
        """
        {
          "kinecast": 1, "id": "sound-meter", "name": "sound-meter", "version": "0.1", "executable": "sound-meter",
          "video": {"encoded": {"codec": "h264", "keyframeInterval": 2}}, "audio": {"app": "pcm", "mic": "pcm"},
          "setup": [{"key": "every", "title": "Seconds between two reports", "default": "1"}]
        }
        """,
        """
        {
          "kinecast": 1, "id": "m", "name": "m", "version": "0.1", "executable": "m",
          "video": {"raw": {"pixelFormat": "i420", "maximumSize": {"width": 640, "height": 360}, "framesPerSecond": 10}},
          "audio": {"app": "pcm", "mic": "pcm"},
          "setup": [{"key": "every", "title": "Seconds between two reports", "default": "1"}]
        }
        """,
        """
        {
          "kinecast": 1, "id": "org.example.meter", "name": "Meter", "version": "1.0", "executable": "meter",
          "video": {"encoded": {"codec": "h264", "keyframeInterval": 2}}, "audio": {"app": "aac", "mic": "pcm"},
          "setup": [{"key": "token", "title": "Upload token", "required": true, "secret": true}],
          "environment": ["HTTPS_PROXY"], "urlSchemes": ["meter"], "read": ["/usr/share/meter"],
          "network": "connect", "memoryLimitMB": 50, "finishSeconds": 5, "restarts": 1
        }
        """, full, ingest,
    ])
    func `manifests of the first version stay readable, and each of their keys is known`(json: String) throws {
        #expect(try ServiceManifest.read(Array(json.utf8)).unknownKeys == [])
    }

    @Test func `a service that binds UDP says so, with a network`() throws {
        #expect(try decode(#"{"kinecast": 2, "id": "a", "executable": "b", "udp": true}"#).bindsUDP)
        let none = #"{"kinecast": 2, "id": "a", "executable": "b", "udp": false, "network": "none"}"#
        #expect(try !decode(none).bindsUDP)
        let old = try ServiceManifest.read(Array(#"{"id": "a", "executable": "b", "udp": true}"#.utf8))
        #expect(!old.manifest.bindsUDP && old.unknownKeys == ["udp"], "the first form has no such key")
        let problem = #expect(throws: ServiceManifest.Problem.self) {
            try decode(#"{"kinecast": 2, "id": "a", "executable": "b", "udp": true, "network": "none"}"#)
        }
        #expect(problem?.description == "udp needs \"network\": \"connect\" beside it")
    }

    @Test func `a service whose server can be asked says so, with addresses and a network`() throws {
        func manifest(_ rest: String, form: Int = 2) -> String {
            #"{"kinecast": \#(form), "id": "a", "executable": "b", "check": true\#(rest)}"#
        }
        let schemes = #", "urlSchemes": ["a"]"#
        #expect(try decode(manifest(schemes)).hasCheck)
        let old = try ServiceManifest.read(Array(manifest(schemes, form: 1).utf8))
        #expect(!old.manifest.hasCheck && old.unknownKeys == ["check"], "the first form has no such key")
        for rest in ["", schemes + #", "network": "none""#] {
            let problem = #expect(throws: ServiceManifest.Problem.self) { try decode(manifest(rest)) }
            #expect(problem?.description == "check needs urlSchemes and \"network\": \"connect\" beside it")
        }
        #expect(BuiltInServices.manifests.filter(\.hasCheck).map(\.id) == ["youtube", "twitch", "rtmp"])
    }

    @Test func `keys of a later version are ignored and named`() throws {
        let later = """
            {"id": "a", "executable": "b", "icon": "a.png", "memoryLimitMb": 5, "\\u001b": 1,
             "video": {"raw": {"hdr": {"width": 1}, "maximumSize": {"width": 640, "height": 360, "depth": null}}},
             "audio": {"music": "opus"}, "setup": [{"key": "x"}, {"key": "y", "choices": ["1", "2"]}]}
            """
        var expected = ServiceManifest(id: "a", name: "a", executable: "b")
        expected.video = .raw(
            pixelFormat: .i420, maximumSize: PixelSize(width: 640, height: 360), framesPerSecond: nil)
        expected.setup = [.init(key: "x", title: "x"), .init(key: "y", title: "y")]
        let (manifest, unknownKeys) = try ServiceManifest.read(Array(later.utf8))
        #expect(manifest == expected)
        #expect(
            Set(unknownKeys).isSuperset(of: [
                "audio.music", "icon", "memoryLimitMb", "setup[1].choices", "video.raw.hdr",
                "video.raw.maximumSize.depth",
            ]) && unknownKeys.count == 7)
        #expect(unknownKeys.filter { !$0.isPrintable } == [], "they are shown in a terminal")
    }

    @Test(arguments: [
        (
            #""size": {"width": 540, "height": 960}, "crop": "fill""#,
            FrameShape(size: PixelSize(width: 540, height: 960), crop: .fill)
        ),
        (#""orientation": 6"#, FrameShape(orientation: .right)),
        (
            #""crop": {"y": 40, "width": 641, "height": 360}, "orientation": 1"#,
            FrameShape(crop: .part(PixelRect(x: 0, y: 40, width: 641, height: 360)))
        ),
        (#""crop": "fit", "orientation": 1, "size": null"#, nil),
    ])
    func `frames are cut, turned and scaled as asked`(keys: String, shape: FrameShape?) throws {
        let json = #"{"id": "a", "executable": "b", "video": {"raw": {\#(keys)}}}"#
        let (manifest, unknownKeys) = try ServiceManifest.read(Array(json.utf8))
        #expect(
            manifest.video == .raw(pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil, shape: shape))
        #expect(unknownKeys == [])
    }

    @Test(arguments: [
        (#""orientation": "source""#, FrameOrientation.source, nil),
        (
            #""orientation": "source", "size": {"width": 64, "height": 36}, "crop": "fill""#, .source,
            FrameShape(size: PixelSize(width: 64, height: 36), crop: .fill)
        ),
        (#""orientation": "upright""#, .upright, nil), (#""orientation": null"#, .upright, nil),
        (#""orientation": 8"#, .upright, FrameShape(orientation: .left)), ("", .upright, nil),
    ])
    func `frames are upright, or in the source's orientation if that is asked for`(
        keys: String, orientation: FrameOrientation, shape: FrameShape?
    ) throws {
        let json = #"{"id": "a", "executable": "b", "video": {"raw": {\#(keys)}}}"#
        let (manifest, unknownKeys) = try ServiceManifest.read(Array(json.utf8))
        #expect(
            manifest.video
                == .raw(
                    pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil, shape: shape, orientation: orientation))
        #expect(unknownKeys == [])
    }

    @Test func `a manifest that is too long is not read`() {
        #expect(throws: ServiceManifest.Problem.self) {
            try ServiceManifest.read([UInt8](repeating: 0x20, count: ServiceManifest.fileLimit + 1))
        }
    }

    @Test func `too deeply nested lists are an error`() {
        #expect(throws: ServiceManifest.Problem.self) {
            try decode(String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000))
        }
    }
}
