// The settings and the icons of services, on real files.
import FoundationEssentials
import Glibc
import HTTPTypes
import KineMeasure
import KinePlatform
import KineWire
import SystemPackage
import Testing

@testable import KineServices
@testable import KineStudio

@Suite struct ServiceSettingsTests {
    private struct Place {
        let files: FilePath
        let configuration: FilePath
        let stored: ServiceSettings

        private func call(_ body: String) -> StudioCall {
            StudioCall(request: StudioRequest(), parameters: [:], body: Array(body.utf8))
        }

        init(_ directory: FilePath) throws {
            (files, configuration) = (directory.appending("files"), directory.appending("configuration"))
            stored = ServiceSettings(KeptSettings(in: configuration))
            try #require(mkdir(files.string, 0o700) == 0)
        }

        func settings(_ body: String, for services: String...) throws -> TakeSettings {
            try TakeSettings(
                of: services.compactMap { DestinationName("service:\($0)") }, call(body), stored,
                among: { ["first", "second", "guided"].map(ServiceSettingsTests.service) }, in: files)
        }

        func problem(_ body: String, for services: String...) throws -> String? {
            let problem = #expect(throws: (any Error).self) {
                try TakeSettings(
                    of: services.compactMap { DestinationName("service:\($0)") }, call(body), stored,
                    among: { ["first", "second", "guided"].map(ServiceSettingsTests.service) }, in: files)
            }
            return problem.map { StudioProblem($0).message }
        }
    }

    private static func service(_ id: String) -> Service {
        var manifest = ServiceManifest(id: id, name: "Service \(id)", executable: "run")
        var count = ServiceManifest.SetupField(key: "count", title: "Count")
        count.kind = .number(.init(minimum: 1))
        manifest.setup = [.init(key: "key", title: "Key", isRequired: true, isSecret: true), count]
        if id == "guided" { manifest.setupProgram = "setup" }
        return Service(manifest: manifest, origin: .user, bundle: "/nowhere", executable: "/nowhere/run")
    }

    @Test func `a second service's bad value leaves no file of the first one's, and keeps nothing`() throws {
        try TemporaryDirectory.with { directory in
            let place = try Place(directory)
            let good = #""first":{"key":"hush"}"#
            for (second, words) in [
                (#"{"key":"hush","count":"0"}"#, "Count"), ("{}", "Key"), (#"{"key":"hush","other":"1"}"#, "other"),
            ] {
                let problem = try place.problem(
                    #"{"settings":{\#(good),"second":\#(second)},"keep":["first"]}"#, for: "first", "second")
                #expect(problem?.contains(words) == true, "\(problem as Any)")
            }
            #expect(try place.problem(#"{"settings":{\#(good)}}"#, for: "first", "absent")?.contains("absent") == true)
            #expect(try place.problem("{}", for: "guided")?.contains("has to be set up first") == true)
            #expect(try place.problem(#"{"settings":{"first":{"key":1}}}"#, for: "first") != nil)
            #expect(PrivateDirectory.entries(place.files) == [])
            #expect(access(place.configuration.string, F_OK) != 0)
        }
    }

    @Test func `settings that cannot be kept leave no file`() throws {
        try TemporaryDirectory.with { directory in
            let place = try Place(directory)
            // A file in the place of the directory for settings: they cannot be kept.
            try PrivateDirectory.write([], to: place.configuration)
            let problem = try place.problem(
                #"{"settings":{"first":{"key":"hush"}},"keep":["first"]}"#, for: "first")
            #expect(problem?.contains("cannot be written") == true)
            #expect(PrivateDirectory.entries(place.files) == [])
        }
    }

    @Test func `settings are kept when asked in a file of their owner's, used again, and forgotten`() throws {
        try TemporaryDirectory.with { directory in
            let place = try Place(directory)
            let given = #"{"settings":{"first":{"key":"hush","count":""}}"#
            var files = try place.settings(given + "}", for: "first")
            #expect(place.stored.state(of: Self.service("first")) == nil, "nobody asked to keep them")
            files.remove()
            files = try place.settings(given + #","keep":["first","other"]}"#, for: "first")
            files.remove()
            #expect(place.stored.state(of: Self.service("first")) == .kept)
            let kept = place.configuration.appending("kinecast/services/first.json")
            #expect(PrivateDirectory.contents(of: kept, limit: 100) == Array(#"{"key":"hush"}"#.utf8))
            for (path, mode) in [(kept, 0o600), (kept.removingLastComponent(), 0o700)] {
                var status = stat()
                #expect(stat(path.string, &status) == 0 && status.st_mode & 0o777 == mode, "\(path)")
            }
            files = try place.settings("{}", for: "first")
            let argument = try #require(files.arguments.first)
            #expect(files.arguments.count == 1 && argument.hasPrefix("--set=first.key=@") && !argument.contains("hush"))
            let file = FilePath(String(argument.dropFirst("--set=first.key=@".count)))
            #expect(PrivateDirectory.contents(of: file, limit: 100) == Array("hush\n".utf8))
            files.remove()
            try place.stored.forget("first")
            #expect(place.stored.state(of: Self.service("first")) == nil && access(kept.string, F_OK) != 0)
            #expect(try place.problem("{}", for: "first")?.contains("Key") == true)
            #expect(PrivateDirectory.entries(place.files) == [])
        }
    }

    @Test func `a default is not kept, since it may change, and each part of a server is judged`() throws {
        try TemporaryDirectory.with { directory in
            let stored = try Place(directory).stored
            let youtube = Service(
                manifest: BuiltInServices.youtube, origin: .builtIn, bundle: nil, executable: "/nowhere")
            let server = try #require(youtube.manifest.setup.first { $0.key == "server" }?.defaultValue)
            #expect(try stored.checked(youtube, ["server": server, "key": "hush"]) == ["key": "hush"])
            let own = ["server": "rtmp://127.0.0.1:1/live", "key": "hush"]
            #expect(try stored.checked(youtube, own) == own)
            #expect(throws: Service.SetupProblem.self) { try stored.checked(youtube, ["server": server]) }
        }
        func problems(_ values: [String: String]) -> [String: String] {
            FieldProblems(of: values, in: BuiltInServices.rtmp.fields).problems
        }
        #expect(problems(["server": "host/app"]) == ["server": "Server has to begin with rtmp:// or rtmps://."])
        #expect(
            problems(["server": "rtmp://host", "key": "two words"]) == [
                "server": "Server needs an application behind the host, such as rtmp://live.example.org/app.",
                "key": "Stream key has a blank in it; leave that out.",
            ])
        #expect(problems(["server": "rtmp://host/app", "key": "hush"]) == [:] && problems(["server": ""]) == [:])
    }

    @Test func `what a setup program returned is not for another service that comes to have its id`() throws {
        try TemporaryDirectory.with { directory in
            let stored = try Place(directory).stored
            var service = Self.service("guided")
            service.installation = ServiceInstallation(source: "/one.kinext")
            stored.add(["key": "hush"], returnedBy: service)
            #expect(stored.state(of: service) == .returned && stored.values(of: service, [:]) == ["key": "hush"])
            service.installation = ServiceInstallation(source: "/one.kinext")
            #expect(stored.state(of: service) == nil && stored.values(of: service, [:]) == [:])
        }
    }

    @Test func `an icon is served as an image that runs no script, and not from outside the bundle or if it is huge`()
        throws
    {
        try TemporaryDirectory.with { directory in
            var service = Self.service("first")
            service.bundle = directory
            func icon(_ name: String?) -> StudioAnswer? {
                service.manifest.icon = name
                return StudioAnswer(iconOf: service)
            }
            try PrivateDirectory.write(Array("<svg/>".utf8), to: directory.appending("a.svg"))
            try PrivateDirectory.write([UInt8](repeating: 0, count: 257 << 10), to: directory.appending("big.png"))
            try #require(symlink("/etc/hostname", directory.appending("link.png").string) == 0)
            let svg = try #require(icon("a.svg"))
            #expect(svg.type == "image/svg+xml" && svg.body == Array("<svg/>".utf8))
            #expect(svg.fields.contains { $0.0 == .contentSecurityPolicy && $0.1.contains("sandbox") })
            for name in [nil, "absent.svg", "big.png", "link.png"] {
                #expect(icon(name) == nil, "\(name ?? "none")")
            }
        }
    }
}
