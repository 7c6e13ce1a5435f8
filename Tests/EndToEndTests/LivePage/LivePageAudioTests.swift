// The live page's audio: what a browser allows, and what is heard.
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct LivePageAudioTests {
    @Test func `audio waits for a click where the browser insists`() throws {
        try WatchedPage.with(audioNeedsClick: true) { page in
            try page.open()
            #expect(try page.reaches("live"))
            #expect(try page.offers("Turn the sound on"))
            try page.browser.click("#sound")
            #expect(try page.offers("Turn the sound off"))
            #expect(try page.moves())
            try page.browser.click("#sound")
            #expect(try page.offers("Turn the sound on"))
        }
    }

    @Test func `audio is decoded off the page's thread, and heard`() throws {
        try WatchedPage.with { page in
            // What the page sends to the loudspeaker goes here too.
            try page.browser.runBeforePages(
                """
                window.AudioWorkletNode = class extends AudioWorkletNode {
                    constructor(context, ...rest) {
                        super(context, ...rest);
                        window.tap = new AnalyserNode(context, { fftSize: 32768 });
                        this.connect(window.tap);
                    }
                };
                """)
            try page.open("webcodecs")
            // The pattern beeps once a second, and the tap holds two thirds of one.
            func beeps() throws -> Bool {
                let loudness = """
                    if (!window.tap) return false;
                    const samples = new Float32Array(window.tap.fftSize);
                    window.tap.getFloatTimeDomainData(samples);
                    return Math.max(...samples.map(Math.abs))
                    """
                return try page.browser.wait(until: loudness + " < 0.1")
                    && page.browser.wait(until: loudness + " > 0.1")
            }
            #expect(try beeps())
            for label in ["Turn the sound on", "Turn the sound off"] {
                try page.browser.click("#sound")
                #expect(try page.offers(label))
            }
            #expect(try beeps())
        }
    }

    @Test func `audio that could not begin is tried again at a click`() throws {
        try WatchedPage.with { page in
            try page.browser.runBeforePages(
                """
                const add = AudioWorklet.prototype.addModule;
                window.attempts = 0;
                AudioWorklet.prototype.addModule = async function (...rest) {
                    window.attempts += 1;
                    if (window.attempts === 1) throw new DOMException("It cannot be loaded.", "AbortError");
                    return add.apply(this, rest);
                };
                """)
            try page.open("webcodecs")
            #expect(try page.browser.wait(until: "return window.attempts === 1"))
            #expect(try page.reaches("live"))
            #expect(try page.offers("Turn the sound on"))
            try page.browser.click("#sound")
            #expect(try page.browser.wait(until: "return window.attempts === 2"))
            #expect(try page.offers("Turn the sound off"))
        }
    }
}
