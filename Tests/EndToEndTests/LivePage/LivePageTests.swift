// The live page in a real browser: what `kinecast broadcast` prints is opened and watched.
import KineMeasure
import Testing

@Suite(.serialized, .tags(.real, .programs, .long)) struct LivePageTests {
    @Test(arguments: ["webcodecs", "mse"])
    func `it plays, and shows pause, resumption and the end`(_ way: String) throws {
        try WatchedPage.with { page in
            try page.open(way)
            #expect(try page.reaches("live"))
            #expect(try page.browser.run("return document.body.dataset.way") == way)
            // It is called live only once there is something to see.
            let colours = try page.yellow()
            #expect(zip(colours, [0xbf, 0xbf, 0]).allSatisfy { abs($0 - $1) <= 12 }, "\(colours)")
            #expect(try page.moves())

            #expect(try page.place.run("pause").status == 0)
            #expect(try page.reaches("paused"))
            #expect(try page.notice() == "The broadcast is paused.")
            #expect(try page.place.run("resume").status == 0)
            #expect(try page.reaches("live"))
            #expect(try page.moves())

            let strangers: [String] = try page.browser.run(
                """
                return performance.getEntriesByType("resource").map((entry) => entry.name)
                    .filter((name) => !name.startsWith(location.origin + "/") && !name.startsWith("blob:" + location.origin));
                """)
            #expect(strangers == [])
            #expect(try page.place.run("stop").status == 0)
            #expect(try page.reaches("ended"))
            #expect(try page.take.wait().status == 0)
        }
    }

    @Test func `a wrong token shows nothing, and none is told what is missing`() throws {
        try WatchedPage.with { page in
            let address = try #require(LiveLink(page.link))
            try page.browser.open(address.base)
            #expect(try page.reaches("keyless"))
            try page.browser.open(address.base + "#" + String(address.token.reversed()))
            #expect(try page.reaches("gone"))
            #expect(try page.browser.run("return document.title") == "Live screen")
            // The browser itself reports the 404, which is no complaint.
            _ = try page.browser.log()
            // In the same tab, where only what is behind the # is another: nothing would be loaded by itself.
            try page.open()
            #expect(try page.reaches("live"))
            #expect(try page.browser.run("return location.href") == address.base)
            #expect(try page.browser.run("return document.getElementById('title').textContent") == "Live screen")
        }
    }

    @Test func `a renewed link lets old viewers go, and opens the page anew`() throws {
        try WatchedPage.with { page in
            try page.open()
            #expect(try page.reaches("live"))
            let renewed = try page.place.run("link", "--renew")
            #expect(renewed.status == 0 && renewed.errors == "")
            let new = String(renewed.output.dropLast())
            #expect(new != page.link && LiveLink(new)?.base == LiveLink(page.link)?.base)
            #expect(try page.place.run("link").output == renewed.output)
            #expect(try page.reaches("gone"))
            // The browser itself reports the 404, which is no complaint.
            _ = try page.browser.log()
            try page.browser.open(new)
            #expect(try page.reaches("live"))
            #expect(try page.moves())
        }
    }

    @Test func `keys work after a click, and the loudness can be changed`() throws {
        try WatchedPage.with { page in
            try page.open()
            #expect(try page.reaches("live"))
            #expect(try page.offers("Turn the sound off"))
            try page.browser.click("#sound")
            #expect(try page.offers("Turn the sound on"))
            let pressed: Bool = try page.browser.run(
                """
                const key = { key: "m", bubbles: true };
                document.activeElement.dispatchEvent(new KeyboardEvent("keydown", key));
                return document.activeElement.id === "sound";
                """)
            #expect(pressed, "the click left the button with the focus")
            #expect(try page.offers("Turn the sound off"))
            try page.open("mse")
            #expect(try page.reaches("live"))
            let _: Bool = try page.browser.run(
                """
                const volume = document.getElementById("volume");
                volume.value = 30;
                volume.dispatchEvent(new Event("input"));
                return true;
                """)
            #expect(try page.browser.run("return document.getElementById('video').volume") == 0.3)
        }
    }

    @Test(arguments: ["webcodecs", "mse"])
    func `it says how many watch and how late it is, and keeps the screen awake`(_ way: String) throws {
        try WatchedPage.with { page in
            try page.browser.runBeforePages(
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
            try page.open(way)
            #expect(try page.reaches("live"))
            #expect(try page.browser.wait(until: "return window.locks === 1"))
            #expect(try page.browser.wait(until: "return /^1 viewer · .* behind$/.test(\(WatchedPage.facts))"))
            #expect(try page.place.run("pause").status == 0)
            #expect(try page.browser.wait(until: "return \(WatchedPage.facts) === '1 viewer' && window.locks === 0"))
        }
    }
}
