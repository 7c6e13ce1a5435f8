// The live page in a real browser: what `kinecast broadcast` prints is opened, watched, and disturbed.
import Glibc
import KineMeasure
import KinePlatform
import Testing

@Suite(.serialized) struct LivePageTests {
    /// Broadcasts a pattern and gives the test its link and a browser.
    private func watch(
        _ place: Workplace, sound: Bool = true,
        _ body: (_ take: RunningKinecast, _ link: String, _ browser: Browser) throws -> Void
    ) throws {
        let take = try place.start("broadcast", "--pattern", "640x360", "--json")
        let link = try #require(try take.event("destination") { $0.kind == "link" }.link)
        let browser = try Browser(
            arguments: sound ? ["--autoplay-policy=no-user-gesture-required"] : [], environment: place.environment)
        defer { browser.end() }
        try body(take, link, browser)
        #expect(try complaints(browser) == [])
        take.signal(SIGINT)
        #expect(try take.wait().status == 0)
    }

    /// What the console says that no page of ours should make it say: errors, and breaches of the page's own policy.
    private func complaints(_ browser: Browser) throws -> [String] {
        try browser.log().filter {
            // A server that is gone for a moment is what some tests are about; browsers report each failed request.
            ($0.level == "SEVERE" && !$0.message.contains("net::ERR_"))
                || $0.message.contains("Content Security Policy")
        }.map(\.message)
    }

    private let facts = "document.getElementById('facts').textContent"

    private func phase(_ phase: String) -> String { "return document.body.dataset.phase === '\(phase)'" }

    /// Keeps every phase that the page goes through in `window.phases`: a short one is over before anybody asks.
    private func keepPhases(_ browser: Browser) throws {
        let _: Bool = try browser.run(
            """
            window.phases = [];
            new MutationObserver(() => window.phases.push(document.body.dataset.phase))
                .observe(document.body, { attributeFilter: ["data-phase"] });
            return true;
            """)
    }

    /// Whether the picture changes `count` times from now on.
    private func moves(_ browser: Browser, times count: Int = 8) throws -> Bool {
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
        return try browser.wait(until: "return window.distinct.size > \(count)")
    }

    @Test(arguments: ["webcodecs", "mse"])
    func `it plays, and shows pause, resumption and the end`(_ way: String) throws {
        try Workplace.with { place in
            try watch(place) { take, link, browser in
                try browser.open(#require(LiveLink(link)).playing(way))
                #expect(try browser.wait(until: phase("live")))
                #expect(try browser.run("return document.body.dataset.way") == way)
                // It is called live only once there is something to see.
                let colours: [Int] = try browser.run(
                    """
                    const sheet = document.createElement("canvas");
                    sheet.width = 640; sheet.height = 360;
                    const paint = sheet.getContext("2d");
                    paint.drawImage(document.querySelector("#stage > :is(canvas, video):not([hidden])"), 0, 0, 640, 360);
                    return [...paint.getImageData(137, 60, 1, 1).data].slice(0, 3);
                    """)
                // The pattern's second bar is yellow at three quarters.
                #expect(zip(colours, [0xbf, 0xbf, 0]).allSatisfy { abs($0 - $1) <= 12 }, "\(colours)")
                #expect(try moves(browser))

                #expect(try place.run("pause").status == 0)
                #expect(try browser.wait(until: phase("paused")))
                #expect(
                    try browser.run("return document.getElementById('notice').textContent")
                        == "The broadcast is paused.")
                #expect(try place.run("resume").status == 0)
                #expect(try browser.wait(until: phase("live")))
                #expect(try moves(browser))

                let strangers: [String] = try browser.run(
                    """
                    return performance.getEntriesByType("resource").map((entry) => entry.name)
                        .filter((name) => !name.startsWith(location.origin + "/") && !name.startsWith("blob:" + location.origin));
                    """)
                #expect(strangers == [])
                #expect(try place.run("stop").status == 0)
                #expect(try browser.wait(until: phase("ended")))
                #expect(try take.wait().status == 0)
            }
        }
    }

    @Test func `sound waits for a click where the browser insists`() throws {
        try Workplace.with { place in
            try watch(place, sound: false) { _, link, browser in
                try browser.open(link)
                #expect(try browser.wait(until: phase("live")))
                let label = "document.getElementById('sound').textContent"
                #expect(try browser.wait(until: "return \(label) === 'Sound on'"))
                try browser.click("#sound")
                #expect(try browser.wait(until: "return \(label) === 'Sound off'"))
                #expect(try moves(browser))
                try browser.click("#sound")
                #expect(try browser.wait(until: "return \(label) === 'Sound on'"))
            }
        }
    }

    @Test func `sound is decoded off the page's thread, and heard`() throws {
        try Workplace.with { place in
            try watch(place) { _, link, browser in
                // What the page sends to the loudspeaker goes here too.
                try browser.runBeforePages(
                    """
                    window.AudioWorkletNode = class extends AudioWorkletNode {
                        constructor(context, ...rest) {
                            super(context, ...rest);
                            window.tap = new AnalyserNode(context, { fftSize: 32768 });
                            this.connect(window.tap);
                        }
                    };
                    """)
                try browser.open(#require(LiveLink(link)).playing("webcodecs"))
                // The pattern beeps once a second, and the tap holds two thirds of one.
                func beeps() throws -> Bool {
                    let loudness = """
                        if (!window.tap) return false;
                        const samples = new Float32Array(window.tap.fftSize);
                        window.tap.getFloatTimeDomainData(samples);
                        return Math.max(...samples.map(Math.abs))
                        """
                    return try browser.wait(until: loudness + " < 0.1") && browser.wait(until: loudness + " > 0.1")
                }
                #expect(try beeps())
                for label in ["Sound on", "Sound off"] {
                    try browser.click("#sound")
                    #expect(
                        try browser.wait(until: "return document.getElementById('sound').textContent === '\(label)'"))
                }
                #expect(try beeps())
            }
        }
    }

    @Test(arguments: ["webcodecs", "mse"])
    func `it reconnects by itself after the extension was killed and started again`(_ way: String) throws {
        try Workplace.with { place in
            try watch(place) { take, link, browser in
                try browser.open(#require(LiveLink(link)).playing(way))
                #expect(try browser.wait(until: phase("live")))
                #expect(try moves(browser))
                try keepPhases(browser)
                let engine = try #require(place.processes().first { $0.contains("kinecast-engine") })
                let children = try Tool.output(
                    "pgrep", ["-P", String(engine.prefix { $0 != " " }), "-f", "kinecast-live"])
                let pid = try #require(Int32(children.split(separator: "\n").first ?? ""))
                kill(pid, SIGKILL)
                #expect(try browser.wait(until: "return window.phases.includes('reconnecting')"))
                #expect(try browser.wait(until: phase("live")))
                #expect(try moves(browser))
                // The token is in neither the address nor the history: it is the tab's.
                let base = try #require(LiveLink(link)).base
                #expect(try browser.run("return location.href") == "\(base)?play=\(way)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `it plays where the first connection is lost before there is a player`(_ isBeforeTheSegment: Bool) throws {
        // Either before the initialization segment, a record of kind 1, has come, and everything until the connection is gone;
        // or while the page asks whether the browser can play, which takes until the next connection has brought the segment.
        let lose = """
            window.losing = "no";
            window.segments = 0;
            const isBeforeTheSegment = \(isBeforeTheSegment);
            window.Worker = class extends Worker {
                constructor(...rest) {
                    super(...rest);
                    window.thread = this;
                }
                set onmessage(deliver) {
                    super.onmessage = (event) => {
                        if (event.data.lost) window.losing = "done";
                        if (event.data.record?.kind === 1) {
                            window.segments += 1;
                            if (isBeforeTheSegment && window.losing === "no") {
                                window.losing = "now";
                                this.postMessage({ restart: true });
                            }
                        }
                        if (!isBeforeTheSegment || window.losing !== "now") deliver(event);
                    };
                }
            };
            const ask = VideoDecoder.isConfigSupported.bind(VideoDecoder);
            VideoDecoder.isConfigSupported = async (configuration) => {
                if (!isBeforeTheSegment && window.losing === "no") {
                    window.losing = "now";
                    window.thread.postMessage({ restart: true });
                    while (window.segments < 2) await new Promise((done) => setTimeout(done, 10));
                }
                return ask(configuration);
            };
            """
        try Workplace.with { place in
            try watch(place) { _, link, browser in
                try browser.runBeforePages(lose)
                try browser.open(#require(LiveLink(link)).playing("webcodecs"))
                #expect(try browser.wait(until: "return window.losing === 'done'"))
                #expect(try browser.wait(until: phase("live")))
                #expect(try moves(browser))
            }
        }
    }

    @Test func `Media Source begins anew where there is no room and nothing to remove`() throws {
        try Workplace.with { place in
            try watch(place) { _, link, browser in
                // The first source takes three pieces and is full then.
                try browser.runBeforePages(
                    """
                    const append = SourceBuffer.prototype.appendBuffer;
                    window.pieces = new Map();
                    SourceBuffer.prototype.appendBuffer = function (bytes) {
                        const count = (window.pieces.get(this) ?? 0) + 1;
                        window.pieces.set(this, count);
                        if (window.pieces.size === 1 && count > 3) throw new DOMException("It is full.", "QuotaExceededError");
                        return append.call(this, bytes);
                    };
                    """)
                try browser.open(#require(LiveLink(link)).playing("mse"))
                #expect(try browser.wait(until: "return window.pieces.size > 1"))
                #expect(try browser.wait(until: phase("live")))
                #expect(try moves(browser))
            }
        }
    }

    @Test func `sound that could not begin is tried again at a click`() throws {
        try Workplace.with { place in
            try watch(place) { _, link, browser in
                try browser.runBeforePages(
                    """
                    const add = AudioWorklet.prototype.addModule;
                    window.attempts = 0;
                    AudioWorklet.prototype.addModule = async function (...rest) {
                        window.attempts += 1;
                        if (window.attempts === 1) throw new DOMException("It cannot be loaded.", "AbortError");
                        return add.apply(this, rest);
                    };
                    """)
                try browser.open(#require(LiveLink(link)).playing("webcodecs"))
                #expect(try browser.wait(until: "return window.attempts === 1"))
                #expect(try browser.wait(until: phase("live")))
                let label = "document.getElementById('sound').textContent"
                #expect(try browser.wait(until: "return \(label) === 'Sound on'"))
                try browser.click("#sound")
                #expect(try browser.wait(until: "return window.attempts === 2"))
                #expect(try browser.wait(until: "return \(label) === 'Sound off'"))
            }
        }
    }

    @Test func `a receiver that fails before anything is shown is told of`() throws {
        try Workplace.with { place in
            try watch(place) { _, link, browser in
                try browser.runBeforePages(
                    """
                    window.Worker = class extends Worker {
                        postMessage() { this.dispatchEvent(new Event("error")); }
                    };
                    """)
                try browser.open(link)
                #expect(try browser.wait(until: phase("stopped")))
                #expect(
                    try browser.run("return document.getElementById('notice').textContent")
                        == "The page could not receive the stream. Reload it.")
            }
        }
    }

    @Test func `a wrong token shows nothing, and none is told what is missing`() throws {
        try Workplace.with { place in
            try watch(place) { _, link, browser in
                let address = try #require(LiveLink(link))
                try browser.open(address.base)
                #expect(try browser.wait(until: phase("keyless")))
                try browser.open(address.base + "#" + String(address.token.reversed()))
                #expect(try browser.wait(until: phase("gone")))
                #expect(try browser.run("return document.title") == "Live screen")
                // The browser itself reports the 404, which is no complaint.
                _ = try browser.log()
                // In the same tab, where only what is behind the # is another: nothing would be loaded by itself.
                try browser.open(link)
                #expect(try browser.wait(until: phase("live")))
                #expect(try browser.run("return location.href") == address.base)
                #expect(try browser.run("return document.getElementById('title').textContent") == "Live screen")
            }
        }
    }

    @Test func `a renewed link lets old viewers go, and opens the page anew`() throws {
        try Workplace.with { place in
            try watch(place) { take, link, browser in
                try browser.open(link)
                #expect(try browser.wait(until: phase("live")))
                let renewed = try place.run("link", "--renew")
                #expect(renewed.status == 0 && renewed.errors == "")
                let new = String(renewed.output.dropLast())
                #expect(new != link && LiveLink(new)?.base == LiveLink(link)?.base)
                #expect(try place.run("link").output == renewed.output)
                #expect(try browser.wait(until: phase("gone")))
                // The browser itself reports the 404, which is no complaint.
                _ = try browser.log()
                try browser.open(new)
                #expect(try browser.wait(until: phase("live")))
                #expect(try moves(browser))
            }
        }
    }

    @Test func `keys work after a click, and the loudness can be changed`() throws {
        try Workplace.with { place in
            try watch(place) { _, link, browser in
                try browser.open(link)
                #expect(try browser.wait(until: phase("live")))
                let label = "document.getElementById('sound').textContent"
                #expect(try browser.wait(until: "return \(label) === 'Sound off'"))
                try browser.click("#sound")
                #expect(try browser.wait(until: "return \(label) === 'Sound on'"))
                let pressed: Bool = try browser.run(
                    """
                    const key = { key: "m", bubbles: true };
                    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", key));
                    return document.activeElement.id === "sound";
                    """)
                #expect(pressed, "the click left the button with the focus")
                #expect(try browser.wait(until: "return \(label) === 'Sound off'"))
                try browser.open(#require(LiveLink(link)).playing("mse"))
                #expect(try browser.wait(until: phase("live")))
                let _: Bool = try browser.run(
                    """
                    const volume = document.getElementById("volume");
                    volume.value = 30;
                    volume.dispatchEvent(new Event("input"));
                    return true;
                    """)
                #expect(try browser.run("return document.getElementById('video').volume") == 0.3)
            }
        }
    }

    @Test(arguments: ["webcodecs", "mse"])
    func `it says how many watch and how late it is, and keeps the screen awake`(_ way: String) throws {
        try Workplace.with { place in
            try watch(place) { _, link, browser in
                try browser.runBeforePages(
                    """
                    window.locks = 0;
                    Object.defineProperty(navigator, "wakeLock", { value: {
                        async request() {
                            window.locks += 1;
                            const lock = new EventTarget();
                            lock.release = async () => { window.locks -= 1; };
                            return lock;
                        },
                    } });
                    """)
                try browser.open(#require(LiveLink(link)).playing(way))
                #expect(try browser.wait(until: phase("live")))
                #expect(try browser.wait(until: "return window.locks === 1"))
                #expect(try browser.wait(until: "return /^1 viewer · .* behind$/.test(\(facts))"))
                #expect(try place.run("pause").status == 0)
                #expect(try browser.wait(until: "return \(facts) === '1 viewer' && window.locks === 0"))
            }
        }
    }

    @Test(arguments: ["webcodecs", "mse"])
    func `a browser that cannot play what it said it could is told of`(_ way: String) throws {
        try Workplace.with { place in
            try watch(place) { _, link, browser in
                try browser.runBeforePages(
                    """
                    VideoDecoder.prototype.decode = () => { throw new DOMException("It broke.", "EncodingError"); };
                    MediaSource.prototype.addSourceBuffer = () => { throw new DOMException("It broke.", "NotSupportedError"); };
                    """)
                try browser.open(#require(LiveLink(link)).playing(way))
                #expect(try browser.wait(until: phase("broken")))
                let notice: String = try browser.run("return document.getElementById('notice').textContent")
                #expect(notice.hasSuffix("(It broke.)"))
            }
        }
    }

    @Test func `a loss after a new beginning that the page asked for is shown`() throws {
        try Workplace.with { place in
            try watch(place) { _, link, browser in
                try browser.runBeforePages(
                    """
                    window.Worker = class extends Worker {
                        set onmessage(deliver) {
                            super.onmessage = (event) => {
                                if (event.data.lost) (window.lost ??= []).push(event.data.lost.isAsked);
                                deliver(event);
                                window.isConnected = !event.data.lost;
                            };
                        }
                    };
                    """)
                try browser.open(#require(LiveLink(link)).playing("mse"))
                #expect(try browser.wait(until: phase("live")))
                // Without sound the stream begins anew; that is no loss to anybody.
                try browser.click("#sound")
                #expect(try browser.wait(until: "return window.lost?.[0] === true && window.isConnected"))
                #expect(try browser.wait(until: phase("live")))
                // What it forgot at the loss it is told again.
                let _: Bool = try browser.run("\(facts) = ''; return true;")
                #expect(try browser.wait(until: "return /^1 viewer · .* behind$/.test(\(facts))"))
                let engine = try #require(place.processes().first { $0.contains("kinecast-engine") })
                let children = try Tool.output(
                    "pgrep", ["-P", String(engine.prefix { $0 != " " }), "-f", "kinecast-live"])
                let pid = try #require(Int32(children.split(separator: "\n").first ?? ""))
                kill(pid, SIGKILL)
                #expect(try browser.wait(until: "return window.lost.includes(false)"))
                #expect(try browser.wait(until: phase("live")))
            }
        }
    }
}
