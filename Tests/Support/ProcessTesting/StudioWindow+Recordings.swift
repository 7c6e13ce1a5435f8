// A recording in a window of the studio: opened, cut by keys, played, saved and shared.
import KineMeasure
import Testing

extension RunningStudio {
    /// Records two seconds, as Talk.mp4 in the directory for videos. It has a frame every tenth of a second, also where a busy machine draws
    /// fewer.
    package func recordTalk() throws {
        let path = place.path("Kinecast/Talk.mp4")
        let ended = try place.run(
            ["record", "--pattern", "320x240", "--fps", "10", "--cfr", "--audio", "none", "--duration", "2s", path],
            environment)
        #expect(ended.status == 0, "\(ended)")
    }
}

extension StudioWindow {
    /// Whether the tile of a finished recording comes to have its poster. Its button is then `#opened`.
    package func lists(_ name: String) throws -> Bool {
        try browser.wait(
            until: """
                const tile = [...document.querySelectorAll(".tile[data-state=finished]")]
                    .find((one) => one.querySelector(".title").textContent === "\(name)");
                if (!tile?.querySelector("img:not(.none)")) return false;
                tile.querySelector(".open").id = "opened";
                return true;
                """)
    }

    /// Whether the recording of this name, or any if none is given, comes to be shown with all its pictures.
    package func plays(_ name: String? = nil) throws -> Bool {
        try browser.wait(
            until: """
                const title = document.querySelector(".viewer h2")?.textContent;
                return document.querySelector(".player")?.dataset.state === "ready"
                    && document.querySelector(".timeline .hint").textContent === ""
                    && title \(name.map { "=== \"\($0)\"" } ?? "!== ''");
                """)
    }

    /// Presses a key, and waits until a slider is between two times.
    private func press(
        _ key: String, shift: Bool = false, until slider: String, in range: ClosedRange<Double>
    ) throws {
        let _: Bool = try browser.run(
            """
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {
                key: "\(key)", shiftKey: \(shift), bubbles: true, cancelable: true,
            }));
            return true;
            """)
        let reached = """
            const value = Number(document.querySelector(".handle.\(slider)").ariaValueNow);
            return value >= \(range.lowerBound) && value <= \(range.upperBound);
            """
        #expect(try browser.wait(until: reached), "\(key): \(slider) is not in \(range)")
    }

    /// The time of a slider of the timeline, in seconds: position, from or to.
    package func time(of slider: String) throws -> Double {
        try browser.run("return Number(document.querySelector('.handle.\(slider)').ariaValueNow)")
    }

    /// Cuts the recording at both ends. Returns the length of the cut, and where its last frame begins, in seconds.
    package func cut() throws -> (length: Double, last: Double) {
        let end = try time(of: "to")
        var third = try time(of: "position")
        for _ in 0..<3 {
            try press("ArrowRight", until: "position", in: (third + 0.005)...0.5)
            third = try time(of: "position")
        }
        try press("ArrowLeft", until: "position", in: 0.05...(third - 0.01))
        try press("i", until: "from", in: 0.05...(third - 0.01))
        try press("ArrowRight", shift: true, until: "position", in: 0.9...(end - 0.1))
        let last = try time(of: "position")
        try press("o", until: "to", in: (last + 0.01)...(end - 0.01))
        return (try time(of: "to") - time(of: "from"), last)
    }

    /// Begins the cut after the first second, by keys.
    package func cutFirstSecond() throws {
        try press("ArrowRight", shift: true, until: "position", in: 0.8...1.2)
        try press("i", until: "from", in: 0.8...1.2)
    }

    /// Plays the cut. Returns whether it comes to stop with its last frame.
    package func playsCut(until last: Double) throws -> Bool {
        try click("Play the cut")
        return try browser.wait(
            until: """
                const video = document.querySelector(".player video");
                const position = Number(document.querySelector(".handle.position").ariaValueNow);
                return video.paused && Math.abs(position - \(last)) < 0.002;
                """)
    }

    /// Gives the dialog's field a text, and presses Enter.
    package func answer(_ text: String) throws {
        let _: Bool = try browser.run(
            """
            const field = document.querySelector("dialog[open] input");
            field.value = "\(text)";
            field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
            return true;
            """)
    }

    /// Gives the field of the recording's name, which has the focus, a text, and presses Enter.
    package func name(_ text: String) throws {
        let typed = try browser.wait(
            until: """
                const field = document.querySelector(".viewer .name input");
                if (document.activeElement !== field || field.readOnly) return false;
                field.value = "\(text)";
                field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
                return true;
                """)
        #expect(typed, "there is no field for the name")
    }

    /// Presses a button of the newest dialog, whose field gets a text first.
    package func answer(_ text: String? = nil, _ label: String) throws {
        let pressed = try browser.wait(
            until: """
                const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
                const button = [...dialog?.querySelectorAll("button") ?? []].find((one) => one.textContent === "\(label)");
                \(text.map { "if (button) dialog.querySelector('input').value = '\($0)';" } ?? "")
                button?.click();
                return Boolean(button);
                """)
        #expect(pressed, "there is no \(label)")
    }

    /// Shares the recording by the activity with an ID.
    package func share(by activity: String) throws {
        try click("Share")
        let found = try browser.wait(
            until: """
                const choice = document.querySelector('dialog [value="\(activity)"]');
                choice?.click();
                return Boolean(choice);
                """)
        #expect(found, "there is no \(activity)")
        try answer(nil, "Share")
    }

    /// Whether the newest work on a recording, which these words describe, comes to this state.
    package func works(_ state: String, _ words: String) throws -> Bool {
        try browser.wait(
            until: """
                const row = document.querySelector(".jobs li:last-child");
                return row?.dataset.state === "\(state)" && row.textContent.includes("\(words)");
                """)
    }
}
