// The main path of the studio, as a person walks it: nothing that is pressed or said is outside the window.
import KineMeasure
import Testing

extension StudioWindow {
    /// A button that can be pressed, by the beginning of its words, as an expression.
    private static func button(_ label: String) -> String {
        """
        [...document.querySelectorAll("button")].findLast((one) => one.textContent.startsWith("\(label)")
            && one.checkVisibility() && !one.disabled && !one.closest("[inert]"))
        """
    }

    /// Whether an element comes to be in the window as a whole, where nothing hides its middle, without scrolling.
    private func isInside(_ element: String) throws -> Bool {
        try browser.wait(
            until: """
                const element = \(element);
                if (!element?.checkVisibility()) return false;
                const { left, top, right, bottom } = element.getBoundingClientRect();
                const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
                return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight
                    && element.contains(hit);
                """)
    }

    /// Expects that these buttons are in the window.
    package func offers(_ labels: String...) throws {
        for label in labels { #expect(try isInside(Self.button(label)), "\(label)") }
    }

    /// Presses a button that is in the window.
    package func press(_ label: String) throws {
        try offers(label)
        try click(label)
    }

    private func expectState(_ state: String) throws {
        let isShown = try shows(state)
        let page: String = isShown ? "" : try browser.run("return document.body.innerText")
        #expect(isShown, "\(page)")
    }

    /// Expects that a text comes to be seen, in the window.
    package func says(_ words: String) throws {
        let text = """
            [...document.querySelectorAll("p, small, span, li, code, dd")].findLast((one) =>
                one.textContent.includes("\(words)") && one.checkVisibility() && one.children.length === 0)
            """
        #expect(try isInside(text), "\(words)")
    }

    /// Fills a field of a service.
    package func fill(_ value: String, in label: String) throws {
        let found = try browser.wait(
            until: """
                const field = [...document.querySelectorAll(".settings .field")]
                    .find((one) => one.textContent.startsWith("\(label)"));
                const input = field?.querySelector("input");
                if (!input) return false;
                input.value = "\(value)";
                return input.dispatchEvent(new Event("input"));
                """)
        try #require(found, "there is no \(label)")
    }

    /// Records, goes live by a link and to servers: what a first user does.
    package func walk(refusing port: Int, taking server: MediaServer) throws {
        try walkThroughRecording()
        try walkToLink()
        try walkToServer(refusing: "rtmp://127.0.0.1:\(port)/live", taking: "rtmp://127.0.0.1:\(server.port)/live")
    }

    /// The first recording, its name, a cut and sharing.
    private func walkThroughRecording() throws {
        try offers("Record")
        try skipCountdown()
        try press("Record")
        try expectState("Recording")
        try offers("Pause", "Show camera", "Switch", "Chapter")
        let isLong = "return document.querySelector('#elapsed').textContent >= '0:02'"
        #expect(try browser.wait(until: isLong))
        try offers("Stop")
        try endTake()
        #expect(try plays())
        try offers("Share", "Show in folder", "Record again", "Discard")
        try name("First")
        #expect(try plays("First"))
        // The keys are the player's again.
        #expect(try browser.wait(until: "return document.activeElement.matches('h2')"))
        try cutFirstSecond()
        try press("Save as new")
        try answer("Short")
        #expect(try works("done", "Short"))
        try press("Share")
        try offers("Share", "Cancel")
        try closeDialog()
    }

    /// Two clicks, and a third that copies the link.
    private func walkToLink() throws {
        try show("Record")
        try skipCountdown()
        try turn("Stream live")
        try press("Go live")
        try expectState("Live")
        try press("Copy link")
        try offers("Copied")
        let link: String = try browser.run("return document.querySelector('.link code').textContent")
        try says(link)
        try offers("End stream")
        try endTake()
        #expect(try plays())
    }

    /// A server that takes no stream, and one that does. `refusing` and `taking` are addresses without the stream's name.
    private func walkToServer(refusing: String, taking: String) throws {
        try show("Record")
        // The link would be live at once.
        try stream(to: "RTMP")
        try check("Link for any browser", false)
        try fill("127.0.0.1", in: "Server")
        try says("Server has to begin with rtmp:// or rtmps://.")
        try fill(refusing, in: "Server")
        try fill("key", in: "Stream key")
        try closeDialog()
        try press("Go live")
        try expectState("Recording")
        try says("Connection refused")
        try offers("End stream")
        try endTake()
        #expect(try plays())
        try show("Record")
        try stream()
        try fill(taking, in: "Server")
        try closeDialog()
        try turn("Stream live")
        try press("Go live")
        try expectState("Live")
        try says("Good")
        try endTake()
        #expect(try plays())
    }
}
