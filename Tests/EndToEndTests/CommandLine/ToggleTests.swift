// `kinecast record --toggle`, pressed twice, twice at once, in a countdown, and after a take was killed: real programs.
import DesktopTesting
import Glibc
import KineDesktop
import KinePlatform
import Testing

@Suite(.tags(.real, .programs)) struct ToggleTests {
    private static let pattern = ["--pattern", "320x240", "--audio", "none"]

    private func toggle(
        _ place: TestPlace, _ arguments: String..., variables: [String] = []
    ) throws -> RunningKinecast {
        try place.start(["record", "--toggle"] + Self.pattern + arguments, variables)
    }

    @Test func `a second one ends what the first has begun, in the directory for videos, and no other take`() throws {
        try TestPlace.with { place in
            try place.makeDirectory("Videos")
            let other = try place.start(["record", "a.mp4", "--json"] + Self.pattern)
            try other.event("started")
            let first = try toggle(place, "--json")
            try first.recorded(0.5)
            let second = try toggle(place, "--json").wait()
            #expect(second.status == 0, "\(second)")
            #expect(try place.registry().list().running.map(\.output) == [place.path("a.mp4")])
            let ended = try first.wait()
            #expect(ended.status == 0, "\(ended)")
            let output = try #require(ended.events.last?.output)
            #expect(output.hasPrefix(place.path("Videos/Kinecast/Kinecast ")) && output.hasSuffix(".mp4"))
            #expect(second.events.compactMap(\.output) == [output])
            #expect(try TakeFile.finishedDuration(output) >= 0.5)
            other.signal(SIGINT)
            #expect(try other.wait().status == 0)
        }
    }

    @Test func `of two at once, one begins a take and the other ends it`() throws {
        try TestPlace.with { place in
            let both = [try toggle(place, "--json"), try toggle(place, "--json")]
            // Had both begun one, neither would end.
            let ended = try both.map { try $0.wait() }
            #expect(ended[0].status == ended[1].status, "\(ended)")
            #expect(ended[0].events.last?.output == ended[1].events.last?.output, "\(ended)")
            #expect(try place.registry().list().running.isEmpty)
        }
    }

    @Test func `after a take that was killed, the next one begins a take`() throws {
        try TestPlace.with { place in
            let first = try toggle(place, "-o", "a.mp4", "--json")
            try first.recorded(1)
            let engine = try place.registry().find(nil).pid
            try StrangerProcess.stop(engine)
            first.signal(SIGKILL)
            _ = try first.wait()
            kill(engine, SIGKILL)
            #expect(StrangerProcess.waitForEnd(of: engine))
            let next = try toggle(place, "-o", "b.mp4", "--json")
            try next.recorded(0.2)
            #expect(try toggle(place).wait().status == 0)
            #expect(try next.wait().status == 0)
            #expect(try TakeFile.finishedDuration(place.path("b.mp4")) > 0)
            #expect(try place.run("recover", "a.mp4").status == 0)
        }
    }

    @Test func `in a countdown, the next one cancels the take`() throws {
        try TestPlace.with { place in
            let first = try toggle(place, "-o", "a.mp4", "--countdown", "60", "--json")
            try first.event("countdown")
            let second = try toggle(place).wait()
            #expect(second.status == 0 && second.errors == "The countdown is cancelled.\n", "\(second)")
            let ended = try first.wait()
            #expect(ended.status == ExitStatus.unavailable, "\(ended)")
            #expect(ended.events.last?.result == "failed" && !ended.events.contains { $0.event == "started" })
            #expect(access(place.path("a.mp4"), F_OK) != 0)
        }
    }

    @Test func `notifications say that a take has begun and where it is, or why there is none`() throws {
        let bus = try TestBus()
        let daemon = try NotificationDaemon(bus)
        defer { withExtendedLifetime((bus, daemon)) {} }
        let desktop = ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"]
        try TestPlace.with { place in
            let first = try toggle(place, "-o", "a.mp4", variables: desktop)
            let begun = try daemon.wait("the beginning") { $0.title == "Recording: a.mp4" }
            #expect(begun.hints["urgency"] == .byte(0))
            #expect(try toggle(place, variables: desktop).wait().status == 0)
            let saved = try daemon.wait("the end") { $0.title == "Saved a.mp4" }
            #expect(saved.text.hasSuffix(", in \(place.directory)") && saved.id == begun.id, "\(saved)")
            #expect(try first.wait().status == 0)
            #expect(daemon.notifyCount == 2)
            let again = try toggle(place, "-o", "a.mp4", variables: desktop).wait()
            #expect(again.status == ExitStatus.cannotCreate, "\(again)")
            _ = try daemon.wait("the reason") { $0.text.contains("--overwrite") }
            // Whichever counts down, the other cancels it, which is no problem.
            let both = try (0..<2).map { _ in
                try toggle(place, "-o", "b.mp4", "--countdown", "60", variables: desktop)
            }
            _ = try daemon.wait("the cancelled countdown") { $0.title == "The countdown is cancelled" }
            #expect(try Set(both.map { try $0.wait().status }) == [0, ExitStatus.unavailable])
        }
    }
}
