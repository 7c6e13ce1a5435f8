// Settings of manifests of the second form: what they say, what values they take, and that the first form is as it was.
import KineWire
import Testing

@testable import KineServices

@Suite struct SetupFieldTests {
    typealias Field = ServiceManifest.SetupField

    private func read(_ json: String) throws(ServiceManifest.Problem) -> (
        manifest: ServiceManifest, unknownKeys: [String]
    ) {
        try ServiceManifest.read(Array(json.utf8))
    }

    private func field(_ json: String) throws -> Field {
        try #require(
            try read(#"{"kinecast": 2, "id": "a", "executable": "b", "setup": [\#(json)]}"#).manifest.setup.first)
    }

    @Test func `a field of every type is understood`() throws {
        let text = try field(
            #"{"key": "name", "title": "Name", "hint": "As on the site", "minimumLength": 2, "maximumLength": 5, "pattern": "*"}"#
        )
        #expect(text.hint == "As on the site" && text.kind == .text(.init(lengths: 2...5, pattern: SetupPattern("*"))))
        let secret = try field(#"{"key": "k", "type": "secret", "pattern": "live_[0-9]*"}"#)
        #expect(secret.isSecret && secret.problem(with: "live_1x") == nil)
        let choice = try field(
            #"{"key": "c", "type": "choice", "choices": ["low", {"value": "high", "title": "Best"}], "default": "low"}"#
        )
        #expect(choice.kind == .choice([.init(value: "low"), .init(value: "high", title: "Best")]))
        let number = try field(#"{"key": "n", "type": "number", "minimum": 1, "maximum": 60, "whole": true}"#)
        #expect(number.kind == .number(.init(minimum: 1, maximum: 60, isWhole: true)))
    }

    private static let host = "needs a host behind ://, such as rtmp://live.example.org/app"
    private static let application = "needs an application behind the host, such as rtmp://live.example.org/app"

    @Test(
        arguments: [
            ("name", #""minimumLength": 2, "maximumLength": 5"#, "abcdef", "has 6 characters and has to have 2 to 5"),
            ("name", #""minimumLength": 3, "maximumLength": 3"#, "ab", "has 2 characters and has to have 3"),
            ("key", #""type": "secret", "pattern": "live_*""#, "dead_1", "has to look like \"live_*\""),
            ("c", #""type": "choice", "choices": ["low", "high"]"#, "middle", "has to be \"low\" or \"high\""),
            ("n", #""type": "number", "minimum": 1, "maximum": 60"#, "61", "has to be a number from 1 to 60"),
            ("n", #""type": "number", "minimum": 1.5"#, "1", "has to be 1.5 or more"),
            ("n", #""type": "number", "maximum": 60"#, "60.5", "has to be 60 or less"),
            ("n", #""type": "number", "whole": true"#, "1.5", "has to be a whole number"),
            ("n", #""type": "number""#, "nan", "has to be a number"),
            ("n", #""type": "number""#, "ten", "has to be a number"),
            ("s", #""format": "server""#, "http://host/app", "has to begin with rtmp:// or rtmps://"),
            ("s", #""format": "server""#, "host/app", "has to begin with rtmp:// or rtmps://"),
            ("s", #""format": "server""#, "rtmp://", SetupFieldTests.host),
            ("s", #""format": "server""#, "rtmp://:1935/app", SetupFieldTests.host),
            ("s", #""format": "server""#, "rtmp://host:70000/app", SetupFieldTests.host),
            ("s", #""format": "server""#, "rtmp://me:pass@/app", SetupFieldTests.host),
            ("s", #""format": "server""#, "rtmp://host\u{301}/app", SetupFieldTests.host),
            ("s", #""format": "server""#, "rtmps://host", SetupFieldTests.application),
            ("s", #""format": "server""#, "rtmp://host/", SetupFieldTests.application),
            ("s", #""format": "server""#, "rtmp://host?a=b", SetupFieldTests.application),
            ("s", #""format": "server""#, "rtmp://host/?a=b", SetupFieldTests.application),
            ("s", #""format": "server""#, "rtmp://host/a b", "has a blank in it; leave that out"),
            ("k", #""type": "secret", "format": "key""#, "hush ", "has a blank in it; leave that out"),
            (
                "k", #""type": "secret", "format": "key""#, "rtmp://host/app/hush",
                "is an address; give only the key, which stands behind its last slash"
            ),
            (
                "p", #""format": "page""#, "live.example.org",
                "has to begin with http:// or https:// and a host, and has no ? and no #"
            ),
            (
                "p", #""format": "page""#, "https://live.example.org/#hush",
                "has to begin with http:// or https:// and a host, and has no ? and no #"
            ),
        ] as [(String, String, String, String)])
    func `a value that does not fit is told in words`(
        key: String, rest: String, value: String, sentence: String
    ) throws {
        let field = try field(#"{"key": "\#(key)", \#(rest)}"#)
        #expect(try #require(field.problem(with: value)).description == sentence)
        #expect(field.problem(with: "") == nil, "an empty value is none")
        let service = Service(
            manifest: try read(
                #"{"kinecast": 2, "id": "a", "executable": "b", "setup": [{"key": "\#(key)", \#(rest)}]}"#
            )
            .manifest, origin: .user, bundle: nil, executable: "/b")
        let problem = #expect(throws: Service.SetupProblem.self) { try service.setupInfo(from: [key: value]) }
        #expect(problem.map { $0.description.contains(sentence) && !$0.description.contains(value + ";") } == true)
    }

    @Test(
        arguments: [
            ("live_*", "live_", true), ("live_*", "xlive_", false), ("*_key", "a_key_key", true), ("a?c", "abc", true),
            ("a?c", "ac", false), ("[a-c0-9][a-c0-9]", "b7", true), ("[a-c]", "d", false), ("[!a-c]", "d", true),
            ("[]x]", "]", true), ("[-a]", "-", true), ("*a*b*c*", "xxaxxbxxc", true), ("*a*b*c*", "xxaxxcxxb", false),
            ("", "", nil), ("[a", "", nil), ("[z-a]", "", nil), ("[]", "", nil), ("ü*", "üben", true),
        ] as [(String, String, Bool?)])
    func `a pattern matches as a shell's does`(pattern: String, text: String, matches: Bool?) {
        #expect(SetupPattern(pattern).map { $0.matches(text) } == matches)
    }

    @Test(
        arguments: [
            ("server", "rtmp://host/live"), ("server", "RTMPS://host:443/live2?backup=1"),
            ("server", "rtmp://me:p@ss@host/app/instance/"), ("server", "rtmp://[::1]:1935/app"),
            ("key", "live_1?bandwidthtest=true"), ("key", "FB-1?a=x/y"), ("page", "https://live.example.org/screen"),
        ])
    func `a text of a format is accepted as people write it`(format: String, value: String) throws {
        #expect(try field(#"{"key": "a", "format": "\#(format)"}"#).problem(with: value) == nil)
    }

    @Test func `an advanced field never has to be filled in`() throws {
        #expect(try field(#"{"key": "a", "advanced": true}"#).isAdvanced)
        #expect(try field(#"{"key": "a", "advanced": true, "required": true, "default": "x"}"#).isAdvanced)
        #expect(try !field(#"{"key": "a", "required": true}"#).isAdvanced)
    }

    @Test func `a pattern that would make a regular expression try for ever is answered`() throws {
        let pattern = try #require(SetupPattern(String(repeating: "*a", count: 100)))
        #expect(!pattern.matches(String(repeating: "a", count: 10_000) + "b"))
    }

    @Test(arguments: [
        (#"{"key": "a", "type": "colour"}"#, "setup[0].type"),
        (#"{"key": "a", "type": "choice"}"#, "setup[0].choices"),
        (#"{"key": "a", "type": "choice", "choices": ["x", "x"]}"#, "setup[0].choices"),
        (#"{"key": "a", "type": "choice", "choices": ["x", ""]}"#, "setup[0].choices"),
        (#"{"key": "a", "type": "choice", "choices": ["x"], "default": "y"}"#, "setup[0].default"),
        (#"{"key": "a", "type": "number", "minimum": 2, "maximum": 1}"#, "setup[0].minimum"),
        (#"{"key": "a", "minimumLength": 9, "maximumLength": 1}"#, "setup[0].minimumLength"),
        (#"{"key": "a", "minimum": 2}"#, "setup[0].minimum"), (#"{"key": "a", "pattern": "["}"#, "setup[0].pattern"),
        (#"{"key": "a", "type": "number", "file": true}"#, "setup[0].file"), (#"{"title": "a"}"#, "setup[0].key"),
        (#"{"key": "a", "advanced": true, "required": true}"#, "setup[0].advanced"),
        (#"{"key": "a", "advanced": true, "required": true, "default": ""}"#, "setup[0].advanced"),
        (#"{"key": "a", "format": "colour"}"#, "setup[0].format"),
        (#"{"key": "a", "type": "number", "format": "key"}"#, "setup[0].format"),
        (#"{"key": "a", "format": "server", "default": "host"}"#, "setup[0].default"),
        (#""a""#, "setup[0]"),
    ])
    func `a mistake in a field is told with its place`(json: String, place: String) {
        let problem = #expect(throws: ServiceManifest.Problem.self) {
            try read(#"{"kinecast": 2, "id": "a", "executable": "b", "setup": [\#(json)]}"#)
        }
        #expect(problem?.place == place)
    }

    @Test func `the first form is read as before, and names the keys of the second as unknown`() throws {
        let json = """
            {"kinecast": 1, "id": "a", "executable": "b", "icon": "a.png",
             "setup": [{"key": "k", "type": "number", "minimum": 2, "default": "x", "advanced": true}]}
            """
        let (manifest, unknown) = try read(json)
        var expected = ServiceManifest(id: "a", name: "a", executable: "b")
        expected.setup = [Field(key: "k", title: "k", defaultValue: "x")]
        #expect(manifest == expected)
        #expect(unknown == ["icon", "setup[0].advanced", "setup[0].minimum", "setup[0].type"])
    }

    @Test(arguments: [#""a/b.png""#, #""a.exe""#, #"".png""#, #""../a.png""#])
    func `an icon is a picture in the bundle`(icon: String) {
        let problem = #expect(throws: ServiceManifest.Problem.self) {
            try read(#"{"kinecast": 2, "id": "a", "executable": "b", "icon": \#(icon)}"#)
        }
        #expect(problem?.place == "icon")
    }

    @Test(arguments: [
        #"{"key": "a", "title": "A", "required": true, "default": "x", "hint": "h", "pattern": "x*", "minimumLength": 1}"#,
        #"{"key": "a", "type": "secret", "maximumLength": 5}"#,
        #"{"key": "a", "type": "choice", "choices": ["b", {"value": "c", "title": "C"}], "default": "b"}"#,
        #"{"key": "a", "type": "number", "minimum": 1, "whole": true}"#,
        #"{"key": "a", "advanced": true, "required": true, "default": "rtmp://h/a", "format": "server"}"#,
    ])
    func `a field that was sent to the studio has the same rules there`(json: String) throws {
        let field = try field(json)
        #expect(Field(SetupQuestionField(field)) == field)
    }

    @Test func `a secret's default stays here, and a field without rules that can be kept is none`() throws {
        let field = try field(#"{"key": "a", "type": "secret", "required": true, "default": "hush"}"#)
        let question = SetupQuestionField(field)
        #expect(question.default == nil && question.required != true)
        var wrong = SetupQuestionField(key: "a", type: .number)
        (wrong.minimum, wrong.maximum) = (2, 1)
        #expect(Field(wrong) == nil)
    }

    @Test func `a right is the same in the studio`() {
        let rights: [ServiceRight] = [
            .connect, .bindUDP, .listen(setting: "l"), .read("/r"), .group("g"), .environment("E"),
        ]
        #expect(rights.map { SheetRight($0).kind } == SheetRight.Kind.allCases)
        #expect(rights.map { SheetRight($0).subject } == [nil, nil, "l", "/r", "g", "E"])
    }
}
