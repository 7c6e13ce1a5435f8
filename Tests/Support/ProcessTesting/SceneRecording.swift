// A scene on a screen of its own, and what `kinecast record` made of it.
import KineMeasure
import KineMedia
import ScreenTesting
import Testing

package struct SceneRecording {
    package let video: RecordedVideo
    package let summary: RunningKinecast.Event
    /// What the scene drew, and when.
    package let shown: [SceneProcess.Shown]

    /// Records the scene into `a.mp4` of the place, without audio, until the take ends by itself.
    package init(
        of scene: SceneKind, _ sceneArguments: [String] = [], in place: TestPlace, _ arguments: String...
    ) throws {
        let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
        let client = try SceneProcess(scene, arguments: sceneArguments, environment: ["DISPLAY=\(screen.name)"])
        defer { client.end() }
        let ended = try place.run(
            ["record", "a.mp4", "--audio", "none", "--json"] + arguments, ["DISPLAY=\(screen.name)"])
        try #require(ended.status == 0, "\(ended)")
        video = try RecordedVideo(path: place.path("a.mp4"))
        summary = try #require(ended.events.last)
        shown = try client.log()
    }
}
