// The engine killed at any instant: what was recorded is there, but for a second, and becomes an ordinary file.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .endurance)) struct DeathLossTests {
    /// How often the engine is killed; the full run is KINECAST_KILLS=100.
    private static let kills = ProcessEnvironment.value("KINECAST_KILLS").flatMap { Int($0) } ?? 8

    /// Records, kills client and engine in one instant after `wait` nanoseconds of the take; returns the take's length in
    /// seconds, and for how many of them the machine let nothing run at worst. `marks`: when chapters begin.
    private func killedTake(
        _ display: String, in place: TestPlace, after wait: Int64, marks: [Int64] = [], _ arguments: String...
    ) throws -> (length: Double, heldUp: Double) {
        let take = try place.start(
            ["record", "a.mp4", "--overwrite", "--audio", "none", "--json"] + arguments, ["DISPLAY=\(display)"])
        try take.event("started")
        let start = MonotonicClock.now()
        let engine = try place.registry().find(nil).pid
        // Notes by how much it wakes too late: the engine's writer may be as late.
        var heldUp: Int64 = 0
        for mark in marks {
            _ = WakeSignal.poll([], until: start + mark)
            #expect(try place.run("mark", "Chapter at \(mark)").status == 0)
        }
        while case let now = MonotonicClock.now(), now < start + wait {
            let next = min(now + 20_000_000, start + wait)
            _ = WakeSignal.poll([], until: next)
            heldUp = max(heldUp, MonotonicClock.now() - next)
        }
        // Stopped, the engine does nothing more: this is the instant of its death.
        try StrangerProcess.stop(engine)
        let end = MonotonicClock.now()
        take.signal(SIGKILL)
        kill(engine, SIGKILL)
        _ = try take.wait()
        #expect(StrangerProcess.waitForEnd(of: engine))
        return (Double(end - start) / 1e9, Double(heldUp) / 1e9)
    }

    @Test func `whenever the engine is killed, at most a second is lost, but for what the machine held up`() throws {
        var numbers = SeededGenerator()
        try TestPlace.with { place in
            let size = PixelSize(width: 640, height: 480)
            let still = try PrivateScreen(size: size)
            let bars = try SceneProcess(.bars, environment: ["DISPLAY=\(still.name)"])
            defer { bars.end() }
            let moving = try PrivateScreen(size: size)
            let clock = try SceneProcess(.clock, environment: ["DISPLAY=\(moving.name)"])
            defer { clock.end() }
            for kill in 0..<Self.kills {
                let wait = Int64.random(in: 50_000_000...4_000_000_000, using: &numbers)
                let (length, heldUp) = try killedTake(
                    kill % 2 == 0 ? still.name : moving.name, in: place, after: wait)
                let path = place.path("a.mp4")
                guard let before = try PlayedFile(path) else {
                    // In its first second a take may have nothing on the disk yet.
                    Margin.atMost(1, length - heldUp, "s", "lost")
                    #expect(try place.run("dismiss").status == 0)
                    continue
                }
                let kind = kill % 2 == 0 ? "still" : "moving"
                Margin.atMost(1, length - before.duration - heldUp, "s", "lost")
                let recovered = try place.run("recover", "a.mp4")
                #expect(recovered.status == 0, "\(recovered)")
                let after = try PlayedFile(path)
                let isSame = after == before
                #expect(isSame, "\(kind): \(before.duration) s became \(after?.duration ?? -1)")
                try Players.accept(path)
                let again = try place.run("recover", "a.mp4")
                #expect(again.status == 0 && again.errors.contains("finished already"))
            }
        }
    }

    @Test func `a take that is killed at splits and marks loses a second and a half at most`() throws {
        var numbers = SeededGenerator()
        try TestPlace.with { place in
            let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
            let clock = try SceneProcess(.clock, environment: ["DISPLAY=\(screen.name)"])
            defer { clock.end() }
            for _ in 0..<Self.kills {
                let wait = Int64.random(in: 4_500_000_000...9_000_000_000, using: &numbers)
                let marks = [Int64.random(in: 500_000_000...3_000_000_000, using: &numbers), wait - 500_000_000]
                let (length, heldUp) = try killedTake(
                    screen.name, in: place, after: wait, marks: marks, "--split", "5s")
                var saved = 0.0
                let parts = try ["a-001.mp4", "a-002.mp4"].filter { try PlayedFile(place.path($0)) != nil }
                for part in parts {
                    let recovered = try place.run("recover", part)
                    #expect(recovered.status == 0, "\(recovered)")
                    // The end of a part waits for its last audio, and for the disk.
                    if part != parts.last, length > 8 { #expect(recovered.errors.contains("finished already")) }
                    saved += try TakeFile.finishedDuration(place.path(part))
                    try Players.accept(place.path(part))
                }
                Margin.atMost(1.5, length - saved - heldUp, "s", "lost")
                let chapters = try place.run("trim", "a-001.mp4", "--chapters").output
                #expect(chapters.contains("Chapter at \(marks[0])"), "\(chapters)")
                for part in ["a-001.mp4", "a-002.mp4"] { unlink(place.path(part)) }
            }
        }
    }
}
