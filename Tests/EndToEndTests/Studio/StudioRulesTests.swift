// Three rules of the studio's window, at the size that a small laptop leaves it: the picture is the largest thing, one red button stands
// at the lower right corner, and nothing of the main path scrolls.
import FoundationEssentials
import KineMeasure
import KineMedia
import Testing

@Suite(.tags(.real, .programs)) struct StudioRulesTests {
    private struct Seen: Decodable {
        /// The visible red buttons: how far their lower right corners are from the window's, in pixels.
        let red: [[Double]]
        /// The picture's area, and the largest of anything else that a person looks at or presses, in square pixels.
        let picture: Double
        let largest: Double
        /// What scrolls.
        let scrolled: [String]
    }

    private func look(_ window: StudioWindow) throws -> Seen {
        let text: String = try window.browser.run(
            """
            const shown = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility());
            const probe = document.createElement("p");
            probe.style.background = "var(--live)";
            document.body.append(probe);
            const live = getComputedStyle(probe).backgroundColor;
            probe.remove();
            const area = (one) => { const { width, height } = one?.getBoundingClientRect() ?? {}; return width * height || 0; };
            const red = shown.filter((one) => one.matches("button") && getComputedStyle(one).backgroundColor === live)
                .map((one) => one.getBoundingClientRect()).map(({ right, bottom }) => [innerWidth - right, innerHeight - bottom]);
            const picture = document.querySelector(".take:not([hidden]) .preview") ?? document.querySelector(".stage");
            const others = shown.filter((one) => one.matches("button, select, input, .card, .row, .link, meter, p"));
            const scrolled = shown.filter((one) => one.scrollHeight > one.clientHeight + 1 && one.clientHeight > 0
                && ["auto", "scroll"].includes(getComputedStyle(one).overflowY)).map((one) => one.className || one.tagName);
            if (document.documentElement.scrollHeight > innerHeight) scrolled.push("the page");
            return JSON.stringify({ red, scrolled, picture: area(picture), largest: Math.max(...others.map(area)) });
            """)
        return try JSONDecoder().decode(Seen.self, from: Data(text.utf8))
    }

    private func expectRules(_ window: StudioWindow, _ state: String) throws {
        let seen = try look(window)
        #expect(seen.red.count == 1 && seen.red[0].allSatisfy { (0...24).contains($0) }, "\(state): \(seen.red)")
        #expect(seen.picture > 4 * seen.largest, "\(state): \(seen.picture), \(seen.largest)")
        #expect(seen.scrolled.isEmpty, "\(state): \(seen.scrolled)")
    }

    private func expectNoRed(_ window: StudioWindow, _ state: String) throws {
        #expect(try look(window).red.isEmpty, "\(state)")
    }

    @Test func `the picture is the largest thing, one button is red, and nothing scrolls`() throws {
        try expectRules(width: 1366, height: 680)
    }

    @Test(.tags(.endurance))
    func `on a large screen, too`() throws { try expectRules(width: 1920, height: 1080) }

    private func expectRules(width: Int, height: Int) throws {
        try RunningStudio.with(configuration: "[record]\naudio = none\n[broadcast]\naudio = none\n") { studio in
            try studio.withWindow { window in
                try window.browser.show(width: width, height: height, .light)
                #expect(try window.isIdle())
                let hasPicture = "return document.querySelector('.stage canvas')?.hidden === false"
                #expect(try window.browser.wait(until: hasPicture))
                try expectRules(window, "choosing")
                try window.skipCountdown()
                try window.turn("Instant replay")
                try window.turn("Stream live")
                try window.click("Go live")
                // The button stands where the one was that began it: a second click is not meant for it.
                let isKept: Bool = try window.browser.runUntilDone(
                    """
                    const done = arguments[0];
                    const press = () => {
                        const end = document.querySelector(".take .main");
                        if (!end?.checkVisibility()) return setTimeout(press, 1);
                        end.click();
                        setTimeout(() => done(document.querySelector(".take .main")?.checkVisibility() === true), 300);
                    };
                    press();
                    """, seconds: 60)
                #expect(isKept)
                #expect(try window.shows("Live"))
                #expect(try window.previews([0, 0, 0]))
                try expectRules(window, "live")
                try window.endTake()
                #expect(try window.plays())
                try expectNoRed(window, "the recording")
                try window.click("‹ Library")
                let isListed = "return document.querySelector('.tile')?.checkVisibility() === true"
                #expect(try window.browser.wait(until: isListed))
                try expectNoRed(window, "the library")
                try window.show("Record")
                try window.click("Options")
                let inDialog = "return document.querySelector('dialog[open] .main') === null"
                #expect(try window.browser.run(inDialog))
            }
        }
    }
}
