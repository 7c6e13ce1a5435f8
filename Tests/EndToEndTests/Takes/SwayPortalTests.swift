// sway with the portal that its users have: from the compositor through xdg-desktop-portal-wlr, PipeWire and xdg-desktop-portal into the
// file. It shows no dialog here.
import DesktopTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .programs, .margins)) struct SwayPortalTests {
    private static let size = PixelSize(width: 640, height: 480)

    private func start(_ place: TestPlace, on desktop: PortalDesktop, _ options: [String] = []) throws
        -> RunningKinecast
    {
        try place.start(
            ["record", "a.mp4", "--overwrite", "--audio", "none", "--backend", "portal", "--json"] + options,
            desktop.environment)
    }

    /// The portal may have nothing to send of a still screen, not even a first frame.
    private func movingScene(on desktop: PortalDesktop) throws -> SceneProcess {
        try SceneProcess(.motion, arguments: ["--mute", "--fps", "20"], environment: desktop.environment)
    }

    @Test func `the numbers of a moving scene are in the file in their order, each once, for as long as the take`()
        throws
    {
        let desktop = try PortalDesktop(.sway, size: Self.size)
        let scene = try movingScene(on: desktop)
        defer { scene.end() }
        try TestPlace.with { place in
            let take = try start(place, on: desktop, ["--fps", "60"])
            try take.event("progress") { ($0.framesDrawn ?? 0) > 20 }
            take.signal(SIGTERM)
            let ended = try take.wait()
            try #require(ended.status == 0, "\(ended)")
            let video = try RecordedVideo(path: place.path("a.mp4"))
            var numbers: [Int] = []
            try video.decode { _, luma in
                if let number = Barcode.read(luma) { numbers.append(number) }
            }
            #expect(numbers.count == video.frames.count, "a frame without a number")
            #expect(numbers == Set(numbers).sorted() && numbers.count > 20, "\(numbers)")
            let summary = try #require(ended.events.last)
            #expect(summary.framesDrawn == numbers.count)
            let length = try #require(summary.duration)
            #expect(abs(video.duration - length) < 0.002, "\(video.duration) of \(length)")
            let (first, last) = (try #require(numbers.first), try #require(numbers.last))
            let drawn = Set(try scene.log().map(\.frame)).filter { (first...last).contains($0) }
            #expect(Set(numbers).isSubset(of: drawn))
            Margin.atLeast(
                90, 100 * Double(numbers.count) / Double(drawn.count), "%", "of the frames drawn on sway, by the portal"
            )
        }
    }

    @Test func `the monitor and a region of it are recorded in the pixels' own colours, and the permission is kept`()
        throws
    {
        let desktop = try PortalDesktop(.sway, size: Self.size)
        let scene = try SceneProcess(.bars, arguments: ["--mute"], environment: desktop.environment)
        defer { scene.end() }
        let corner = PixelRect(x: 624, y: 0, width: 16, height: 16)
        let painter = try WaylandPainter(corner, colour: 0, display: desktop.display)
        try TestPlace.with { place in
            for region in [nil, PixelRect(x: 100, y: 120, width: 322, height: 241)] {
                var options = ["--duration", "0.5"]
                if let region { options += ["--region", "\(region.width)x\(region.height)+\(region.x)+\(region.y)"] }
                let take = try start(place, on: desktop, options)
                var colour: UInt32 = 0
                try wait("the take's end") {
                    colour ^= 0xff_ffff
                    try painter.fill(PixelRect(size: corner.size), colour: colour)
                    return take.process.poll() != nil
                }
                let ended = try take.wait()
                try #require(ended.status == 0, "\(ended)")
                let frame = try ColourFrame.last(in: place.path("a.mp4"))
                let shown = region ?? PixelRect(size: Self.size)
                #expect(frame.size == shown.size)
                for (index, bar) in BarsScene.colours.enumerated() {
                    let rect = BarsScene.bar(index, size: Self.size)
                    let inner = PixelRect(x: rect.x + 4, y: 64, width: rect.width - 8, height: rect.height - 64)
                    let part = inner.intersection(shown)
                    guard !part.isEmpty else { continue }
                    let place = PixelRect(origin: (part.x - shown.x, part.y - shown.y), size: part.size)
                    #expect(frame.distance(from: bar.pixel, in: place) <= 2, "bar \(index)")
                }
                var status = stat()
                let token = place.path(".local/state/kinecast/screen-cast/kinecast.monitor")
                #expect(stat(token, &status) == 0 && status.st_mode & 0o777 == 0o600)
                try desktop.restartBackend()
            }
        }
    }

    @Test func `a terminal's lines are in the file, each whole and in their order`() throws {
        let desktop = try PortalDesktop(.sway, size: NumberedTerminal.screen)
        try TestPlace.with { place in
            let terminal = NumberedTerminal(in: place)
            let command = try terminal.command()
            let foot = try RunningKinecast(
                arguments: Array(command.dropFirst()),
                environment: ProcessEnvironment.merging(place.environment, desktop.environment),
                directory: place.directory, executable: command[0])
            let take = try start(place, on: desktop)
            try terminal.waitUntilScrolled(in: place.path("a.mp4"))
            take.signal(SIGTERM)
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            try terminal.stop()
            #expect(try foot.wait().status == NumberedTerminal.status)
            try NumberedTerminal.check(place.path("a.mp4"))
        }
    }

    enum Loss: CaseIterable, Sendable {
        case compositor, backend
    }

    @Test(arguments: Loss.allCases)
    func `when the compositor or its part of the portal dies, the take says so, and its file is whole`(loss: Loss)
        throws
    {
        let desktop = try PortalDesktop(.sway, size: Self.size)
        let scene = try movingScene(on: desktop)
        defer { scene.end() }
        try TestPlace.with { place in
            let take = try start(place, on: desktop)
            try take.recorded(0.5)
            switch loss {
            case .compositor: desktop.endCompositor()
            case .backend: desktop.endBackend()
            }
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            #expect(ended.events.last?.reason == "the desktop has ended its screen cast", "\(ended)")
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) >= 0.5)
            guard loss == .backend else { return }
            try desktop.restartBackend()
            let next = try start(place, on: desktop)
            try next.event("started")
            next.signal(SIGTERM)
            #expect(try next.wait().status == 0)
        }
    }
}
