// Recordings of every chroma and range: what the file says of its colours, and what a player that goes by it shows.
import Foundation
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

extension MediaTests {
    @Suite struct MediaColourTests {
        private static func options(_ colour: ColourFormat) -> [String] {
            (colour.isFullRange ? ["--full-range"] : []) + ["--chroma", colour.chroma.rawValue]
        }

        /// Checks what the stream, and the boxes of the sample entry, say.
        private func expectTags(_ path: String, _ colour: ColourFormat) throws {
            let stream = try Tool.output(
                "ffprobe",
                [
                    "-v", "error", "-select_streams", "v", "-show_entries",
                    "stream=profile,pix_fmt,color_range,color_space,color_transfer,color_primaries", "-of",
                    "default=nk=0:nw=1", path,
                ])
            let fields = Dictionary(
                uniqueKeysWithValues: stream.split(separator: "\n").map { line in
                    let parts = line.split(separator: "=", maxSplits: 1)
                    return (String(parts[0]), String(parts[1]))
                })
            let is444 = colour.chroma == .yuv444
            #expect(fields["profile"] == (is444 ? "High 4:4:4 Predictive" : "High"))
            // ffmpeg has names of its own for formats with full range.
            #expect(fields["pix_fmt"] == "yuv\(colour.isFullRange ? "j" : "")\(is444 ? "444" : "420")p")
            #expect(fields["color_range"] == (colour.isFullRange ? "pc" : "tv"))
            for field in ["color_space", "color_transfer", "color_primaries"] { #expect(fields[field] == "bt709") }
            let file = try Data(contentsOf: URL(fileURLWithPath: path))
            let colr = try #require(file.range(of: Data("colrnclx".utf8), options: .backwards))
            #expect(
                Array(file[colr.upperBound..<colr.upperBound + 7]) == [0, 1, 0, 1, 0, 1, colour.isFullRange ? 0x80 : 0])
            // The record's last four bytes (ISO/IEC 14496-15, 5.3.3.1.2); the colr box is next.
            #expect(Array(file[colr.lowerBound - 8..<colr.lowerBound - 4]) == [is444 ? 0xff : 0xfd, 0xf8, 0xf8, 0])
        }

        @Test(arguments: ColourFormat.allCases)
        func `colour bars come back within two levels, and the tags say what the pixels are`(
            colour: ColourFormat
        ) throws {
            try TestPlace.with { place in
                let size = PixelSize(width: 641, height: 361)
                let screen = try PrivateScreen(size: size)
                let scene = try SceneProcess(.bars, environment: ["DISPLAY=\(screen.name)"])
                defer { scene.end() }
                let ended = try place.run(
                    ["record", "a.mp4", "--audio", "none", "--duration", "0.5"] + Self.options(colour),
                    ["DISPLAY=\(screen.name)"])
                try #require(ended.status == 0, "\(ended)")
                try expectTags(place.path("a.mp4"), colour)
                let frame = try ColourFrame.last(in: place.path("a.mp4"))
                #expect(frame.size == size)
                for (index, bar) in BarsScene.colours.enumerated() {
                    let rect = BarsScene.bar(index, size: size)
                    let inner = PixelRect(x: rect.x + 4, y: 64, width: rect.width - 8, height: rect.height - 64)
                    #expect(frame.distance(from: bar.pixel, in: inner) <= 2, "bar \(index)")
                }
            }
        }

        @Test(arguments: ColourFormat.allCases)
        func `red lines of one pixel on blue stay apart in 4-4-4, and run together in 4-2-0`(
            colour: ColourFormat
        ) throws {
            try TestPlace.with { place in
                let size = PixelSize(width: 161, height: 91)
                let screen = try PrivateScreen(size: size)
                let painter = try Painter(display: screen.name)
                let window = painter.window(PixelRect(size: size), colour: 0x20_20c0)
                for x in stride(from: 1, to: size.width, by: 3) {
                    painter.fill(window, PixelRect(x: x, y: 0, width: 1, height: size.height), 0xc0_2020)
                }
                let ended = try place.run(
                    [
                        "record", "a.mp4", "--audio", "none", "--duration", "0.5", "--no-cursor", "--quality", "4",
                    ] + Self.options(colour), ["DISPLAY=\(screen.name)"])
                try #require(ended.status == 0, "\(ended)")
                let frame = try ColourFrame.last(in: place.path("a.mp4"))
                #expect(frame.size == size)
                var worst = 0
                for x in 0..<size.width {
                    let column = PixelRect(x: x, y: 0, width: 1, height: size.height)
                    worst = max(worst, frame.distance(from: x % 3 == 1 ? 0xc0_2020 : 0x20_20c0, in: column))
                }
                #expect(colour.chroma == .yuv444 ? worst <= 8 : worst > 40, "\(worst)")
            }
        }

        @Test func `clips, images and what is left of a killed take have the colours of the recording`() throws {
            try TestPlace.with { place in
                let colour = ColourFormat(chroma: .yuv444, isFullRange: true)
                let size = PixelSize(width: 640, height: 360)
                let screen = try PrivateScreen(size: size)
                let scene = try SceneProcess(.bars, environment: ["DISPLAY=\(screen.name)"])
                defer { scene.end() }
                let take = try place.start(
                    ["record", "a.mp4", "--audio", "none", "--json", "--clip-buffer", "10s"] + Self.options(colour),
                    ["DISPLAY=\(screen.name)"])
                try take.recorded(1)
                let clip = try place.run("clip", "-o", "clip.mp4")
                try #require(clip.status == 0, "\(clip)")
                kill(try place.registry().find(nil).pid, SIGKILL)
                #expect(try take.wait().status == ExitStatus.engineDied)
                let image = try place.run("thumbnail", "a.mp4", "--at", "0", "-o", "a.png")
                try #require(image.status == 0, "\(image)")
                for file in ["a.mp4", "clip.mp4"] { try expectTags(place.path(file), colour) }
                _ = try Tool.output(
                    "ffmpeg",
                    [
                        "-v", "error", "-nostdin", "-i", place.path("a.png"), "-pix_fmt", "rgb24", "-f", "rawvideo",
                        place.path("rgb"),
                    ])
                let still = ColourFrame(
                    size: size, bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: place.path("rgb")))))
                let frames = [
                    try ColourFrame.last(in: place.path("a.mp4")), try ColourFrame.last(in: place.path("clip.mp4")),
                    still,
                ]
                for frame in frames {
                    for (index, bar) in BarsScene.colours.enumerated() {
                        let rect = BarsScene.bar(index, size: size)
                        let inner = PixelRect(x: rect.x + 4, y: 64, width: rect.width - 8, height: rect.height - 64)
                        #expect(frame.distance(from: bar.pixel, in: inner) <= 2, "bar \(index)")
                    }
                }
            }
        }
    }
}
