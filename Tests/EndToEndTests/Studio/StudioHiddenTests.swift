// The studio's window and the film: it leaves the screen before that is recorded, and comes back with the recording, or where none began.
import FoundationEssentials
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct StudioHiddenTests {
    private static let size = PixelSize(width: 1366, height: 680)
    private static let ground = MarkedScreen.ground

    /// A desktop of one colour, with the studio's first window.
    private func withDesktop(_ body: (ChromiumDesktop, Painter) throws -> Void) throws {
        let screen = try PrivateScreen(size: Self.size)
        defer { screen.end() }
        let painter = try Painter(display: screen.name)
        _ = painter.window(PixelRect(size: Self.size), colour: Self.ground)
        try withStudio({ try ChromiumDesktop($0, screen) }) { try body($0, painter) }
    }

    private func withStudio(
        _ makeDesktop: (TestPlace) throws -> ChromiumDesktop, _ body: (ChromiumDesktop) throws -> Void
    ) throws {
        try TestPlace.with { place in
            try place.makeDirectory(".config")
            try place.makeDirectory(".config/kinecast")
            try place.write(
                "[record]\naudio = none\nno-cursor = true\nchroma = 444\n[broadcast]\naudio = none\nno-cursor = true\n",
                to: ".config/kinecast/kinecast.conf")
            let desktop = try makeDesktop(place)
            let studio = try place.start(["studio"], desktop.environment)
            try body(desktop)
            #expect(try place.run(["studio", "--quit"], desktop.environment).status == 0)
            #expect(try studio.wait().status == 0)
        }
    }

    private func recordings(in place: TestPlace) -> [String] {
        PrivateDirectory.entries(FilePath(place.path("Kinecast"))).filter { $0.hasSuffix(".mp4") }
    }

    private func waitForSecond(in place: TestPlace) throws {
        struct Take: Decodable { var duration: Double? }
        try wait("a second of the take") {
            let status = try place.run("status", "--json").output
            return (try? JSONDecoder().decode(Take.self, from: Data(status.utf8)).duration ?? 0 > 1) == true
        }
    }

    /// - Parameter distance: how far a colour may be from the ground's: the film's coding changes colours.
    private func expectOnlyGround(in place: TestPlace, within distance: Int = 6) throws {
        let file = try #require(recordings(in: place).first)
        let frames = try ColourFrame.all(in: place.path("Kinecast/\(file)"))
        #expect(!frames.isEmpty)
        for (number, frame) in frames.enumerated() {
            #expect(frame.distance(from: Self.ground, in: PixelRect(size: Self.size)) <= distance, "frame \(number)")
        }
    }

    @Test func `no frame shows the window, which comes back with the recording`() throws {
        try withDesktop { desktop, _ in try expectReturn(on: desktop) }
    }

    @Test(.tags(.endurance), arguments: [false, true])
    func `no frame shows the window on sway either`(isLive: Bool) throws {
        let sway = try SwayDesktop(size: Self.size)
        try sway.perform("output * bg #\(String(Self.ground, radix: 16)) solid_color")
        // This one has no keyboard.
        try withStudio({ try ChromiumDesktop($0, onWayland: sway.environment) }) {
            try expectReturn(on: $0, isLive: isLive, hasKeyboard: false)
        }
    }

    private func expectReturn(on desktop: ChromiumDesktop, isLive: Bool = false, hasKeyboard: Bool = true) throws {
        let place = desktop.place
        try desktop.withWindow { try $0.recordHidden(isLive: isLive) }
        try waitForSecond(in: place)
        #expect(try place.run("stop").status == 0)
        try desktop.withWindow { window in
            #expect(try window.plays())
            let isNamed = "return document.activeElement?.matches('.name input')"
            if hasKeyboard { #expect(try window.browser.wait(until: isNamed), "the name can be typed") }
            try window.close()
        }
        try expectOnlyGround(in: place, within: isLive ? 24 : 6)
    }

    @Test func `a bar has the buttons, and no frame shows it, or the window that it was`() throws {
        try withDesktop { desktop, _ in
            let place = desktop.place
            try desktop.withWindow { window in
                try expectReady(window)
                try window.click("Options")
                try window.choose("bar", in: "While recording")
                try window.closeDialog()
                try window.click("Record")
                #expect(try window.shows("Recording"))
                let isSmall = "return outerWidth <= 480 && outerHeight <= 120"
                #expect(try window.browser.wait(until: isSmall))
                let isSeen = """
                    return [".main", "#elapsed", ".controls button:not([hidden])"].every((one) => {
                        const shown = [...document.querySelectorAll(one)].find((found) => found.checkVisibility());
                        const { right, bottom, left, top } = shown?.getBoundingClientRect() ?? {};
                        return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
                    });
                    """
                #expect(try window.browser.wait(until: isSeen))
                try waitForSecond(in: place)
                try window.endTake()
                #expect(try window.plays())
                #expect(try window.browser.wait(until: "return outerHeight > 400"))
                try window.close()
            }
            try expectOnlyGround(in: place)
        }
    }

    /// The window knows its own number then: of the two windows that are listed it offers the other one.
    private func expectReady(_ window: StudioWindow) throws {
        #expect(try window.isIdle())
        try window.skipCountdown()
        let offersOther = """
            const sources = [...document.querySelectorAll(".card input")].map((one) => JSON.parse(one.value).source);
            return sources.filter((source) => source === "window").length === 1;
            """
        #expect(try window.browser.wait(until: offersOther))
    }

    @Test func `a link is copied in three clicks, and viewers do not see the bar that copies it`() throws {
        try withDesktop { desktop, _ in
            try desktop.withWindow { window in
                try expectReady(window)
                try window.turn("Stream live")
                try window.press("Go live")
                #expect(try window.shows("Live"))
                try window.press("Copy link")
                try window.offers("Copied", "Chapter", "Pause", "End stream")
                // The browser's menu would be a window of its own.
                let click = "new Event('contextmenu', { bubbles: true, cancelable: true })"
                #expect(try !window.browser.run("return document.body.dispatchEvent(\(click))"))
                try window.endTake()
                #expect(try window.plays())
                try window.close()
            }
            try expectOnlyGround(in: desktop.place, within: 24)
        }
    }

    @Test func `an area is drawn when the window is gone, and Escape brings it back as it was`() throws {
        try withDesktop { desktop, painter in
            try desktop.withWindow { window in
                try window.choose(kind: "Area")
                try window.recordHidden()
            }
            try wait("the dark screen") { painter.pixel(x: 2, y: 2) == MarkedScreen.dark }
            painter.press(.escape)
            try desktop.withWindow { window in
                #expect(try window.isIdle())
                let chosen = "return document.querySelector('.card:has(:checked)')?.textContent === 'Draw an area'"
                #expect(try window.browser.wait(until: chosen))
                #expect(try window.browser.run("return document.getElementById('problem').hidden"))
                try window.close()
            }
            #expect(recordings(in: desktop.place).isEmpty)
        }
    }
}
