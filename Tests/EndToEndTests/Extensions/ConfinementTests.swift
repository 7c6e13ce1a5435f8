// A hostile extension tries to reach the display, keys, the engine, other extensions and the user's files. With every layer it
// gets nothing, as root and as an ordinary user; with each layer left out it gets what the table in docs/confinement.md says.
import CLinux
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineServices
import KineWire
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct ConfinementTests {
    @Test func `with every layer a hostile extension gets nothing`() throws {
        try HostileTake.with { take in
            let outcomes = try take.run(leavingOut: [])
            for (attempt, outcome) in outcomes where !HostileTake.harmless.contains(attempt.name) {
                #expect(outcome != "got it" && outcome != "no such attempt", "\(attempt.name) \(attempt.argument)")
            }
            #expect(outcomes.count == take.attempts.count)
        }
    }

    @Test(
        arguments: [
            (Sandbox.Layer.landlock, ["read", "list", "change", "make", "remove"]),
            (
                .seccomp,
                [
                    "connect", "datagram", "raw pair", "take name", "attach", "memory file", "listen anywhere",
                    "bind UDP", "other netlink", "other family", "keyring", "mode", "own mode", "times", "owner",
                    "lease", "watch", "linger", "option", "disown", "outlive", "semaphores", "attributes",
                ]
            ),
            (.namespaces, ["command line"]),
        ] as [(Sandbox.Layer, [String])])
    func `without a layer it gets what only that layer stops`(layer: Sandbox.Layer, reached: [String]) throws {
        try HostileTake.with { take in
            let outcomes = try take.run(leavingOut: [layer])
            let got = Set(outcomes.filter { $0.outcome == "got it" }.map(\.attempt.name))
            #expect(got.isSuperset(of: reached), "only \(got.sorted())")
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can become an ordinary user"))
    func `as an ordinary user, too, it gets nothing`() throws {
        try HostileTake.with { take in
            let outcomes = try take.run(as: 65534)
            #expect(outcomes.count == take.attempts.count)
            for (attempt, outcome) in outcomes where !HostileTake.harmless.contains(attempt.name) {
                #expect(outcome != "got it" && outcome != "no such attempt", "\(attempt.name) \(attempt.argument)")
            }
        }
    }

    /// SwiftNIO calls `listen` once more for the socket that it is given.
    @Test func `a service that may also connect serves on the socket that it is given`() throws {
        try TestPlace.with { place in
            var manifest = ServiceManifest(id: "server", name: "Server", executable: "kinecast-publish")
            manifest.video = .encoded(codecs: [.h264], keyframeInterval: 2)
            manifest.setup = [.init(key: "listen", title: "Address")]
            manifest.listen = "listen"
            try place.install(manifest)
            var configuration = TakeConfiguration(
                source: .pattern(PixelSize(width: 320, height: 240)), output: place.path("a.mp4"))
            configuration.audio.app = .none
            configuration.destinations = [.init(service: "server", setupInfo: [:], label: "server")]
            let engine = try EngineUnderTest(configuration, in: place)
            let link = try engine.event("the link") { if case .link(let page) = $0 { page } else { nil } }.0
            let port = try #require(LiveLink(link)?.base.split(separator: ":").last.flatMap { UInt16($0.dropLast()) })
            for _ in 0..<3 {
                let answer = try HTTPExchange.ask(
                    port: port, method: "GET", path: "/", content: [],
                    deadline: MonotonicClock.now() + RunningKinecast.timeout)
                #expect(answer.status == 200)
            }
            _ = try engine.stop()
        }
    }

    @Test func `a bundle whose path has become a link to the home directory is not started, and the take goes on`()
        throws
    {
        try TestPlace.with { place in
            try place.makeDirectory("fonts")
            try place.installFaults { $0.readable.append(place.path("fonts")) }
            #expect(rmdir(place.path("fonts")) == 0 && symlink(".", place.path("fonts")) == 0)
            let engine = try EngineUnderTest(place.faultyTake("none"), in: place)
            guard case .failed(let reason) = try engine.ended().0 else {
                Issue.record("it did not fail")
                return
            }
            #expect(reason.contains("a link to \(place.directory), which no service may read"), "\(reason)")
            _ = try engine.stop()
        }
    }

    @Test func `a take that requires a layer which is missing is refused`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            var confinement = ConfinementRequest()
            confinement.isRequired = true
            confinement.leftOut = [.landlock]
            let ended = try EngineUnderTest(place.faultyTake("none"), confinement: confinement, in: place).end()
            #expect(ended.exitStatus == ExitStatus.unavailable)
            #expect(ended.failure?.message.contains("landlock") == true)
            #expect(access(place.path("a.mp4"), F_OK) != 0, "nothing was begun")
        }
    }
}
