// The desktops that people have, each with its real compositor, PipeWire, portal and dialog: what of them is recorded, what it costs, and
// that it is asked for once. How soon a dialog is there, and how many frames come of those drawn, depends on the machine.
import CoreTesting
import DesktopTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .desktops, .endurance)) struct DesktopsTests {
    private static let size = PixelSize(width: 1280, height: 720)
    /// Whose monitors are recorded.
    private static let compositors = [PortalDesktop.Kind.mutter, .kwin]

    private func start(_ place: TestPlace, on desktop: PortalDesktop, _ options: [String] = []) throws
        -> RunningKinecast
    {
        try place.start(
            ["record", "a.mp4", "--overwrite", "--audio", "none", "--backend", "portal", "--json"] + options,
            desktop.environment)
    }

    /// Where the permission is kept.
    private func token(_ place: TestPlace) -> String {
        place.path(".local/state/kinecast/screen-cast/kinecast.monitor")
    }

    private func pause(_ seconds: Double) {
        _ = WakeSignal.poll([], until: MonotonicClock.now() + Int64(seconds * 1e9))
    }

    /// Starts a take and answers the dialog. KDE's portal 5.27 crashes now and then while its dialog shows the monitor; then the desktop is
    /// asked again.
    private func ask(
        _ place: TestPlace, on desktop: PortalDesktop, with pointer: any DesktopInput,
        clicking clicks: PortalDialog.Clicks, _ options: [String] = [], until isAnswered: () throws -> Bool
    ) throws -> RunningKinecast {
        while true {
            let take = try start(place, on: desktop, options)
            try pointer.answer(clicks) { try isAnswered() || take.process.poll() != nil }
            guard desktop.backendHasCrashed else { return take }
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.unavailable && ended.errors.contains("portal"), "\(ended)")
            try desktop.restartBackend()
        }
    }

    /// Has the desktop ask, and answers, so that the next take asks nobody.
    private func permit(_ place: TestPlace, on desktop: PortalDesktop, with pointer: any DesktopInput) throws {
        let take = try ask(place, on: desktop, with: pointer, clicking: PortalDialog(of: desktop.kind).monitor) {
            try desktop.leaveOverview()
            return access(token(place), F_OK) == 0
        }
        try take.event("started")
        take.signal(SIGTERM)
        try #require(try take.wait().status == 0)
    }

    // MARK: Monitors

    @Test(arguments: compositors)
    func `a desktop asks once, in its own dialog, and its colours are in the file`(kind: PortalDesktop.Kind) throws {
        let desktop = try PortalDesktop(kind, size: Self.size)
        let pointer = try desktop.input()
        try TestPlace.with { place in
            try permit(place, on: desktop, with: pointer)
            let scene = try SceneProcess(.bars, arguments: ["--mute"], environment: desktop.environment)
            defer { scene.end() }
            // Where KWin draws in memory, the pointer is part of its picture. Here nothing is compared.
            try pointer.move(to: 8, 8)
            pause(1)  // nothing tells when a new window is shown as it stays
            var status = stat()
            #expect(stat(token(place), &status) == 0 && status.st_mode & 0o777 == 0o600)
            let began = MonotonicClock.now()
            let take = try start(place, on: desktop, ["--duration", "1", "--no-cursor"])
            try take.event("started")
            Margin.atMost(
                2, Double(MonotonicClock.now() - began) / 1e9, "s", "until the screen of \(kind) is recorded again")
            let ended = try take.wait()
            try #require(ended.status == 0, "\(ended)")
            let frame = try ColourFrame.last(in: place.path("a.mp4"))
            #expect(frame.size == Self.size)
            for (index, bar) in BarsScene.colours.enumerated() {
                let rect = BarsScene.bar(index, size: Self.size)
                let inner = PixelRect(x: rect.x + 4, y: 64, width: rect.width - 8, height: rect.height - 64)
                #expect(frame.distance(from: bar.pixel, in: inner) <= 2, "bar \(index)")
            }
        }
    }

    @Test(arguments: compositors)
    func `a desktop is shown to a player and recorded at once, and the recording is cut`(kind: PortalDesktop.Kind)
        throws
    {
        let desktop = try PortalDesktop(kind, size: Self.size)
        let pointer = try desktop.input()
        try TestPlace.with { place in
            try permit(place, on: desktop, with: pointer)
            let scene = try SceneProcess(.bars, arguments: ["--mute"], environment: desktop.environment)
            defer { scene.end() }
            let take = try place.start(
                [
                    "broadcast", "--player-link", "--record", "b.mp4", "--backend", "portal", "--audio", "none",
                    "--duration", "6", "--json",
                ], desktop.environment)
            let link = try #require(try take.event("destination") { $0.kind == "playerLink" }.link)
            let picture = try Tool.output(
                "ffprobe",
                [
                    "-v", "error", "-select_streams", "v", "-show_entries", "stream=codec_name,width,height", "-of",
                    "csv=p=0", link,
                ])
            #expect(Set(picture.split(separator: "\n")) == ["h264,\(Self.size.width),\(Self.size.height)"])
            let ended = try take.wait()
            try #require(ended.status == 0, "\(ended)")
            let cut = try place.run("trim", "b.mp4", "-o", "part.mp4", "--from", "1s", "--to", "3s")
            #expect(cut.status == 0, "\(cut)")
            #expect(try abs(TakeFile.finishedDuration(place.path("part.mp4")) - 2) < 0.05)
        }
    }

    @Test(arguments: compositors)
    func `a dialog cancelled is a refusal, and --ask shows it again`(kind: PortalDesktop.Kind) throws {
        let desktop = try PortalDesktop(kind, size: Self.size)
        let pointer = try desktop.input()
        try TestPlace.with { place in
            func refuse(_ options: String...) throws {
                let cancel = PortalDialog(of: kind).cancel
                let ended = try ask(place, on: desktop, with: pointer, clicking: cancel, options) { false }.wait()
                #expect(ended.status == ExitStatus.noPermission, "\(ended)")
            }
            try refuse()
            #expect(access(token(place), F_OK) != 0)
            try permit(place, on: desktop, with: pointer)
            try refuse("--ask")
        }
    }

    @Test(arguments: compositors)
    func `the pointer's way is in the file, at its places, and nothing else`(kind: PortalDesktop.Kind) throws {
        let desktop = try PortalDesktop(kind, size: Self.size)
        let pointer = try desktop.input()
        try TestPlace.with { place in
            try permit(place, on: desktop, with: pointer)
            try pointer.move(to: 100, 100)
            let take = try start(place, on: desktop, ["--fps", "60"])
            try take.recorded(1)
            let moves = 30
            for _ in 0..<moves {
                try pointer.move(by: 20, 10)
                pause(0.1)
            }
            try take.event("progress") { ($0.framesDrawn ?? 0) > moves / 2 }
            take.signal(SIGTERM)
            try #require(try take.wait().status == 0)
            let frames = try ColourFrame.all(in: place.path("a.mp4"))
            Margin.atLeast(
                Double(moves) * 0.9, Double(frames.count - 1), "frames", "of 30 moves of the pointer on \(kind)")
            // Where KWin draws in memory, the pointer is part of its picture too, which comes later than the pointer's place.
            Margin.atMost(
                Double(kind == .kwin ? 3 * moves : moves + 2), Double(frames.count - 1), "frames",
                "that 30 moves of the pointer on \(kind) make")
            let (first, last) = (try #require(frames.first), try #require(frames.last))
            // The arrow begins where it points.
            let (from, to) = (
                PixelRect(x: 98, y: 98, width: 24, height: 28), PixelRect(x: 698, y: 398, width: 24, height: 28)
            )
            #expect(first.distance(from: last, in: from) > 60 && first.distance(from: last, in: to) > 60)
            #expect(first.changes(to: last, outsideOf: [from, to]) == 0)
        }
    }

    @Test(arguments: compositors)
    func `a still desktop costs few frames and nearly no wake-ups`(kind: PortalDesktop.Kind) throws {
        let desktop = try PortalDesktop(kind, size: Self.size)
        let pointer = try desktop.input()
        try TestPlace.with { place in
            try permit(place, on: desktop, with: pointer)
            let scene = try SceneProcess(.bars, arguments: ["--mute"], environment: desktop.environment)
            defer { scene.end() }
            // Without --json nobody wants progress, so nothing is sent once a second.
            let take = try place.start(
                ["record", "a.mp4", "--overwrite", "--audio", "none", "--backend", "portal"], desktop.environment)
            try place.waitForTake()
            let engine = try place.registry().find(nil).pid
            pause(3)
            let processes = [engine, take.process.pid] + ProcFiles.children(of: engine)
            let (before, began) = (Wakes.count(of: processes), MonotonicClock.now())
            pause(10)
            let seconds = Double(MonotonicClock.now() - began) / 1e9
            // As it is preloaded here, KWin 5.27 sends the same picture again, 19 times a second.
            Margin.atMost(
                kind == .kwin ? 60 : 2, Double(Wakes.count(of: processes) - before) / seconds, "1/s",
                "wake-ups while \(kind) stands still")
            take.signal(SIGINT)
            try #require(try take.wait().status == 0)
            let video = try RecordedVideo(path: place.path("a.mp4"))
            Margin.atMost(4, Double(video.frames.count), "frames", "of a still \(kind)")
            #expect(video.duration > seconds + 1)
        }
    }

    @Test(arguments: compositors)
    func `what moves on a desktop is in the file in its order`(kind: PortalDesktop.Kind) throws {
        let desktop = try PortalDesktop(kind, size: Self.size)
        let pointer = try desktop.input()
        try TestPlace.with { place in
            try permit(place, on: desktop, with: pointer)
            let scene = try SceneProcess(
                .motion, arguments: ["--mute", "--fps", "20"], environment: desktop.environment)
            defer { scene.end() }
            let ended = try start(place, on: desktop, ["--fps", "60", "--duration", "5"]).wait()
            try #require(ended.status == 0, "\(ended)")
            var numbers: [Int] = []
            try RecordedVideo(path: place.path("a.mp4")).decode { _, luma in
                if let number = Barcode.read(luma) { numbers.append(number) }
            }
            #expect(numbers == numbers.sorted())
            let (first, last) = (try #require(numbers.first), try #require(numbers.last))
            let drawn = Set(try scene.log().map(\.frame)).filter { (first...last).contains($0) }
            #expect(drawn.count > 20)
            Margin.atLeast(
                90, 100 * Double(Set(numbers).intersection(drawn).count) / Double(drawn.count), "%",
                "of the frames drawn on \(kind)")
        }
    }

    // MARK: A region that is drawn

    @Test(arguments: [PortalDesktop.Kind.mutter, .gnomeShell, .kwin])
    func `a region is drawn with the mouse, to the pixel`(kind: PortalDesktop.Kind) throws {
        let desktop = try PortalDesktop(kind, size: Self.size)
        let pointer = try desktop.input()
        try TestPlace.with { place in
            try permit(place, on: desktop, with: pointer)
            let scene = try SceneProcess(.bars, arguments: ["--mute"], environment: desktop.environment)
            defer { scene.end() }

            let region = PixelRect(x: 100, y: 200, width: 900, height: 401)
            let take = try start(place, on: desktop, ["--region", "draw", "--no-cursor"])
            // Nothing tells when it can be drawn, and mutter shows a new window smaller for a moment.
            pause(1.5)
            try wait("the region") {
                try pointer.move(to: region.x, region.y)
                try pointer.press(true)
                pause(0.05)
                try pointer.move(to: region.maxX - 1, region.maxY - 1)
                pause(0.05)
                try pointer.press(false)
                pause(0.5)
                return try place.run(["status", "--json"]).output.contains("\"recording\"")
            }
            take.signal(SIGTERM)
            try #require(try take.wait().status == 0)
            // GNOME lays a question over a scene that stands still for long.
            let frame = try #require(try ColourFrame.all(in: place.path("a.mp4")).first)
            #expect(frame.size == region.size)
            for (index, bar) in BarsScene.colours.enumerated() {
                let rect = BarsScene.bar(index, size: Self.size)
                // The pointer may still be shown at the corner where it ended.
                let inner = PixelRect(x: rect.x + 4, y: region.y, width: rect.width - 8, height: region.height - 16)
                let part = inner.intersection(region)
                guard !part.isEmpty else { continue }
                let shown = part.offset(x: -region.x, y: -region.y)
                #expect(frame.distance(from: bar.pixel, in: shown) <= 4, "bar \(index)")
            }
        }
    }

    // MARK: Windows

    /// What the window is while it is recorded; the file has its first size.
    private static let windows: [(size: PixelSize, colour: UInt32)] = [
        (PixelSize(width: 400, height: 300), 0x20_4060), (PixelSize(width: 500, height: 200), 0xc0_8020),
        (PixelSize(width: 301, height: 407), 0x10_a040), (PixelSize(width: 640, height: 480), 0x80_80ff),
    ]

    @Test(arguments: [PortalDesktop.Kind.gnomeShell, .kwin])
    func `a window is permitted once and followed as it changes its size, and its end is the take's`(
        kind: PortalDesktop.Kind
    ) throws {
        let desktop = try PortalDesktop(kind, size: Self.size)
        let pointer = try desktop.input()
        let first = Self.windows[0]
        var window: WaylandPainter? = try WaylandPainter(
            windowOf: first.size, colour: first.colour, display: desktop.display)
        try TestPlace.with { place in
            let token = place.path(".local/state/kinecast/screen-cast/kinecast.window")
            let asking = try start(place, on: desktop, ["--window", "ask"])
            try pointer.answer(PortalDialog(of: kind).window) {
                try desktop.leaveOverview()
                return access(token, F_OK) == 0
            }
            try asking.event("started")
            asking.signal(SIGTERM)
            try #require(try asking.wait().status == 0)
            // Nobody answers a second question.
            let began = MonotonicClock.now()
            let take = try start(place, on: desktop, ["--window", "ask", "--no-cursor"])
            try take.event("started")
            Margin.atMost(
                2, Double(MonotonicClock.now() - began) / 1e9, "s", "until a window of \(kind) is recorded again")
            var drawn = try settled(take, since: 0)
            for next in Self.windows.dropFirst() {
                // Drawn once, and not again: compositors may send the new size and wait for more.
                try window?.resize(to: next.size, colour: next.colour)
                let progress = try take.event("progress") { ($0.framesDrawn ?? 0) > drawn }
                drawn = try settled(take, since: progress.duration ?? 0)
            }
            window = nil
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            #expect(!ended.events.contains { $0.event == "warning" }, "\(ended)")
            let frames = try ColourFrame.all(in: place.path("a.mp4"))
            for (size, colour) in Self.windows {
                #expect(frames.contains { $0.shows(size, in: colour) }, "\(size) of \(frames.count) frames")
            }
        }
    }

    /// The frames of a take when it has gone on for a second since that time: by then all that was under way is there.
    private func settled(_ take: RunningKinecast, since time: Double) throws -> Int {
        try take.event("progress") { ($0.duration ?? 0) > time + 1 }.framesDrawn ?? 0
    }
}

extension ColourFrame {
    /// Whether it is a window of that size and one colour, as large as it fits, and black beside it.
    fileprivate func shows(_ window: PixelSize, in colour: UInt32) -> Bool {
        let scale = min(
            Double(size.width) / Double(window.width), Double(size.height) / Double(window.height))
        let (width, height) = (Int(Double(window.width) * scale), Int(Double(window.height) * scale))
        let (x, y) = ((size.width - width) / 2, (size.height - height) / 2)
        let margin = 6
        let beside = [
            PixelRect(x: 0, y: 0, width: max(0, x - margin), height: size.height),
            PixelRect(x: 0, y: 0, width: size.width, height: max(0, y - margin)),
        ]
        return distance(
            from: colour,
            in: PixelRect(x: x + margin, y: y + margin, width: width - 2 * margin, height: height - 2 * margin)) < 12
            && beside.allSatisfy { distance(from: 0, in: $0) < 12 }
    }

    /// The largest difference of a component from that frame over the pixels of `rect`.
    fileprivate func distance(from other: ColourFrame, in rect: PixelRect) -> Int {
        var worst = 0
        for y in rect.y..<rect.maxY {
            for x in rect.x..<rect.maxX {
                for (a, b) in zip(colour(x: x, y: y), other.colour(x: x, y: y)) { worst = max(worst, abs(a - b)) }
            }
        }
        return worst
    }

    /// The number of pixels that differ clearly and lie in none of `places`.
    fileprivate func changes(to other: ColourFrame, outsideOf places: [PixelRect]) -> Int {
        var count = 0
        for y in 0..<size.height {
            for x in 0..<size.width {
                let pixel = PixelRect(x: x, y: y, width: 1, height: 1)
                guard places.allSatisfy({ $0.intersection(pixel).isEmpty }) else { continue }
                if zip(colour(x: x, y: y), other.colour(x: x, y: y)).contains(where: { abs($0 - $1) > 24 }) {
                    count += 1
                }
            }
        }
        return count
    }
}
