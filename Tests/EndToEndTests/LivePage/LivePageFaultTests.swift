// The live page while something fails: the connection, the extension behind it, or a part of the browser.
import KineMeasure
import Testing

@Suite(.serialized, .tags(.real, .programs, .long)) struct LivePageFaultTests {
    @Test(arguments: ["webcodecs", "mse"])
    func `it reconnects by itself after the extension was killed and started again`(_ way: String) throws {
        try WatchedPage.with { page in
            try page.open(way)
            #expect(try page.reaches("live"))
            #expect(try page.moves())
            try page.keepPhases()
            try page.killExtension()
            #expect(try page.browser.wait(until: "return window.phases.includes('reconnecting')"))
            #expect(try page.reaches("live"))
            #expect(try page.moves())
            // The token is in neither the address nor the history: it is the tab's.
            let base = try #require(LiveLink(page.link)).base
            #expect(try page.browser.run("return location.href") == "\(base)?play=\(way)")
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
                        const [message, value] = event.data;
                        if (message === "lost") window.losing = "done";
                        if (message === "record" && value.kind === 1) {
                            window.segments += 1;
                            if (isBeforeTheSegment && window.losing === "no") {
                                window.losing = "now";
                                this.postMessage(["restart"]);
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
                    window.thread.postMessage(["restart"]);
                    while (window.segments < 2) await new Promise((done) => setTimeout(done, 10));
                }
                return ask(configuration);
            };
            """
        try WatchedPage.with { page in
            try page.browser.runBeforePages(lose)
            try page.open("webcodecs")
            #expect(try page.browser.wait(until: "return window.losing === 'done'"))
            #expect(try page.reaches("live"))
            #expect(try page.moves())
        }
    }

    @Test func `frames that a busy page would show too late are left out`() throws {
        try WatchedPage.with { page in
            try page.browser.runBeforePages(
                """
                window.decoded = [];
                const decode = VideoDecoder.prototype.decode;
                VideoDecoder.prototype.decode = function (chunk) {
                    window.decoded.push({ time: chunk.timestamp, type: chunk.type });
                    return decode.call(this, chunk);
                };
                """)
            try page.open("webcodecs")
            #expect(try page.reaches("live"))
            #expect(try page.moves())
            let _: Bool = try page.browser.run(
                """
                const end = performance.now() + 6000;
                while (performance.now() < end);
                return true;
                """)
            // A frame waits for a second at most; what comes in the five seconds after that is left out.
            #expect(
                try page.browser.wait(
                    until: """
                        return window.decoded.some(({ time, type }, index) =>
                            index > 0 && time - window.decoded[index - 1].time > 3e6 && type === "key");
                        """))
            #expect(try page.moves())
            #expect(try page.reaches("live"))
        }
    }

    @Test func `Media Source begins anew where there is no room and nothing to remove`() throws {
        try WatchedPage.with { page in
            // The first source takes three pieces and is full then.
            try page.browser.runBeforePages(
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
            try page.open("mse")
            #expect(try page.browser.wait(until: "return window.pieces.size > 1"))
            #expect(try page.reaches("live"))
            #expect(try page.moves())
        }
    }

    @Test func `a receiver that fails before anything is shown is told of`() throws {
        try WatchedPage.with { page in
            try page.browser.runBeforePages(
                """
                window.Worker = class extends Worker {
                    postMessage() { this.dispatchEvent(new Event("error")); }
                };
                """)
            try page.open()
            #expect(try page.reaches("stopped"))
            #expect(try page.notice() == "The page could not receive the stream. Reload it.")
        }
    }

    @Test(arguments: ["webcodecs", "mse"])
    func `a browser that cannot play what it said it could is told of`(_ way: String) throws {
        try WatchedPage.with { page in
            try page.browser.runBeforePages(
                """
                VideoDecoder.prototype.decode = () => { throw new DOMException("It broke.", "EncodingError"); };
                MediaSource.prototype.addSourceBuffer = () => { throw new DOMException("It broke.", "NotSupportedError"); };
                """)
            try page.open(way)
            #expect(try page.reaches("broken"))
            let notice: String = try page.notice()
            #expect(notice.hasSuffix("(It broke.)"))
        }
    }

    @Test func `a loss after a new beginning that the page asked for is shown`() throws {
        try WatchedPage.with { page in
            try page.browser.runBeforePages(
                """
                window.Worker = class extends Worker {
                    set onmessage(deliver) {
                        super.onmessage = (event) => {
                            const [message, value] = event.data;
                            if (message === "lost") (window.lost ??= []).push(value.isAsked);
                            deliver(event);
                            window.isConnected = message !== "lost";
                        };
                    }
                };
                """)
            try page.open("mse")
            #expect(try page.reaches("live"))
            // Without audio the stream begins anew; that is no loss to anybody.
            try page.browser.click("#sound")
            #expect(try page.browser.wait(until: "return window.lost?.[0] === true && window.isConnected"))
            #expect(try page.reaches("live"))
            // What it forgot at the loss it is told again.
            let _: Bool = try page.browser.run("\(WatchedPage.facts) = ''; return true;")
            #expect(try page.browser.wait(until: "return /^1 viewer · .* behind$/.test(\(WatchedPage.facts))"))
            try page.killExtension()
            #expect(try page.browser.wait(until: "return window.lost.includes(false)"))
            #expect(try page.reaches("live"))
        }
    }
}
