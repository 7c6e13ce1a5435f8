// Films of recordings, from the command line: zoomed where something is clicked, and without waits.
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct FilmTests {
    private static let size = PixelSize(width: 640, height: 360)
    private static let ground: UInt32 = 0x20_4060
    /// What is clicked.
    private static let button = PixelRect(x: 84, y: 40, width: 32, height: 20)
    private static let bright: UInt32 = 0xf0_e0d0

    private func isBright(_ frame: ColourFrame, x: Int, y: Int) -> Bool { frame.colour(x: x, y: y)[1] > 140 }

    @Test func `a film is zoomed at its clicks, and leaves its waits out`() throws {
        try TestPlace.with { place in
            let screen = try PrivateScreen(size: Self.size)
            defer { screen.end() }
            let painter = try Painter(display: screen.name)
            let window = painter.window(PixelRect(size: Self.size), colour: Self.ground)
            painter.focus(window)
            painter.fill(window, Self.button, Self.bright)
            painter.moveMouse(x: 300, y: 300)
            painter.finish()
            let take = try place.record(screen.name, "a.mp4", "--chroma", "444")
            try take.recorded(3.5)
            painter.moveMouse(x: 100, y: 50)
            painter.setButton(1, isPressed: true)
            painter.setButton(1, isPressed: false)
            painter.finish()
            try take.recorded(7)
            take.signal(SIGINT)
            try #require(try take.wait().status == 0)
            let before = try Data(contentsOf: URL(filePath: place.path("a.mp4")))

            let made = try place.run("export", "a.mp4", "--zoom", "auto", "--tighten", "--json")
            try #require(made.status == 0, "\(made)")
            struct Film: Decodable {
                var output: String
                var zooms: Int
                var frames: Int
                var framesEncoded: Int
                var duration: Double
            }
            let film = try JSONDecoder().decode(Film.self, from: Data(made.output.utf8))
            #expect(film.zooms == 1 && film.framesEncoded > 0)
            #expect(film.output == place.path("a film.mp4"))
            // Half a second of the wait before, the second in which the pointer could come, a quarter after it, and half of the wait after it.
            #expect(abs(film.duration - 2.25) < 0.05, "\(film.duration)")
            let frames = try ColourFrame.all(in: film.output)
            #expect(frames.count == film.frames)
            let first = try #require(frames.first)
            // The upper left corner of the window, and twice as large at the end.
            #expect(isBright(first, x: 100, y: 50) && !isBright(first, x: 200, y: 100))
            let last = try #require(frames.last)
            #expect(!isBright(last, x: 100, y: 50) && isBright(last, x: 185, y: 90) && isBright(last, x: 225, y: 110))
            #expect(try Data(contentsOf: URL(filePath: place.path("a.mp4"))) == before)

            try checkRefusals(place)
        }
    }

    private func checkRefusals(_ place: TestPlace) throws {
        func refusal(_ arguments: String..., status: Int32 = ExitStatus.usage) throws -> String {
            let ended = try place.run(["export", "a.mp4"] + arguments)
            #expect(ended.status == status, "\(ended)")
            return ended.errors
        }
        #expect(try refusal().contains("Say what to make: --zoom auto"))
        let itself = try refusal("--tighten", "-o", "a.mp4", "--overwrite", status: ExitStatus.cannotCreate)
        #expect(itself.contains("a.mp4 is the recording itself"), "\(itself)")
        try place.write("{}", to: "other.json")
        #expect(try refusal("--edits", "other.json").contains("has no edits of Kinecast's"))
        try place.write(#"{"version":1,"revision":0,"cuts":[{"from":0,"to":100}]}"#, to: "all.json")
        #expect(try refusal("--edits", "all.json", "-o", "b.mp4").contains("The edits leave nothing of the recording"))
        try place.write(#"{"version":1,"revision":0,"zooms":[{"from":0,"to":1,"scale":900}]}"#, to: "far.json")
        #expect(try refusal("--edits", "far.json").contains("The edits' zoom is not from 1.0 to 8.0; correct it."))
        #expect(!FileManager.default.fileExists(atPath: place.path("b.mp4")))
    }
}
