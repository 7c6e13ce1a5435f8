// The identity of an app, from the file beside its executable.
import KineMeasure
import KineMedia
import Testing

@testable import Kinecast

@Suite struct AppIdentityTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func `every key is read, and one of a later version does no harm`() throws {
        let text = """
            {"kinecast": 1, "identifier": "org.example.Recorder", "name": "Recorder", "icon": "camera-video",
             "desktopFile": "org.example.Recorder", "urlSchemes": ["exampleapp"], "groups": ["org.example.group"],
             "colour": "red"}
            """
        try folder.write(text.utf8, to: "kinecast-app.json")
        var expected = AppIdentity(identifier: "org.example.Recorder", name: "Recorder")
        expected.icon = "camera-video"
        expected.desktopFile = "org.example.Recorder"
        expected.urlSchemes = ["exampleapp"]
        expected.groups = ["org.example.group"]
        #expect(try AppIdentity.ofThisProcess(executable: folder.file("app")) == expected)
    }

    @Test func `groups may name their services`() throws {
        let text = #"{"identifier": "a", "groups": {"org.example.group": ["org.example.one", "two"], "b": []}}"#
        try folder.write(text.utf8, to: "kinecast-app.json")
        let app = try AppIdentity.ofThisProcess(executable: folder.file("app"))
        #expect(app.groups == ["b", "org.example.group"])
        #expect(app.groupServices == ["org.example.group": ["org.example.one", "two"], "b": []])
    }

    @Test func `without the file the executable's name is the identifier`() throws {
        let app = AppIdentity(identifier: "app", name: "app")
        #expect(try AppIdentity.ofThisProcess(executable: folder.file("app")) == app)
        #expect(try AppIdentity.ofThisProcess(executable: folder.file("My app")).identifier == "My-app")
        #expect(try AppIdentity.ofThisProcess(executable: folder.file(".é")).identifier == "app.-")
    }

    @Test func `an identity given in code cannot leave the recordings' directory`() async throws {
        let recorder = ScreenRecorder(app: AppIdentity(identifier: "../../x"))
        let error = await #expect(throws: RecordingError.self) { try await recorder.startRecording() }
        #expect(error?.code == .unavailable)
        #expect(error?.message.hasPrefix("The app's identifier “../../x” has to begin") == true)
    }

    @Test(arguments: [
        (#"{"name": "x"}"#, "identifier is missing"), (#"{"identifier": "../x"}"#, "identifier has to begin"),
        (#"{"identifier": "a", "kinecast": 2}"#, "kinecast is 2"), (#"{"identifier": 5}"#, "identifier has to be text"),
        (#"{"identifier": "a", "groups": ["a/b"]}"#, "groups holds"),
        (#"{"identifier": "a", "groups": {"a/b": []}}"#, #"groups holds "a/b", which is not an identifier"#),
        (#"{"identifier": "a", "groups": {"g": ["../x"]}}"#, #"groups.g holds "../x", which is not an identifier"#),
        (#"{"identifier": "a", "groups": {"g": "x"}}"#, "groups.g has to be a list"), ("[]", "the file has to be"),
        ("", "is not JSON"),
    ])
    func `a wrong file is an error that names the place`(text: String, problem: String) throws {
        try folder.write(text.utf8, to: "kinecast-app.json")
        let error = #expect(throws: RecordingError.self) {
            try AppIdentity.ofThisProcess(executable: folder.file("app"))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
    }
}
