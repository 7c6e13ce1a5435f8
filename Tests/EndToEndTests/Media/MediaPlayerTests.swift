// Files that play everywhere.
import Glibc
import KineMeasure
import KineMedia
import ScreenTesting
import Testing

extension MediaTests {
    @Suite struct MediaPlayerTests {
        @Test(arguments: [[], ["--faststart"], ["--settings", "replaykit"], ["--cfr"]])
        func `a recording is accepted without a warning, and a browser plays it to its end`(options: [String]) throws {
            try TestPlace.with { place in
                let screen = try PrivateScreen(size: PixelSize(width: 641, height: 480))
                let scene = try SceneProcess(.clock, environment: ["DISPLAY=\(screen.name)"])
                defer { scene.end() }
                let ended = try place.run(
                    ["record", "a.mp4", "--audio", "none", "--duration", "2"] + options, ["DISPLAY=\(screen.name)"])
                try #require(ended.status == 0, "\(ended)")
                try Players.accept(place.path("a.mp4"))
                let played = try Players.play(place.path("a.mp4"), in: place)
                #expect(played.result == "ended")
                #expect((played.width, played.height) == (641, 480))
                #expect(abs(played.duration - 2) < 0.1)
                #expect(abs(played.position - played.duration) < 0.1)
            }
        }

        @Test func `a still screen's file is as long as the take and plays to its end`() throws {
            try TestPlace.with { place in
                let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
                let scene = try SceneProcess(.bars, environment: ["DISPLAY=\(screen.name)"])
                defer { scene.end() }
                let ended = try place.record(screen.name, "a.mp4", "--duration", "2").wait()
                try #require(ended.status == 0, "\(ended)")
                let video = try RecordedVideo(path: place.path("a.mp4"))
                #expect(abs(video.duration - 2) < 0.05)
                #expect(video.frames.count <= 3)
                try Players.accept(place.path("a.mp4"))
                let played = try Players.play(place.path("a.mp4"), in: place)
                #expect(played.result == "ended")
                #expect(abs(played.position - 2) < 0.1)
            }
        }
    }
}
