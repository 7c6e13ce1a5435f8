// The live page in the browsers that people have, by both of its players: Chromium, Firefox and WebKitGTK.
import CoreTesting
import KineMeasure
import KineMedia
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .browsers, .endurance)) struct BrowsersTests {
    @Test(arguments: Browser.Kind.allCases, ["webcodecs", "mse"])
    func `the live page plays, and shows pause and end`(_ kind: Browser.Kind, _ way: String) throws {
        let display = try PrivateDisplay(size: PixelSize(width: 1400, height: 900))
        defer { display.end() }
        try WatchedPage.with(kind, display: display.environment) { page in
            try page.open(way)
            #expect(try page.reaches("live"))
            #expect(try page.browser.run("return document.body.dataset.way") == way)
            let colours = try page.yellow()
            #expect(zip(colours, [0xbf, 0xbf, 0]).allSatisfy { abs($0 - $1) <= 12 }, "\(colours)")
            let behind: Int = try page.browser.runUntilDone(Self.delay, seconds: 30)
            Margin.atMost(way == "mse" ? 1000 : 500, Double(behind), "ms", "behind in \(kind), \(way)")
            #expect(try page.moves())
            #expect(try page.place.run("pause").status == 0)
            #expect(try page.reaches("paused"))
            #expect(try page.place.run("resume").status == 0)
            #expect(try page.reaches("live"))
            #expect(try page.moves())
            #expect(try page.place.run("stop").status == 0)
            #expect(try page.reaches("ended"))
        }
    }

    /// The milliseconds that the page says it is behind, once it says so.
    private static let delay = """
        const done = arguments[0];
        const look = () => {
            const said = /([0-9.]+) (ms|s) behind/.exec(\(WatchedPage.facts));
            if (said) done(Math.round(said[1] * (said[2] === "s" ? 1000 : 1))); else setTimeout(look, 20);
        };
        look();
        """
}
