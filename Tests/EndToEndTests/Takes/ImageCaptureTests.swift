// Takes of a compositor that has ext-image-copy-capture alone, through the command line; and what is recorded after a pause by either
// protocol.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct ImageCaptureTests {
    private static let size = PixelSize(width: 320, height: 240)

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

    @Test func `a take follows another mode, a stopped session and failures, and is whole when the compositor ends`()
        throws
    {
        let compositor = try CaptureCompositor(size: Self.size)
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
        let compositor = try CaptureCompositor(size: Self.size)
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
        let compositor = try CaptureCompositor(size: Self.size)
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
}
