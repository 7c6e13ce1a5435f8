// Frames that a confined extension passes on to an app of its group, with both of them killed in between.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineServices
import KineWire
import SystemPackage
import Testing

@testable import ProcessTesting

@Suite(.serialized, .tags(.real, .programs)) struct FramePassingTests {
    private static let group = "org.example.passing"

    @Test func `an app gets an extension's frames and audio as the engine made them`() throws {
        try TestPlace.with { place in
            try Self.install(in: place)
            let app = try Self.startApp(in: place)
            let engine = try EngineUnderTest(Self.take(place, ["group": Self.group]), in: place)
            try engine.phase(.live)
            for _ in 0..<10 { try app.line("frame") }
            try app.line("audioApp")
            try app.line("frame")
            _ = try engine.stop()
            app.signal(SIGTERM)
            let said = try app.wait().output.split(separator: "\n").filter { $0.hasPrefix("frame ") }
            let sums = Set(try Self.contents("sums", in: place).split(separator: "\n").map(String.init))
            let frames = said.map { $0.split(separator: " ").dropFirst().prefix(2).joined(separator: " ") }
            #expect(Set(frames).isSubset(of: sums), "the pixels are those that the extension saw")
            let times = frames.compactMap { Int64($0.split(separator: " ")[0]) }
            #expect(times == times.sorted() && Set(times).count == times.count)
        }
    }

    @Test func `what an extension publishes, sets and posts reaches its group, and another group does not let it in`()
        throws
    {
        try TestPlace.with { place in
            try Self.install(in: place)
            try place.makeDirectory(".local/share/kinecast/groups")
            try place.makeDirectory(".local/share/kinecast/groups/org.example.other")
            let secret = ".local/share/kinecast/groups/org.example.other/secret"
            try place.write("secret", to: secret)
            let setup = ["group": Self.group, "other": "org.example.other", "path": place.path(secret)]
            let engine = try EngineUnderTest(Self.take(place, setup), in: place)
            try engine.phase(.live)
            try engine.state(
                "This program is no member of the group org.example.other; add it to \"groups\" in manifest.json, and "
                    + "name the service in the app's kinecast-app.json.")
            try engine.state("no \(EACCES)")
            #expect(try Self.contents("greeting", in: place) == "from the extension")
            let status = try #require(try engine.status().destinations.first)
            #expect(status.confinement == Sandbox.available, "confinement was on")
            _ = try engine.stop()
        }
    }

    @Test func `an extension that no manifest makes a member of the group fails with a sentence`() throws {
        try TestPlace.with { place in
            try Self.install(in: place) { $0.groups = [] }
            let engine = try EngineUnderTest(Self.take(place, ["group": Self.group]), in: place)
            guard case .failed(let reason) = try engine.ended().0 else {
                Issue.record("it did not fail")
                return
            }
            #expect(reason.contains("no member of the group \(Self.group)"), "\(reason)")
            // It was the take's only destination.
            _ = try engine.end()
        }
    }

    @Test func `a service that names another app's group goes on without it, with one warning`() throws {
        try TestPlace.with { place in
            let other = "org.example.other"
            try Self.install(in: place) { $0.groups.append(other) }
            let app = try Self.startApp(
                in: place, groups: "{\"\(Self.group)\": [\"passer\"], \"\(other)\": [\"messenger\"]}")
            let kept = place.path(".config/kinecast/groups.json")
            let setup = ["group": Self.group, "other": other, "path": kept]
            let engine = try EngineUnderTest(Self.take(place, setup), in: place)
            try engine.phase(.live)
            try engine.state("no \(EACCES)")
            try app.line("frame")
            let warnings = engine.kinds().compactMap { if case .warning(let words) = $0 { words } else { nil } }
            #expect(
                warnings == [
                    "Passer goes on without the group \(other): no app that shares it names passer in its "
                        + "kinecast-app.json; add it there and start the app."
                ])
            #expect(engine.kinds().contains { $0 == .state("no \(EACCES)") }, "what apps say is out of its reach")
            #expect(!engine.kinds().contains { $0 == .state("entered \(other)") })
            _ = try engine.stop()
            app.signal(SIGTERM)
            _ = try app.wait()
        }
    }

    @Test func `an app that no manifest makes a member of the group gets nothing`() throws {
        try TestPlace.with { place in
            try Self.install(in: place)
            let engine = try EngineUnderTest(Self.take(place, ["group": Self.group]), in: place)
            try engine.phase(.live)
            // This process has no manifest.
            let record = try #require(try place.registry().list().running.first)
            let client = try place.registry().connect(to: record)
            let answer = try client.ask(.receiveFrames(FrameRequest(group: Self.group)))
            guard case .failure(let refusal) = answer else {
                Issue.record("\(String(describing: answer))")
                return
            }
            #expect(refusal.code == .notPermitted && refusal.message.contains("no member of the group \(Self.group)"))
            _ = try engine.stop()
        }
    }

    @Test func `frames go on after the app was killed, and after the extension was`() throws {
        try TestPlace.with { place in
            try Self.install(in: place) { $0.restarts = 3 }
            let engine = try EngineUnderTest(Self.take(place, ["group": Self.group]), in: place)
            try engine.phase(.live)
            let first = try Self.startApp(in: place)
            try first.line("frame")
            first.signal(SIGKILL)
            _ = try first.wait()
            let second = try Self.startApp(in: place)
            try second.line("frame")
            let pid = try #require(try engine.status().destinations.first?.pid)
            kill(pid, SIGKILL)
            try second.line("disconnected")
            try second.line("connected")
            try second.line("frame")
            _ = try engine.stop()
            // The next take is found, too.
            let another = try EngineUnderTest(Self.take(place, ["group": Self.group]), in: place)
            try second.line("disconnected")
            try second.line("connected")
            try second.line("frame")
            _ = try another.stop()
            second.signal(SIGTERM)
            _ = try second.wait()
        }
    }

    @Test func `an app that holds a frame for more than a second is disconnected, counts it, and gets the next`() throws
    {
        try TestPlace.with { place in
            try Self.install(in: place)
            let engine = try EngineUnderTest(Self.take(place, ["group": Self.group]), in: place)
            try engine.phase(.live)
            let app = try Self.startApp(in: place, holding: 1500)
            try app.line("frame")
            let event = try app.line("disconnected")
            #expect(event.split(separator: " ").last.flatMap { Int($0) } ?? 0 >= 1, "\(event)")
            try app.line("connected")
            try app.line("frame")
            let lost = try #require(try engine.status().destinations.first?.serviceInfo?["lost"].flatMap { Int($0) })
            #expect(lost >= 1)
            app.signal(SIGKILL)
            _ = try app.wait()
            _ = try engine.stop()
        }
    }

    // MARK: What they share

    private static func install(in place: TestPlace, _ change: (inout ServiceManifest) -> Void = { _ in }) throws {
        var manifest = ServiceManifest(id: "passer", name: "Passer", executable: "kinecast-passer")
        manifest.groups = [group]
        manifest.video = .raw(pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil)
        manifest.appAudio = .pcm
        manifest.setup = ["group", "other", "path", "wait"].map { .init(key: $0, title: $0) }
        manifest.restarts = 0
        change(&manifest)
        try place.install(manifest)
    }

    private static func take(_ place: TestPlace, _ setup: [String: String]) -> TakeConfiguration {
        var configuration = TakeConfiguration(source: .pattern(PixelSize(width: 320, height: 240)), output: nil)
        configuration.audio.app = .system(required: true)
        configuration.wantsProgress = true
        configuration.supervision.start = 120
        configuration.supervision.held = 120
        configuration.destinations = [.init(service: "passer", setupInfo: setup, label: "passer")]
        return configuration
    }

    /// The app in a directory of its own, with the manifest that makes it a member.
    private static func startApp(
        in place: TestPlace, holding milliseconds: Int = 0, groups: String = "{\"\(group)\": [\"passer\"]}"
    ) throws -> RunningKinecast {
        if access(place.path("app"), F_OK) != 0 {
            try place.makeDirectory("app")
            try place.write(
                "{\"identifier\": \"org.example.app\", \"groups\": \(groups)}", to: "app/kinecast-app.json")
            _ = try Tool.output("cp", [RunningKinecast.sibling("kinecast-frame-app"), place.path("app/app")])
        }
        let app = try RunningKinecast(
            arguments: [group, "\(milliseconds)"], environment: place.environment, directory: place.directory,
            executable: place.path("app/app"))
        try app.line("ready")
        return app
    }

    private static func contents(_ name: String, in place: TestPlace) throws -> String {
        let path = FilePath(place.path(".local/share/kinecast/groups/\(group)/\(name)"))
        let bytes = try #require(PrivateDirectory.contents(of: path, limit: 1 << 20))
        return String(decoding: bytes, as: UTF8.self)
    }
}
