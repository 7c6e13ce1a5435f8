// A window whose server goes: the same one comes back, or somebody else listens at its port.
import Glibc
import KineMeasure
import ProcessTesting
import Testing

@Suite(.tags(.real, .programs)) struct StudioPortTests {
    /// Whether the window has fetched all that it may come to load.
    private static let hasAll = """
        const names = performance.getEntriesByType("resource").map(({ name }) => name);
        return ["trim.js", "cameraframe.js", "mediasource.js", "sheet/form.js", "library.css", "sheet.css", "questions.js"]
            .every((wanted) => names.some((name) => name.endsWith(wanted)));
        """

    @Test func `a window goes on with its own server alone; another one gets a challenge, and the window ends`() throws
    {
        let relay = try StudioRelay()
        defer { relay.end() }
        let port = try Loopback.freePort()
        let address = ["--port", "\(port)", "--public-url", "http://127.0.0.1:\(relay.port)/"]
        try RunningStudio.with(configuration: "[record]\npattern = 320x240\naudio = none\n", arguments: address) {
            studio in
            relay.lead(to: .server(port: port))
            try studio.withWindow { window in
                #expect(try window.isIdle())
                #expect(try window.browser.wait(until: Self.hasAll))
                try window.skipCountdown()
                try window.click("Record")
                #expect(try window.notes("Recording began"))
                // A picture of the screen in this window would show itself.
                try window.click("Show the picture")
                relay.lead(to: .nobody)
                #expect(try window.shows("Connection lost"))
                #expect(try studio.place.run("pause").status == 0)
                relay.lead(to: .server(port: port))
                #expect(try window.notes("Paused"))
                #expect(try window.shows("Paused"))
                let notices: Int = try window.browser.run("return document.querySelectorAll('#notices li').length")
                #expect(notices == 2, "none is lost, and none comes twice")
                // Nothing is on its way to the server when it goes.
                #expect(
                    try window.browser.wait(
                        until: "return document.querySelector('.preview').dataset.state === 'paused'"))
                relay.lead(to: .stranger)
                #expect(
                    try window.browser.wait(
                        until:
                            "return document.getElementById('problem').textContent.includes('not connected any more')"))
                let heads = try tries(window, relay)
                #expect(heads.count == 1, "\(heads)")
                for head in heads {
                    #expect(head.hasPrefix("GET /api/proof/") && !head.lowercased().contains("\ncookie"), "\(head)")
                    #expect(!head.contains("Kinecast-Key"))
                }
                // Not even for its own server again.
                relay.lead(to: .server(port: port))
                #expect(try window.browser.run("return document.body.dataset.phase === 'refused'"))
            }
            #expect(try studio.place.run("stop").status == 0)
        }
    }

    /// What the page does by itself, what a person could do if it let them, and a picture that connects before the page
    /// has noticed the loss. Returns what the stranger has got by then.
    private func tries(_ window: StudioWindow, _ relay: StudioRelay) throws -> [String] {
        let answer: String = try window.browser.runUntilDone(
            """
            const done = arguments[0];
            for (const one of document.querySelectorAll("[inert]")) one.inert = false;
            document.querySelector("#views a:last-child").click();
            dispatchEvent(new Event("focus"));
            document.dispatchEvent(new Event("visibilitychange"));
            for (const one of document.querySelectorAll("button")) one.click();
            (async () => {
                const { makePreview } = await import("/record/preview.js");
                const preview = makePreview("api/takes/a/samples", "a");
                preview.want(true);
                while (preview.element.dataset.state !== "reconnecting") await new Promise((next) => setTimeout(next, 20));
                preview.want(false);
                const { post } = await import("/shared/session.js");
                await post("api/takes", { audio: "none" });
            })().then(() => done("sent"), ({ message }) => done(message));
            """, seconds: 60)
        #expect(answer.contains("start it again from the menu"), "\(answer)")
        return relay.heads
    }
}
