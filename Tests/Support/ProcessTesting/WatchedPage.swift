// A broadcast whose live page is open in a real browser.
import Glibc
import KineMeasure
import KinePlatform
import Testing

package struct WatchedPage {
    package let place: TestPlace
    package let take: RunningKinecast
    package let link: String
    package let browser: Browser
    private let kind: Browser.Kind

    /// Broadcasts the pattern, lends the test its link and a browser that has opened nothing yet, and ends both.
    /// - Parameter display: of the browser; WebKit alone needs one.
    package static func with(
        _ kind: Browser.Kind = .chromium, display: [String] = [], audioNeedsClick: Bool = false,
        _ body: (WatchedPage) throws -> Void
    ) throws {
        try TestPlace.with { place in
            let take = try place.start("broadcast", "--pattern", "640x360", "--json")
            let link = try #require(try take.event("destination") { $0.kind == "link" }.link)
            let needsNoClick = kind == .chromium && !audioNeedsClick
            let browser = try Browser(
                kind, arguments: needsNoClick ? ["--autoplay-policy=no-user-gesture-required"] : [],
                environment: ProcessEnvironment.merging(place.environment, display))
            defer { browser.end() }
            let page = WatchedPage(place: place, take: take, link: link, browser: browser, kind: kind)
            try body(page)
            #expect(try page.complaints() == [])
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }

    /// What the console says that no page of ours should make it say: errors, and breaches of the page's own policy.
    private func complaints() throws -> [String] {
        guard kind == .chromium else { return [] }
        return try browser.log().filter {
            // A server that is gone for a moment is what some tests are about; browsers report each failed request.
            ($0.level == "SEVERE" && !$0.message.contains("net::ERR_"))
                || $0.message.contains("Content Security Policy")
        }.map(\.message)
    }

    /// Opens the link, played as the page chooses or in one way: `webcodecs` or `mse`.
    package func open(_ way: String? = nil) throws {
        try browser.open(way.map { try #require(LiveLink(link)).playing($0) } ?? link)
    }

    /// Whether the page comes into a phase.
    package func reaches(_ phase: String) throws -> Bool {
        try browser.wait(until: "return document.body.dataset.phase === '\(phase)'")
    }

    /// Whether the audio's button comes to have this label.
    package func offers(_ label: String) throws -> Bool {
        try browser.wait(until: "return document.getElementById('sound').getAttribute('aria-label') === '\(label)'")
    }

    /// What the page tells the viewer.
    package func notice() throws -> String { try browser.run("return document.getElementById('notice').textContent") }

    /// The script of the line with viewers and delay.
    package static let facts = "document.getElementById('facts').textContent"

    /// Keeps every phase that the page goes through in `window.phases`: a short one is over before anybody asks.
    package func keepPhases() throws {
        let _: Bool = try browser.run(
            """
            window.phases = [];
            new MutationObserver(() => window.phases.push(document.body.dataset.phase))
                .observe(document.body, { attributeFilter: ["data-phase"] });
            return true;
            """)
    }

    /// Red, green and blue of the pattern's second bar, which is yellow at three quarters.
    package func yellow() throws -> [Int] {
        try browser.run(
            """
            const sheet = document.createElement("canvas");
            sheet.width = 640; sheet.height = 360;
            const paint = sheet.getContext("2d");
            paint.drawImage(document.querySelector("#stage > :is(canvas, video):not([hidden])"), 0, 0, 640, 360);
            return [...paint.getImageData(137, 60, 1, 1).data].slice(0, 3);
            """)
    }

    /// Whether what is shown changes eight times from now on.
    package func moves() throws -> Bool {
        let _: Bool = try browser.run(
            """
            window.distinct = new Set();
            const sheet = document.createElement("canvas");
            sheet.width = 160; sheet.height = 90;
            const paint = sheet.getContext("2d", { willReadFrequently: true });
            clearInterval(window.watching);
            window.watching = setInterval(() => {
                const shown = document.querySelector("#stage > :is(canvas, video):not([hidden])");
                if (!shown) return;
                paint.drawImage(shown, 0, 0, 160, 90);
                const pixels = paint.getImageData(0, 0, 160, 90).data;
                let hash = 0;
                for (const value of pixels) hash = (Math.imul(hash, 31) + value) | 0;
                window.distinct.add(hash);
            }, 20);
            return true;
            """)
        let has = try browser.wait(until: "return window.distinct.size > 8")
        // Looking fifty times a second takes Firefox a whole core, and then it is late.
        let _: Bool = try browser.run("clearInterval(window.watching); return true;")
        return has
    }

    /// Kills the extension that serves the page; the engine starts it again.
    package func killExtension() throws {
        let engine = try place.registry().find(nil).pid
        let children = try Tool.output("pgrep", ["-P", "\(engine)", "-f", "kinecast-publish live"])
        let pid = try #require(Int32(children.split(separator: "\n").first ?? ""))
        kill(pid, SIGKILL)
    }
}
