// What a manifest may say, and how it is told that it says something else.
import KineMedia
import Testing

@testable import KineServices

@Suite struct ManifestTests {
    func decode(_ json: String) throws(ServiceManifest.Problem) -> ServiceManifest {
        try ServiceManifest.decode(Array(json.utf8))
    }

    static let full = """
        {"kinecast": 1, "id": "org.example.meter", "name": "Meter", "version": "1.0", "executable": "meter",
         "video": {"raw": {"pixelFormat": "nv12", "maximumSize": {"width": 1280, "height": 720}, "framesPerSecond": 30}},
         "audio": {"app": "aac", "mic": "pcm"},
         "setup": [{"key": "url", "title": "Address", "required": true, "secret": false, "default": "rtmp://a"},
                   {"key": "streamKey", "secret": true}, {"key": "place"}, {"key": "ca", "file": true}],
         "read": ["/usr/share/meter"], "network": "none", "listen": "place",
         "environment": ["HTTPS_PROXY"], "urlSchemes": ["rtmp", "rtmps"], "memoryLimitMB": 20.5, "finishSeconds": 2,
         "restarts": 0}
        """

    @Test func `everything that can be said is understood`() throws {
        let manifest = try decode(Self.full)
        var expected = ServiceManifest(id: "org.example.meter", name: "Meter", executable: "meter")
        expected.version = "1.0"
        expected.video = .raw(
            pixelFormat: .nv12, maximumSize: PixelSize(width: 1280, height: 720), framesPerSecond: 30)
        expected.appAudio = .aac
        expected.micAudio = .pcm
        expected.setup = [
            .init(key: "url", title: "Address", isRequired: true, defaultValue: "rtmp://a"),
            .init(key: "streamKey", title: "streamKey", isSecret: true), .init(key: "place", title: "place"),
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

    @Test func `what is absent has a default`() throws {
        let manifest = try decode(#"{"id": "a", "executable": "b"}"#)
        #expect(manifest == ServiceManifest(id: "a", name: "a", executable: "b"))
        #expect(manifest.memoryLimit == 50 << 20 && manifest.finishSeconds == 5 && manifest.restarts == 1)
        #expect(
            try decode(#"{"id": "a", "executable": "b", "video": {"encoded": {}}}"#).video
                == .encoded(codec: "h264", keyframeInterval: nil))
        #expect(
            try decode(#"{"id": "a", "executable": "b", "video": {"raw": {}}}"#).video
                == .raw(pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil))
    }

    @Test func `what was read is written as it can be read again`() throws {
        for json in [
            Self.full, #"{"id": "a", "executable": "b", "video": {"encoded": {"keyframeInterval": 2}}}"#, Self.ingest,
        ] {
            let manifest = try decode(json)
            #expect(try ServiceManifest.decode(manifest.encoded()) == manifest)
        }
        for manifest in BuiltInServices.manifests {
            #expect(try ServiceManifest.decode(manifest.encoded()) == manifest)
        }
    }

    static let ingest = """
        {"id": "a", "executable": "b", "video": {"encoded":
         {"maximumBitrate": 4500000, "maximumAccessUnit": 1000000, "stillFramesPerSecond": 10}}}
        """

    @Test func `what the far end expects is understood`() throws {
        #expect(
            try decode(Self.ingest).video
                == .encoded(
                    codec: "h264", keyframeInterval: nil,
                    expecting: .init(
                        maximumBitrate: 4_500_000, maximumAccessUnit: 1_000_000, stillFramesPerSecond: 10)))
    }

    @Test(arguments: [
        (#"["id"]"#, "is a list and has to be an object"),
        (#"{"id": "a", "executable": "b", "read": ["/usr/../home"]}"#, "read holds"),
        (#"{"id": "a", "executable": "b", "listen": "place"}"#, "listen has to be the key of a setting"),
        (#"{"executable": "b"}"#, "id is missing"),
        (#"{"id": "a"}"#, "executable is missing"),
        (#"{"id": "a b", "executable": "b"}"#, "id has to begin with a letter or a digit and consist of"),
        (#"{"id": "../a", "executable": "b"}"#, "id has to begin with"),
        (#"{"id": "a", "executable": "../b"}"#, "executable has to be the name of a file inside the bundle"),
        (#"{"id": "a", "executable": ".."}"#, "executable has to be the name"),
        (#"{"kinecast": 2, "id": "a", "executable": "b"}"#, "kinecast is 2 and this Kinecast reads 1"),
        (
            #"{"id": "a", "executable": "b", "memoryLimitMb": 5}"#,
            "memoryLimitMb is not known here; the keys are kinecast,"
        ),
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
        (#"{"id": "a", "executable": "b", "audio": {"app": 1}}"#, #"audio.app is 1 and has to be "aac" or "pcm""#),
        (#"{"id": "a", "executable": "b", "setup": [{"title": "x"}]}"#, "setup[0].key has to be given"),
        (
            #"{"id": "a", "executable": "b", "setup": [{"key": "x"}, {"key": "x"}]}"#,
            #"setup[1].key is "x" a second time"#
        ),
        (
            #"{"id": "a", "executable": "b", "environment": ["DISPLAY"]}"#,
            #"environment holds "DISPLAY", which is not the name of a variable that an extension may have"#
        ),
        (#"{"id": "a", "executable": "b", "urlSchemes": ["RTMP"]}"#, #"urlSchemes holds "RTMP", which is not"#),
        (#"{"id": "a", "executable": "b", "name": "x\u001b[2J"}"#, "name has to be one line"),
        ("not json", "it is not JSON"), ("", "it is not JSON"),
    ])
    func `what is wrong is named by its key, with what is allowed`(json: String, sentence: String) {
        do throws(ServiceManifest.Problem) {
            _ = try decode(json)
            Issue.record("it was accepted")
        } catch {
            #expect(error.description.hasPrefix(sentence) || error.description.hasPrefix(" " + sentence))
        }
    }

    @Test func `a manifest as long as a film is not read`() {
        #expect(throws: ServiceManifest.Problem.self) {
            try ServiceManifest.decode([UInt8](repeating: 0x20, count: ServiceManifest.fileLimit + 1))
        }
    }

    @Test func `lists within lists without end are an error`() {
        #expect(throws: ServiceManifest.Problem.self) {
            try decode(String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000))
        }
    }
}
