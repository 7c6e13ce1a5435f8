// Takes of a compositor that has ext-image-copy-capture alone, through the command line; and what is recorded after a pause by either
// protocol.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct ImageCaptureTests {
    private static let size = PixelSize(width: 320, height: 240)
    private static let bars: [(PixelRect, UInt32)] = [
        (PixelRect(x: 0, y: 0, width: 160, height: 120), 0xff_ffff),
        (PixelRect(x: 160, y: 0, width: 160, height: 120), 0xc0_2010),
        (PixelRect(x: 0, y: 120, width: 160, height: 120), 0x10_a040),
        (PixelRect(x: 160, y: 120, width: 160, height: 120), 0x20_30d0),
    ]

    private func compositor() throws -> CaptureCompositor {
        let compositor = try CaptureCompositor(size: Self.size)
        for (rect, colour) in Self.bars { try compositor.paint(rect, colour) }
        return compositor
    }

    private func record(
        _ place: TestPlace, _ source: [String], _ compositor: CaptureCompositor
    ) throws -> RunningKinecast.Ended {
        try place.run(
            ["record", "a.mp4", "--overwrite", "--audio", "none", "--duration", "0.5"] + source, compositor.environment)
    }

    private func inner(_ rect: PixelRect) -> PixelRect {
        PixelRect(x: rect.x + 4, y: rect.y + 4, width: rect.width - 8, height: rect.height - 8)
    }

    /// Waits until the last frame of a growing file has that colour there.
    private func waitFor(_ colour: UInt32, in rect: PixelRect, _ place: TestPlace) throws {
        try wait("the picture in the file") {
            let frames = (try? ColourFrame.all(in: place.path("a.mp4"), isFinished: false)) ?? []
            return frames.last.map { $0.distance(from: colour, in: inner(rect)) < 12 } ?? false
        }
    }

    @Test func `the screen, a monitor and a region are recorded, in the pixels' own colours`() throws {
        let compositor = try compositor()
        try TestPlace.with { place in
            for source in [[], ["--monitor", "DP-1"], ["--backend", "wlr"]] {
                let recorded = try record(place, source, compositor)
                #expect(recorded.status == 0, "\(recorded)")
                let frame = try ColourFrame.last(in: place.path("a.mp4"))
                #expect(frame.size == Self.size)
                for (rect, colour) in Self.bars { #expect(frame.distance(from: colour, in: inner(rect)) <= 6) }
            }
            let region = try record(place, ["--region", "100x60+110+90"], compositor)
            #expect(region.status == 0, "\(region)")
            let frame = try ColourFrame.last(in: place.path("a.mp4"))
            #expect(frame.size == PixelSize(width: 100, height: 60))
            for (rect, colour) in Self.bars {
                let seen = rect.intersection(PixelRect(x: 110, y: 90, width: 100, height: 60)).offset(x: -110, y: -90)
                #expect(frame.distance(from: colour, in: inner(seen)) <= 6)
            }
        }
    }

    /// What the person sees at the upper left lies at the lower left of the pixels of a monitor that is turned by 90°.
    @Test func `a turned monitor is recorded upright`() throws {
        let compositor = try compositor()
        try compositor.send("transform DP-1 1")
        try compositor.send("place DP-1 0 0 240 320")
        try TestPlace.with { place in
            let recorded = try record(place, [], compositor)
            #expect(recorded.status == 0, "\(recorded)")
            let frame = try ColourFrame.last(in: place.path("a.mp4"))
            #expect(frame.size == PixelSize(width: 240, height: 320))
            let upperLeft = PixelRect(x: 0, y: 0, width: 120, height: 160)
            let upperRight = upperLeft.offset(x: 120, y: 0)
            #expect(frame.distance(from: 0x10_a040, in: inner(upperLeft)) <= 6)
            #expect(frame.distance(from: 0xff_ffff, in: inner(upperRight)) <= 6)
            let region = try record(place, ["--region", "40x40+10+20"], compositor)
            #expect(region.status == 0, "\(region)")
            let part = try ColourFrame.last(in: place.path("a.mp4"))
            #expect(part.size == PixelSize(width: 40, height: 40))
            #expect(part.distance(from: 0x10_a040, in: inner(PixelRect(size: part.size))) <= 6)
        }
    }

    @Test func `a take follows another mode, a stopped session and failures, and is whole when the compositor ends`()
        throws
    {
        let compositor = try compositor()
        try TestPlace.with { place in
            let take = try place.start(["record", "a.mp4", "--audio", "none", "--json"], compositor.environment)
            try take.event("progress")
            let rect = PixelRect(x: 32, y: 32, width: 64, height: 64)
            for (index, trouble) in ["stop DP-1", "fail DP-1 0", "fail DP-1 1", "constraints DP-1"].enumerated() {
                try compositor.send(trouble)
                let colour: UInt32 = index.isMultiple(of: 2) ? 0x20_4060 : 0xe0_c040
                try compositor.paint(rect, colour)
                try waitFor(colour, in: rect, place)
            }
            // The picture keeps the size that the take began with.
            try compositor.send("resize DP-1 640 480")
            try compositor.paint(PixelRect(x: 0, y: 0, width: 640, height: 480), 0xa0_50a0)
            try waitFor(0xa0_50a0, in: PixelRect(size: Self.size), place)
            compositor.end()
            let ended = try take.wait()
            #expect(ended.output.contains("has gone away") || ended.errors.contains("has gone away"), "\(ended)")
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    /// The frame that the compositor has drawn into a buffer during the pause is the one that would come first.
    @Test func `nothing of a pause is recorded`() throws {
        let compositor = try compositor()
        try TestPlace.with { place in
            let take = try place.start(["record", "a.mp4", "--audio", "none", "--json"], compositor.environment)
            let rect = PixelRect(x: 32, y: 32, width: 64, height: 64)
            let (before, between, after): (UInt32, UInt32, UInt32) = (0x20_4060, 0xf0_20f0, 0x30_c030)
            try take.event("progress")
            try compositor.paint(rect, before)
            try waitFor(before, in: rect, place)
            #expect(try place.run(["pause"], compositor.environment).status == 0)
            // When capture asks again, it has seen the pause.
            let captures = try compositor.counts().captures
            try compositor.paint(rect, before)
            try wait("a look in the pause") { try compositor.counts().captures > captures }
            try compositor.paint(rect, between)
            try compositor.paint(rect, after)
            #expect(try place.run(["resume"], compositor.environment).status == 0)
            try waitFor(after, in: rect, place)
            take.signal(SIGTERM)
            #expect(try take.wait().status == 0)
            let seen = try ColourFrame.all(in: place.path("a.mp4"))
            #expect(seen.allSatisfy { $0.distance(from: between, in: inner(rect)) > 60 })
            #expect(try #require(seen.last).distance(from: after, in: inner(rect)) < 12)
        }
    }

    @Test func `sources and doctor name the monitors and the protocol`() throws {
        let compositor = try compositor()
        try TestPlace.with { place in
            let listed = try place.run(["sources"], compositor.environment)
            #expect(listed.status == 0 && listed.output.contains("--monitor DP-1"), "\(listed)")
            let json = try place.run(["sources", "--json"], compositor.environment)
            #expect(json.output.contains(#""screenBackend":"wlr""#), "\(json)")
            let examined = try place.run(["doctor"], compositor.environment).output
            #expect(examined.contains("Wayland by ext-image-copy-capture: DP-1 320x240"), "\(examined)")
            #expect(!examined.contains("✗ portal") && !examined.contains("✗ pipewire"), "\(examined)")
        }
    }

    @Test func `a compositor that has nothing to copy but a graphics card's memory is told of in a sentence`() throws {
        let compositor = try compositor()
        try compositor.send("formats DP-1")
        try compositor.send("graphics DP-1")
        try TestPlace.with { place in
            let refused = try record(place, [], compositor)
            #expect(refused.status == ExitStatus.unavailable, "\(refused)")
            #expect(refused.errors.contains("a graphics card's memory alone"), "\(refused)")
        }
    }
}
