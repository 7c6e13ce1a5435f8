// What people read of a source, from what the desktop says of it.
import Testing

@testable import KineMedia

@Suite struct SourceNameTests {
    private typealias Source = TakeConfiguration.Source

    private func monitor(_ name: String, x: Int, _ description: String? = nil) -> SourceList.Monitor {
        SourceList.Monitor(
            name: name, bounds: PixelRect(x: x, y: 0, width: 100, height: 80), isPrimary: x == 0,
            description: description)
    }

    @Test(
        arguments: [
            ("Notes", "XTerm", "Notes — XTerm"), ("", "XTerm", "XTerm"), ("Notes", "", "Notes"), ("", "", "Window"),
            ("Issue 54 — Mozilla Firefox", "Firefox", "Issue 54 — Mozilla Firefox"), ("xterm", "XTerm", "xterm"),
            ("a\u{202e}\nb", "C", "a b — C"),
        ])
    func `a window is its title and its application, which is not said twice`(
        title: String, application: String, name: String
    ) {
        #expect(SourceName.window(title: title, application: application) == name)
    }

    @Test func `a long title is cut, and the application stays`() {
        let name = SourceName.window(title: String(repeating: "x", count: 200), application: "XTerm")
        #expect(name == String(repeating: "x", count: 60) + "… — XTerm")
    }

    @Test func `an application has the desktop's name, or its own with a capital letter`() {
        #expect(SourceName.application("firefox-esr", entry: "Firefox ESR") == "Firefox ESR")
        #expect(SourceName.application("firefox") == "Firefox" && SourceName.application("") == "")
        #expect(Source.application("firefox", monitor: "DP-1").name == "Firefox")
    }

    @Test func `a monitor is its model, else its connector, and the only one is the whole screen`() {
        let two = [monitor("DP-1", x: 0, "DELL U2720Q"), monitor("eDP-1", x: 100)]
        #expect(Source.screen(monitor: "dp-1").name(on: two) == "DELL U2720Q")
        #expect(Source.screen(monitor: "eDP-1").name(on: two) == "eDP-1")
        #expect(Source.screen(monitor: "HDMI-1").name(on: two) == "HDMI-1", "it was unplugged")
        #expect(Source.screen(monitor: nil).name(on: two) == "Whole screen")
        // As Xvfb calls its monitor.
        #expect(Source.screen(monitor: "screen").name(on: [monitor("screen", x: 0, "X")]) == "Whole screen")
        #expect(Source.screen(monitor: "screen").name == "screen", "nothing is known of it")
    }

    @Test func `an area has its size, and the monitor where there are several`() {
        let two = [monitor("DP-1", x: 0, "DELL U2720Q"), monitor("eDP-1", x: 100)]
        func area(x: Int) -> Source { .region(PixelRect(x: x, y: 0, width: 64, height: 48)) }
        #expect(area(x: 10).name(on: two) == "Area 64×48 of DELL U2720Q")
        #expect(area(x: 60).name(on: two) == "Area 64×48 of the screen", "of both")
        #expect(area(x: 10).name(on: Array(two.prefix(1))) == "Area 64×48 of the screen")
        #expect(Source.drawnRegion.name == "Area of the screen")
        #expect(
            Source.drawnRegion.name(on: two, drawn: PixelSize(width: 64, height: 48)) == "Area 64×48 of the screen")
    }

    @Test func `no number of a window and no title that was typed is in the name that every program may read`() {
        for source in [Source.window(0x40_000c), .windowTitled("Secret"), .focusedWindow, .chosenWindow] {
            #expect(source.name == "Window")
        }
        #expect(Source.commandWindow(.init(.titled("Secret"))).name == "Window")
        #expect(Source.commandWindow(.init(.application("gimp", monitor: nil))).name == "Gimp")
        let size = PixelSize(width: 1280, height: 720)
        #expect(Source.virtual(size).name == "Private screen 1280×720")
        #expect(Source.virtualWayland(size).name == "Private screen 1280×720")
        #expect(Source.pattern(size).name == "Test pattern 1280×720")
    }
}
