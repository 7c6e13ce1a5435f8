// What was drawn on the screen is what the file shows: colours, edges, regions, sizes.
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

extension MediaTests {
    @Suite struct MediaContentTests {
        /// Starts a recording, has it end after half a second, and gives its last frame.
        private func frame(
            of screen: PrivateScreen, in place: TestPlace, _ arguments: String...
        ) throws -> ColourFrame {
            let ended = try place.run(
                ["record", "a.mp4", "--audio", "none", "--duration", "0.5", "--overwrite"] + arguments,
                ["DISPLAY=\(screen.name)"])
            try #require(ended.status == 0, "\(ended)")
            return try ColourFrame.last(in: place.path("a.mp4"))
        }

        /// Blocks of 8×8 pixels, each in a colour of its own.
        private func blocks(_ size: PixelSize) -> (pixels: [UInt32], colour: (_ column: Int, _ row: Int) -> UInt32) {
            // Colours of middling strength: at the ends of the range codec noise is clipped on one side.
            func colour(_ column: Int, _ row: Int) -> UInt32 {
                let seed = UInt32(truncatingIfNeeded: column &* 7919 &+ row &* 104_729 &+ 17) &* 2_654_435_761
                return 0x40_4040 &+ (seed >> 8 & 0x7f_7f7f)
            }
            let pixels = (0..<size.area).map { colour($0 % size.width / 8, $0 / size.width / 8) }
            return (pixels, colour)
        }

        /// Compares the middle of every block of `frame`, whose origin lies at a block's corner, with what was drawn.
        private func worstBlock(
            _ frame: ColourFrame, _ colour: (_ column: Int, _ row: Int) -> UInt32, from first: (Int, Int) = (0, 0)
        ) -> Int {
            var worst = 0
            for y in stride(from: 0, to: frame.size.height, by: 8) {
                for x in stride(from: 0, to: frame.size.width, by: 8) {
                    // Blocks that the edge cuts are looked at up to the edge.
                    let inner = PixelRect(x: x + 3, y: y + 3, width: 2, height: 2)
                        .intersection(PixelRect(size: frame.size))
                    guard !inner.isEmpty else { continue }
                    worst = max(
                        worst, frame.distance(from: colour(first.0 + x / 8, first.1 + y / 8), in: inner))
                }
            }
            return worst
        }

        @Test func `a region is exactly these pixels`() throws {
            try TestPlace.with { place in
                let size = PixelSize(width: 640, height: 480)
                let screen = try PrivateScreen(size: size)
                let painter = try Painter(display: screen.name)
                let (pixels, colour) = blocks(size)
                let window = painter.window(PixelRect(size: size), colour: 0)
                painter.put(pixels, PixelRect(size: size), into: window)
                let frame = try frame(
                    of: screen, in: place, "--region", "333x217+104+56", "--no-cursor", "--quality", "4")
                #expect(frame.size == PixelSize(width: 333, height: 217))
                #expect(worstBlock(frame, colour, from: (13, 7)) <= 8)
            }
        }

        @Test func `an odd window comes back with its exact size, up to the last column and row`() throws {
            try TestPlace.with { place in
                let screen = try PrivateScreen(size: PixelSize(width: 800, height: 600))
                let painter = try Painter(display: screen.name)
                let size = PixelSize(width: 641, height: 481)
                var (pixels, colour) = blocks(size)
                // The last column and row have a colour of their own.
                for y in 0..<481 { pixels[y * 641 + 640] = 0x30_a050 }
                for x in 0..<641 { pixels[480 * 641 + x] = 0xc0_5030 }
                let window = painter.window(PixelRect(x: 37, y: 23, width: 641, height: 481), colour: 0, border: 3)
                painter.setFrame(pixels, size: size, of: window)
                // What covers the window does not show.
                _ = painter.window(PixelRect(x: 200, y: 200, width: 400, height: 400), colour: 0xff_ffff)
                let frame = try frame(
                    of: screen, in: place, "--window", "\(window)", "--no-cursor", "--quality", "4")
                #expect(frame.size == size)
                let cropped = ColourFrame(
                    size: PixelSize(width: 640, height: 480),
                    bytes: (0..<480).flatMap { frame.bytes[$0 * 641 * 3..<($0 * 641 + 640) * 3] })
                #expect(worstBlock(cropped, colour) <= 8)
                // An edge of one pixel keeps its own colour, for the coded frame repeats it; a decoder blends a little of its
                // neighbours' in.
                #expect(frame.distance(from: 0x30_a050, in: PixelRect(x: 640, y: 0, width: 1, height: 476)) <= 20)
                #expect(frame.distance(from: 0xc0_5030, in: PixelRect(x: 0, y: 480, width: 636, height: 1)) <= 20)
            }
        }

        @Test func `the pointer is as large as was asked for, and a click has a ring round it`() throws {
            try TestPlace.with { place in
                let screen = try PrivateScreen(size: PixelSize(width: 320, height: 240))
                let painter = try Painter(display: screen.name)
                let window = painter.window(PixelRect(x: 0, y: 0, width: 320, height: 240), colour: 0x20_4060)
                painter.setCursor(
                    window, size: PixelSize(width: 12, height: 10), hotSpot: (3, 4), colour: 0xff_8000)
                painter.moveMouse(x: 160, y: 120)
                let take = try place.record(
                    screen.name, "a.mp4", "--cursor-scale", "3", "--show-clicks", "--quality", "4")
                let first = try take.event("progress").framesDrawn ?? 0
                painter.setButton(3, isPressed: true)
                _ = try take.event("progress") { $0.framesDrawn ?? 0 > first }
                take.signal(SIGINT)
                let ended = try take.wait()
                try #require(ended.status == 0, "\(ended)")
                let frame = try ColourFrame.last(in: place.path("a.mp4"))
                // Three times the image, and away from its edges, where colours share their samples.
                #expect(frame.distance(from: 0xff_8000, in: PixelRect(x: 153, y: 110, width: 32, height: 26)) <= 8)
                // The line is nine pixels wide and nine tenths opaque, 54 pixels from the pointer; beyond it is the ground.
                #expect(frame.distance(from: 0x5d_87ef, in: PixelRect(x: 104, y: 118, width: 4, height: 4)) <= 12)
                #expect(frame.distance(from: 0x20_4060, in: PixelRect(x: 0, y: 0, width: 90, height: 240)) <= 8)
            }
        }

        @Test func `a screen that changes its size is shown in the first size, whole, between borders`() throws {
            try TestPlace.with { place in
                let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
                let painter = try Painter(display: screen.name)
                let window = painter.window(PixelRect(x: 0, y: 0, width: 640, height: 480), colour: 0xc0_4040)
                let take = try place.record(screen.name, "a.mp4", "--no-cursor")
                let first = try take.event("progress").framesDrawn ?? 0
                try painter.setScreenSize(PixelSize(width: 400, height: 240))
                let second = try take.event("progress") { $0.framesDrawn ?? 0 > first }.framesDrawn ?? 0
                painter.fill(window, PixelRect(x: 0, y: 0, width: 640, height: 480), 0x40_c040)
                let third = try take.event("progress") { $0.framesDrawn ?? 0 > second }.framesDrawn ?? 0
                try painter.setScreenSize(PixelSize(width: 640, height: 480))
                painter.fill(window, PixelRect(x: 0, y: 0, width: 640, height: 480), 0x40_40c0)
                _ = try take.event("progress") { $0.framesDrawn ?? 0 > third }
                take.signal(SIGINT)
                let ended = try take.wait()
                try #require(ended.status == 0, "\(ended)")

                let frames = try ColourFrame.all(in: place.path("a.mp4"))
                #expect(frames.allSatisfy { $0.size == PixelSize(width: 640, height: 480) })
                let whole = PixelRect(x: 0, y: 0, width: 640, height: 480)
                // 400×240 fills 640×384.
                let inner = PixelRect(x: 4, y: 52, width: 632, height: 376)
                let top = PixelRect(x: 0, y: 0, width: 640, height: 44)
                let bottom = PixelRect(x: 0, y: 436, width: 640, height: 44)
                func isBetweenBorders(_ frame: ColourFrame, _ colour: UInt32) -> Bool {
                    frame.distance(from: colour, in: inner) <= 8 && frame.distance(from: 0, in: top) <= 8
                        && frame.distance(from: 0, in: bottom) <= 8
                }
                #expect(frames.first.map { $0.distance(from: 0xc0_4040, in: whole) <= 8 } == true)
                #expect(frames.contains { isBetweenBorders($0, 0xc0_4040) })
                #expect(frames.contains { isBetweenBorders($0, 0x40_c040) })
                #expect(frames.last.map { $0.distance(from: 0x40_40c0, in: whole) <= 8 } == true)
            }
        }

        @Test func `another size for the file keeps the whole screen`() throws {
            try TestPlace.with { place in
                let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
                let painter = try Painter(display: screen.name)
                let window = painter.window(PixelRect(x: 0, y: 0, width: 640, height: 480), colour: 0x80_8080)
                for (x, y) in [(0, 0), (560, 0), (0, 400), (560, 400)] {
                    painter.fill(window, PixelRect(x: x, y: y, width: 80, height: 80), 0xc0_4080)
                }
                let frame = try frame(of: screen, in: place, "--size", "426x240", "--no-cursor")
                #expect(frame.size == PixelSize(width: 426, height: 240))
                // 640×480 becomes 320×240 in the middle, between borders of 53.
                for (x, y) in [(53, 0), (333, 0), (53, 200), (333, 200)] {
                    let corner = PixelRect(x: x + 4, y: y + 4, width: 32, height: 32)
                    #expect(frame.distance(from: 0xc0_4080, in: corner) <= 8)
                }
                #expect(frame.distance(from: 0, in: PixelRect(x: 0, y: 0, width: 48, height: 240)) <= 8)
                #expect(frame.distance(from: 0, in: PixelRect(x: 378, y: 0, width: 48, height: 240)) <= 8)
                #expect(frame.distance(from: 0x80_8080, in: PixelRect(x: 150, y: 80, width: 120, height: 80)) <= 8)
            }
        }

        @Test func `a screen is turned and cut as asked`() throws {
            try TestPlace.with { place in
                let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
                let painter = try Painter(display: screen.name)
                let window = painter.window(PixelRect(x: 0, y: 0, width: 640, height: 480), colour: 0x80_8080)
                painter.fill(window, PixelRect(x: 0, y: 0, width: 80, height: 80), 0xc0_4080)
                painter.fill(window, PixelRect(x: 280, y: 200, width: 80, height: 80), 0x40_c040)
                let size = PixelSize(width: 240, height: 320)
                let turned = try frame(of: screen, in: place, "--rotate", "90", "--size", "240x320", "--no-cursor")
                #expect(turned.size == size)
                // The upper left corner is now on the right.
                #expect(turned.distance(from: 0xc0_4080, in: PixelRect(x: 204, y: 4, width: 32, height: 32)) <= 8)
                #expect(turned.distance(from: 0x40_c040, in: PixelRect(x: 104, y: 144, width: 32, height: 32)) <= 8)
                #expect(turned.distance(from: 0x80_8080, in: PixelRect(x: 4, y: 4, width: 90, height: 90)) <= 8)
                // Of 640×480, the middle 360×480 fills 240×320: the corner is not in it.
                let filled = try frame(of: screen, in: place, "--crop", "fill", "--size", "240x320", "--no-cursor")
                #expect(filled.size == size)
                #expect(filled.distance(from: 0x40_c040, in: PixelRect(x: 98, y: 138, width: 44, height: 44)) <= 8)
                #expect(filled.distance(from: 0x80_8080, in: PixelRect(x: 4, y: 4, width: 232, height: 120)) <= 8)
                let part = try frame(of: screen, in: place, "--crop", "81x83+279+199", "--no-cursor")
                #expect(part.distance(from: 0x40_c040, in: PixelRect(x: 4, y: 4, width: 72, height: 72)) <= 8)
                let outside = try place.run(
                    ["record", "b.mp4", "--audio", "none", "--crop", "100x100+2000+0"], ["DISPLAY=\(screen.name)"])
                #expect(outside.status == ExitStatus.unavailable, "\(outside)")
                #expect(outside.errors.contains("The crop 100x100+2000+0 lies outside the source, which is 640x480"))
            }
        }

        @Test func `a take shows other sources, a hundred times, and never two of them in one frame`() throws {
            try TestPlace.with { place in
                let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
                let painter = try Painter(display: screen.name)
                let colours: [UInt32] = [0xc0_4040, 0x40_c040, 0x40_40c0]
                let windows = [
                    painter.window(PixelRect(x: 0, y: 0, width: 320, height: 240), colour: colours[0]),
                    painter.window(PixelRect(x: 320, y: 0, width: 320, height: 240), colour: colours[1]),
                    // Of another shape: between borders.
                    painter.window(PixelRect(x: 0, y: 240, width: 160, height: 240), colour: colours[2]),
                ]
                painter.setTitle(windows[1], "The second")
                painter.setTitle(windows[2], "The third")
                let take = try place.record(
                    screen.name, "a.mp4", "--window", "\(windows[0])", "--no-cursor", "--fps", "60")
                try take.recorded(0)
                for number in 1...100 {
                    let window = number % 3 == 2 ? "title:the third" : "\(windows[number % 3])"
                    let switched = try place.run("switch", "--window", window)
                    try #require(switched.status == 0, "\(switched)")
                }
                let refused = try place.run("switch", "--window", "title:the fourth")
                #expect(refused.status != 0 && refused.errors.contains("No window of this display has"), "\(refused)")
                #expect(try place.run("status").output.contains("The second"))
                take.signal(SIGINT)
                let ended = try take.wait()
                try #require(ended.status == 0, "\(ended)")

                let frames = try ColourFrame.all(in: place.path("a.mp4"))
                var shown: [Int] = []
                for (number, frame) in frames.enumerated() {
                    let whole = PixelRect(size: frame.size)
                    let middle = PixelRect(x: 84, y: 4, width: 152, height: 232)
                    let isBetweenBorders =
                        [
                            PixelRect(x: 0, y: 0, width: 76, height: 240),
                            PixelRect(x: 244, y: 0, width: 76, height: 240),
                        ]
                        .allSatisfy { frame.distance(from: 0, in: $0) <= 8 }
                        && frame.distance(from: colours[2], in: middle) <= 8
                    let one = isBetweenBorders ? 2 : (0...1).first { frame.distance(from: colours[$0], in: whole) <= 8 }
                    let source = try #require(one, "frame \(number) shows two sources")
                    if shown.last != source { shown.append(source) }
                }
                #expect(shown == (0...100).map { $0 % 3 })
            }
        }

        @Test func `a camera is shown in its corner, moves, and goes, while the file goes on`() throws {
            try TestPlace.with { place in
                let camera = try ChildProcess(
                    executable: "/usr/bin/ffmpeg",
                    arguments: [
                        "-v", "error", "-f", "lavfi", "-i", "color=0x40c040:size=160x120:rate=30:duration=1",
                        "-pix_fmt",
                        "yuv444p", place.path("camera.mp4"),
                    ], environment: [])
                try #require(camera.wait() == .exited(status: 0))
                let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
                let painter = try Painter(display: screen.name)
                _ = painter.window(PixelRect(x: 0, y: 0, width: 640, height: 480), colour: 0xc0_4040)
                let take = try place.record(
                    screen.name, "a.mp4", "--no-cursor", "--camera", place.path("camera.mp4"), "--camera-size", "0.25",
                    "--camera-shape", "rectangle")
                struct Status: Decodable { var duration: Double }
                func recordFurther() throws {
                    let status = try JSONDecoder().decode(
                        Status.self, from: Data(place.run("status", "--json").output.utf8))
                    try take.recorded(status.duration + 0.7)
                }
                // A camera begins when its decoder does, which may be long after the take.
                try wait("the camera") { try place.run("status", "--json").output.contains("cameraSize") }
                try recordFurther()
                let moved = try place.run("camera", "--at", "top-left")
                try #require(moved.status == 0, "\(moved)")
                try recordFurther()
                let gone = try place.run("camera", "--off", "--json")
                try #require(gone.status == 0 && gone.output.contains(#""on":false"#), "\(gone)")
                let refused = try place.run("camera", "--device", "No such camera")
                #expect(refused.errors.contains("There is no camera called No such camera"), "\(refused)")
                try recordFurther()
                take.signal(SIGINT)
                let ended = try take.wait()
                try #require(ended.status == 0, "\(ended)")

                // 160 by 120 pixels, ten from the edges.
                let corners = [(470, 350), (10, 10)].map {
                    PixelRect(origin: $0, size: PixelSize(width: 160, height: 120))
                }
                func inner(_ rect: PixelRect) -> PixelRect {
                    PixelRect(x: rect.x + 3, y: rect.y + 3, width: rect.width - 6, height: rect.height - 6)
                }
                var places: [Int?] = []
                for (number, frame) in try ColourFrame.all(in: place.path("a.mp4")).enumerated() {
                    let shown = corners.indices.filter { frame.distance(from: 0x40_c040, in: inner(corners[$0])) <= 24 }
                    let empty = corners.indices.filter { frame.distance(from: 0xc0_4040, in: inner(corners[$0])) <= 24 }
                    try #require(Set(shown).union(empty).count == 2 && shown.count <= 1, "frame \(number)")
                    #expect(
                        frame.distance(from: 0xc0_4040, in: PixelRect(x: 200, y: 10, width: 240, height: 460)) <= 24)
                    if places.last != .some(shown.first) { places.append(shown.first) }
                }
                // Nothing until the camera has begun.
                #expect(places == [nil, 0, 1, nil] || places == [0, 1, nil])
            }
        }

        @Test(arguments: ["cover", "beneath"])
        func `a window that must not be seen is in no frame, wherever it is dragged`(how: String) throws {
            #expect(try ExcludedWindow.record(how: how).showing == [])
        }

        @Test func `a window that is closed during a pause ends the take there`() throws {
            try TestPlace.with { place in
                let screen = try PrivateScreen(size: PixelSize(width: 320, height: 240))
                let painter = try Painter(display: screen.name)
                let window = painter.window(PixelRect(x: 10, y: 10, width: 200, height: 100), colour: 0x40_8040)
                let take = try place.record(screen.name, "a.mp4", "--window", "\(window)")
                try take.recorded(1)
                try #require(try place.run("pause").status == 0)
                painter.destroy(window)
                let ended = try take.wait()
                #expect(ended.status == 0)
                #expect(ended.events.last?.reason == "the window was closed")
                #expect(try RecordedVideo(path: place.path("a.mp4")).duration >= 1)
            }
        }
    }
}
