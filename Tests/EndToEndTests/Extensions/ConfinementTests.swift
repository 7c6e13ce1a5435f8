// A hostile extension tries to reach the display, keys, the engine, other extensions and the user's files. With every layer it
// gets nothing, as root and as an ordinary user; with each layer left out it gets what the table in docs/confinement.md says.
import CLinux
import Glibc
import KineMedia
import KinePlatform
import SystemPackage
import Testing

@Suite(.serialized) struct ConfinementTests {
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
            (.seccomp, ["connect", "datagram", "attach", "memory file", "listen anywhere", "keyring"]),
            (.namespaces, ["command line"]),
        ].filter { Sandbox.available.contains($0.0) })
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

    @Test func `a take that requires a layer which is missing is refused`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            var configuration = place.faultyTake("none")
            configuration.confinement.isRequired = true
            configuration.confinement.leftOut = [.landlock]
            let ended = try EngineUnderTest(configuration, in: place).end()
            #expect(ended.exitStatus == ExitStatus.unavailable)
            #expect(ended.failure?.message.contains("landlock") == true)
            #expect(access(place.path("a.mp4"), F_OK) != 0, "nothing was begun")
        }
    }
}
