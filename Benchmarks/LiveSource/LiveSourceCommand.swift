// kinecast-livesource: serves a scene straight from memory, encoded here and handed to the live page's server in the same
// process. What the page and its server cost and delay is measured with it, apart from screen, engine and extension.
import ArgumentParser
import Glibc
import KineCodecs
import KineImaging
import KineMeasure
import KineMedia
import KinePlatform
import KinePublish
import SystemPackage

@main
struct LiveSourceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kinecast-livesource", abstract: "Serves a scene on the live page, without screen or engine.",
        discussion: """
            Prints `link URL`, then for each picture `frame NUMBER NANOSECONDS` (CLOCK_MONOTONIC, when it was painted), and
            `beep NANOSECONDS` for the sound that belongs to the scene flash. Ends with standard input.
            """)

    @Argument(transform: LiveSourceCommand.kind)
    var scene: SceneKind

    @Option var fps = 30
    @Option(help: "KEY=VALUE for the server, as in kinecast broadcast --set.")
    var set: [String] = []
    @Flag var mute = false

    private static let size = PixelSize(width: 1280, height: 720)

    func run() async throws {
        let pairs = set.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }.filter { $0.count == 2 }
        let settings = try LiveSettings(
            setupInfo: Dictionary(pairs.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 }))
        let frames = try FrameFeed(
            scene: scene.make(size: Self.size, framesPerSecond: fps), size: Self.size, fps: fps)
        let audio = mute ? nil : try AudioFeed(beeps: scene.make(size: Self.size, framesPerSecond: fps))
        let request = WakeSignal()
        var events = LiveServer.Events()
        events.wantsKeyframe = { request.signal() }
        let server = try await LiveServer.start(
            settings, format: LiveFormat(video: frames.format, audio: audio.map { [$0.format] } ?? []), events: events
        )
        Self.say("link \(server.links.page)")
        let start = MonotonicClock.now() + 100_000_000
        let isOver = Monitor(false)
        let threads = [
            DedicatedThread(name: "frames") {
                frames.run(from: start, request: request, isOver: { isOver.withLock { $0 } }) { server.publish($0) }
            },
            DedicatedThread(name: "audio") {
                audio?.run(from: start, isOver: { isOver.withLock { $0 } }) { server.publish($0) }
            },
        ]
        await withCheckedContinuation { continuation in
            _ = DedicatedThread(name: "input") {
                while let line = readLine() {
                    if line == "pause" { server.pause() }
                    if line == "resume" { server.resume() }
                }
                continuation.resume()
            }
        }
        isOver.signal { $0 = true }
        for thread in threads { thread.join() }
        await server.finish()
    }

    /// A line on standard output, at once. (`fflush` of everything would wait for the thread that reads.)
    static func say(_ line: String) { _ = try? FileDescriptor.standardOutput.writeAll((line + "\n").utf8) }

    @Sendable
    private static func kind(_ text: String) throws -> SceneKind {
        guard let scene = SceneKind(rawValue: text) else { throw ValidationError("There is no scene “\(text)”.") }
        return scene
    }
}
