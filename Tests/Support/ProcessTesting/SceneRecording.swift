// A scene on a screen of its own, and what `kinecast record` made of it.
import KineMeasure
import KineMedia
import ScreenTesting
import Testing

/// A display of a test's own.
package enum TestDisplay: Sendable, CaseIterable, CustomTestStringConvertible {
    case x11, wayland

    package var testDescription: String { self == .x11 ? "Xvfb" : "sway" }

    /// A running display server, which ends with the last reference to it.
    package struct Server {
        /// For programs that are to appear on it.
        package let environment: [String]
        private let server: AnyObject

        fileprivate init(environment: [String], server: AnyObject) {
            self.environment = environment
            self.server = server
        }
    }

    package func start(size: PixelSize) throws -> Server {
        switch self {
        case .x11:
            let screen = try PrivateScreen(size: size)
            return Server(environment: ["DISPLAY=\(screen.name)", "WAYLAND_DISPLAY="], server: screen)
        case .wayland:
            let desktop = try SwayDesktop(size: size)
            return Server(environment: desktop.environment, server: desktop)
        }
    }
}

package struct SceneRecording {
    package let video: RecordedVideo
    package let summary: RunningKinecast.Event
    /// What the scene drew, and when.
    package let shown: [SceneProcess.Shown]

    /// Records the scene into `a.mp4` of the place, without audio, until the take ends by itself.
    package init(
        of scene: SceneKind, _ sceneArguments: [String] = [], on display: TestDisplay = .x11, in place: TestPlace,
        _ arguments: String...
    ) throws {
        let server = try display.start(size: PixelSize(width: 640, height: 480))
        let client = try SceneProcess(scene, arguments: sceneArguments, environment: server.environment)
        defer { client.end() }
        let ended = try place.run(["record", "a.mp4", "--audio", "none", "--json"] + arguments, server.environment)
        try #require(ended.status == 0, "\(ended)")
        video = try RecordedVideo(path: place.path("a.mp4"))
        summary = try #require(ended.events.last)
        shown = try client.log()
        withExtendedLifetime(server) {}
    }
}
