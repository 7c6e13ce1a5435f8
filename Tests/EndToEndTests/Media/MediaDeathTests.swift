// An engine that is killed, and the file it leaves: recovering it loses nothing that could be played. How much a death costs at
// most is EnduranceTests' to judge.
import Glibc
import KineMeasure
import KineMedia
import ScreenTesting
import Testing

extension MediaTests {
    @Suite struct MediaDeathTests {
        @Test(arguments: [SceneKind.bars, .clock])
        func `what can be played of a killed take is what recovery keeps, frame for frame`(scene: SceneKind) throws {
            try TestPlace.with { place in
                let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
                let client = try SceneProcess(scene, environment: ["DISPLAY=\(screen.name)"])
                defer { client.end() }
                let take = try place.record(screen.name, "a.mp4")
                try take.event("progress") { ($0.duration ?? 0) > 1 }
                let engine = try place.registry().find(nil).pid
                // Both at once, or the client would recover the file by itself.
                try StrangerProcess.stop(engine)
                take.signal(SIGKILL)
                kill(engine, SIGKILL)
                _ = try take.wait()
                #expect(StrangerProcess.waitForEnd(of: engine))
                let path = place.path("a.mp4")
                let before = try #require(try PlayedFile(path), "nothing of it can be played")
                let recovered = try place.run("recover", "a.mp4")
                #expect(recovered.status == 0, "\(recovered)")
                let isSame = try PlayedFile(path) == before
                #expect(isSame)
                try Players.accept(path)
                let again = try place.run("recover", "a.mp4")
                #expect(again.status == 0 && again.errors.contains("finished already"))
            }
        }
    }
}
