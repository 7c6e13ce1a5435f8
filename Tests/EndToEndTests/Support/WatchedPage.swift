// A broadcast whose live page is open in a real browser.
import Glibc
import KineMeasure
import Testing

struct WatchedPage {
    let place: TestPlace
    let take: RunningKinecast
    let link: String
    let browser: Browser

    /// Broadcasts the pattern, lends the test its link and a browser that has opened nothing yet, and ends both.
    static func with(audioNeedsClick: Bool = false, _ body: (WatchedPage) throws -> Void) throws {
        try TestPlace.with { place in
            let take = try place.start("broadcast", "--pattern", "640x360", "--json")
            let link = try #require(try take.event("destination") { $0.kind == "link" }.link)
            let browser = try Browser(
                arguments: audioNeedsClick ? [] : ["--autoplay-policy=no-user-gesture-required"],
                environment: place.environment)
            defer { browser.end() }
            let page = WatchedPage(place: place, take: take, link: link, browser: browser)
            try body(page)
            #expect(try page.complaints() == [])
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }

    /// What the console says that no page of ours should make it say: errors, and breaches of the page's own policy.
    private func complaints() throws -> [String] {
        try browser.log().filter {
            // A server that is gone for a moment is what some tests are about; browsers report each failed request.
            ($0.level == "SEVERE" && !$0.message.contains("net::ERR_"))
                || $0.message.contains("Content Security Policy")
        }.map(\.message)
    }

    /// Opens the link, played as the page chooses or in one way: `webcodecs` or `mse`.
    func open(_ way: String? = nil) throws {
        try browser.open(way.map { try #require(LiveLink(link)).playing($0) } ?? link)
    }

    /// Whether the page comes into a phase.
    func reaches(_ phase: String) throws -> Bool {
        try browser.wait(until: "return document.body.dataset.phase === '\(phase)'")
    }

    /// Whether the audio's button comes to have this label.
    func offers(_ label: String) throws -> Bool {
        try browser.wait(until: "return document.getElementById('sound').getAttribute('aria-label') === '\(label)'")
    }

    /// What the page tells the viewer.
    func notice() throws -> String { try browser.run("return document.getElementById('notice').textContent") }

    /// The script of the line with viewers and delay.
    static let facts = "document.getElementById('facts').textContent"

    /// Keeps every phase that the page goes through in `window.phases`: a short one is over before anybody asks.
    func keepPhases() throws {
        let _: Bool = try browser.run(
            """
            window.phases = [];
            new MutationObserver(() => window.phases.push(document.body.dataset.phase))
                .observe(document.body, { attributeFilter: ["data-phase"] });
            return true;
            """)
    }

    /// Whether what is shown changes eight times from now on.
    func moves() throws -> Bool {
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
        return try browser.wait(until: "return window.distinct.size > 8")
    }

    /// Kills the extension that serves the page; the engine starts it again.
    func killExtension() throws {
        let engine = try #require(place.processes().first { $0.contains("kinecast-engine") })
        let children = try Tool.output("pgrep", ["-P", String(engine.prefix { $0 != " " }), "-f", "kinecast-live"])
        let pid = try #require(Int32(children.split(separator: "\n").first ?? ""))
        kill(pid, SIGKILL)
    }
}
