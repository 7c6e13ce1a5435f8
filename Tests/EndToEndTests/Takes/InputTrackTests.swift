// The input track of real recordings: what is in it, and what never is.
import FoundationEssentials
import Glibc
import KineInput
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct InputTrackTests {
    private static let size = PixelSize(width: 640, height: 360)
    private static let hidden = PixelRect(x: 400, y: 100, width: 200, height: 200)

    /// A screen with an editor, and a window beside it that is hidden.
    private struct Desktop {
        let screen: PrivateScreen
        let painter: Painter
        let editor: UInt32
        let vault: UInt32

        init() throws {
            screen = try PrivateScreen(size: InputTrackTests.size)
            painter = try Painter(display: screen.name)
            editor = painter.window(PixelRect(size: InputTrackTests.size), colour: 0x20_4060)
            vault = painter.window(InputTrackTests.hidden, colour: 0x60_4020)
            painter.setApplication(editor, "Editor")
            painter.setApplication(vault, "Vault")
            painter.focus(editor)
            painter.moveMouse(x: 5, y: 5)
        }

        func click(x: Int, y: Int) {
            painter.moveMouse(x: x, y: y)
            painter.setButton(1, isPressed: true)
            painter.setButton(1, isPressed: false)
        }
    }

    /// Waits until the take has noted what was done until now: it reads clicks, keys and the focus in their order, and the file soon has
    /// the new focus. Afterwards the editor has it.
    private func settle(_ place: TestPlace, _ desktop: Desktop, _ file: String) throws {
        let rect = PixelRect(x: 0, y: 300, width: Int.random(in: 21...399), height: Int.random(in: 21...60))
        let window = desktop.painter.window(rect, colour: 0x30_5070)
        desktop.painter.focus(window)
        let line = Data("\"focus\":[\(rect.x),\(rect.y),\(rect.width),\(rect.height)]".utf8)
        try wait("the focus in the file") {
            try Data(contentsOf: URL(filePath: place.path(file))).range(of: line) != nil
        }
        desktop.painter.focus(desktop.editor)
        desktop.painter.destroy(window)
        desktop.painter.finish()
    }

    /// Seconds that the take has recorded by now.
    private func duration(_ place: TestPlace) throws -> Double {
        struct Status: Decodable { var duration: Double }
        let output = try place.run("status", "--json").output
        return try JSONDecoder().decode(Status.self, from: Data(output.utf8)).duration
    }

    private func end(_ take: RunningKinecast) throws {
        take.signal(SIGINT)
        let ended = try take.wait()
        try #require(ended.status == 0, "\(ended)")
    }

    @Test func `clicks, typing and changes are in it, but not those of a pause or of a hidden window`() throws {
        try TestPlace.with { place in
            let desktop = try Desktop()
            let take = try place.record(desktop.screen.name, "a.mp4", "--exclude", "app:Vault")
            try take.recorded(0.3)
            desktop.click(x: 100, y: 50)
            desktop.painter.press(.a)
            desktop.painter.fill(desktop.editor, PixelRect(x: 64, y: 64, width: 32, height: 16), 0xff_ffff)
            try settle(place, desktop, "a.mp4")
            // Later than the typing's span can last.
            try take.recorded(try duration(place) + 2.5)

            desktop.painter.focus(desktop.vault)
            desktop.click(x: 450, y: 150)
            desktop.painter.press(.s)
            desktop.painter.fill(desktop.vault, PixelRect(x: 0, y: 0, width: 100, height: 100), 0xff_ffff)
            try settle(place, desktop, "a.mp4")
            desktop.painter.moveMouse(x: 110, y: 60)

            #expect(try place.run("pause").status == 0)
            desktop.painter.focus(desktop.editor)
            desktop.click(x: 200, y: 200)
            desktop.painter.press(.t)
            desktop.painter.moveMouse(x: 300, y: 80)
            // Meanwhile the take reads what was done.
            #expect(try place.run("status").status == 0)
            #expect(try place.run("resume").status == 0)
            // The pause ends with a frame: what is done before that belongs to it.
            try take.recorded(try duration(place) + 0.2)
            desktop.click(x: 310, y: 90)
            try settle(place, desktop, "a.mp4")
            try end(take)

            let input = try #require(try RecordedInput(place.path("a.mp4")))
            #expect(input.samples.first?.start == .zero)
            #expect(input.presses == [PixelPoint(x: 100, y: 50), PixelPoint(x: 310, y: 90)])
            #expect(input.typing.count == 1 && input.typing[0].count <= 4, "\(input.typing)")
            #expect(
                !input.places.contains { $0.x >= Self.hidden.x && $0.x < Self.hidden.maxX && $0.y >= Self.hidden.y })
            #expect(!input.places.contains(PixelPoint(x: 200, y: 200)))
            let changes = input.lines.flatMap { line -> [PixelRect] in
                if case .change(let rects, _) = line { rects } else { [] }
            }
            #expect(changes.contains { $0 == PixelRect(x: 64, y: 64, width: 32, height: 16) })
            #expect(changes.allSatisfy { $0.intersection(Self.hidden).isEmpty }, "\(changes)")
            let focus = input.lines.compactMap { line -> PixelRect? in
                if case .focus(let rect, _) = line { rect } else { nil }
            }
            #expect(focus.contains(PixelRect(size: Self.size)) && !focus.contains(Self.hidden))
            #expect(input.lines.contains { if case .image(let image) = $0 { !image.bytes.isEmpty } else { false } })
            try checkCut(place, input)
        }
    }

    /// Cuts the first click and the typing out of the recording.
    private func checkCut(_ place: TestPlace, _ input: RecordedInput) throws {
        let start = try #require(input.typing.first?.upperBound)
        #expect(try place.run("trim", "a.mp4", "--from", "\(Double(start) / 2)", "-o", "b.mp4").status == 0)
        let cut = try #require(try RecordedInput(place.path("b.mp4")))
        #expect(cut.presses == Array(input.presses.dropFirst()) && cut.typing.isEmpty)
        let first = try #require(cut.samples.first)
        #expect(first.start == .zero && first.lines.contains { $0.definedImage != nil })
        let file = try Data(contentsOf: URL(filePath: place.path("b.mp4")))
        #expect(file.range(of: Data(#""place":[310,90]"#.utf8)) != nil)
        #expect(file.range(of: Data(#""place":[100,50]"#.utf8)) == nil)
        // All of the film, and nothing of the track.
        #expect(try place.run("trim", "a.mp4", "--no-input-track", "-o", "c.mp4").status == 0)
        #expect(try RecordedInput(place.path("c.mp4")) == nil)
        let bare = try Data(contentsOf: URL(filePath: place.path("c.mp4")))
        #expect(bare.range(of: Data(#""version":1"#.utf8)) == nil)
        let (whole, copy) = (try RecordedVideo(path: place.path("a.mp4")), try RecordedVideo(path: place.path("c.mp4")))
        #expect(copy.frames.count == whole.frames.count && abs(copy.duration - whole.duration) < 0.001)
    }

    @Test func `each part of a split recording has it from its start, and without it there is none`() throws {
        try TestPlace.with { place in
            let desktop = try Desktop()
            let take = try place.record(desktop.screen.name, "a.mp4", "--split", "5s")
            try take.recorded(0.3)
            desktop.click(x: 100, y: 50)
            try take.recorded(5.5)
            desktop.painter.moveMouse(x: 20, y: 90)
            try settle(place, desktop, "a-002.mp4")
            try end(take)
            for part in 1...2 {
                let input = try #require(try RecordedInput(place.path("a-00\(part).mp4")))
                let first = try #require(input.samples.first)
                #expect(first.start == .zero && input.presses.count == (part == 1 ? 1 : 0))
                // Each file has the images that it names.
                #expect(input.lines.contains { if case .image = $0 { true } else { false } })
            }
            let plain = try place.record(desktop.screen.name, "b.mp4", "--no-input-track")
            desktop.click(x: 100, y: 50)
            try plain.recorded(0.5)
            try end(plain)
            #expect(try RecordedInput(place.path("b.mp4")) == nil)
        }
    }

    @Test func `a test's click is noted where it says, unless the picture does not show the place`() throws {
        try TestPlace.with { place in
            let desktop = try Desktop()
            let take = try place.record(
                desktop.screen.name, "a.mp4", "--region", "300x200+50+20", "--exclude", "app:Vault")
            try take.recorded(0.2)
            #expect(try place.run("mark", "--at", "60,30", "--click").status == 0)
            #expect(try place.run("mark", "--at", "70,40", "--json").output.contains(#""event":"pointer""#))
            #expect(try place.run("mark", "--at", "80,50", "Second").status == 0)
            for outside in ["10,10", "420,120", "9223372036854775807,-9223372036854775808"] {
                let refused = try place.run("mark", "--at=\(outside)", "--click")
                #expect(refused.status != 0 && refused.errors.contains("does not show that place"), "\(refused)")
            }
            for wrong in [["--click"], ["--at", "1"], ["--at", "a,b"]] {
                #expect(try place.run(["mark"] + wrong).status == ExitStatus.usage)
            }
            #expect(try place.run("pause").status == 0)
            #expect(try place.run("mark", "--at", "60,30").errors.contains("paused"))
            #expect(try place.run("resume").status == 0)
            try end(take)
            let input = try #require(try RecordedInput(place.path("a.mp4")))
            #expect(input.presses == [PixelPoint(x: 10, y: 10)])
            let places = [(10, 10), (20, 20), (30, 30)].map { PixelPoint(x: $0.0, y: $0.1) }
            #expect(
                input.places.filter(places.contains).count >= 3 && input.places.allSatisfy { $0.x >= 0 && $0.y >= 0 })
            #expect(try place.run("trim", "a.mp4", "--chapters").output.split(separator: "\n").count == 2)

            let plain = try place.record(desktop.screen.name, "b.mp4", "--no-input-track")
            try plain.recorded(0.1)
            #expect(try place.run("mark", "--at", "60,30").errors.contains("no input track"))
            try end(plain)
        }
    }
}
