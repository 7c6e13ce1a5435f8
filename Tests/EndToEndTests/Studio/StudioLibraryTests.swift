// The library of recordings in the studio's page: played, cut by keys, renamed, deleted and restored.
import Glibc
import KinePlatform
import ProcessTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct StudioLibraryTests {
    @Test func `a recording is played, cut to the frame by keys, renamed, deleted and restored`() throws {
        try RunningStudio.with(configuration: "[record]\naudio = none\n") { studio in
            try studio.place.makeDirectory("Kinecast")
            try studio.withWindow { window in
                try window.show("Recordings")
                #expect(try window.browser.wait(until: "return document.querySelector('.empty')?.checkVisibility()"))
                try window.expectAccessible("no recordings")
                try record(in: studio)
                try open("Talk", window)
                let cut = try makeCut(window)
                try saveCut(window, as: "Short")
                let length = try TakeFile.finishedDuration(studio.place.path("Kinecast/Short.mp4"))
                #expect(abs(length - cut) < 0.001, "\(length) s instead of \(cut) s")
                try window.click("Open recording")
                #expect(try isPlayable("Short", window))
                try rename(window, in: studio)
                try removeAndRestore(window, in: studio)
                _ = try window.browser.log()
            }
        }
    }

    private func record(in studio: RunningStudio) throws {
        let path = studio.place.path("Kinecast/Talk.mp4")
        let ended = try studio.place.run(
            ["record", "--pattern", "320x240", "--fps", "10", "--audio", "none", "--duration", "2s", path],
            studio.environment)
        #expect(ended.status == 0, "\(ended)")
    }

    private func open(_ name: String, _ window: StudioWindow) throws {
        let isListed = """
            const tile = [...document.querySelectorAll(".tile[data-state=finished]")]
                .find((one) => one.querySelector(".title").textContent === "\(name)");
            if (!tile?.querySelector("img:not(.none)")) return false;
            tile.querySelector(".open").id = "opened";
            return true;
            """
        #expect(try window.browser.wait(until: isListed), "\(name) with its poster")
        try window.expectAccessible("the list")
        try window.browser.click("#opened")
        #expect(try isPlayable(name, window))
    }

    private func isPlayable(_ name: String, _ window: StudioWindow) throws -> Bool {
        try window.browser.wait(
            until: """
                return document.querySelector(".viewer h2")?.textContent === "\(name)"
                    && document.querySelector(".player").dataset.state === "ready"
                    && document.querySelector(".timeline .hint").textContent === "";
                """)
    }

    /// Presses keys, each as often as given, and waits until a slider is between two times.
    private func press(
        _ keys: [(String, Int)], shift: Bool = false, _ window: StudioWindow, until slider: String,
        in range: ClosedRange<Double>
    ) throws {
        for (key, count) in keys {
            for _ in 0..<count {
                let _: Bool = try window.browser.run(
                    """
                    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {
                        key: "\(key)", shiftKey: \(shift), bubbles: true, cancelable: true,
                    }));
                    return true;
                    """)
            }
        }
        let reached = """
            const value = Number(document.querySelector(".handle.\(slider)").ariaValueNow);
            return value >= \(range.lowerBound) && value <= \(range.upperBound);
            """
        #expect(try window.browser.wait(until: reached), "\(keys): \(slider) is not in \(range)")
    }

    private func value(_ slider: String, _ window: StudioWindow) throws -> Double {
        try window.browser.run("return Number(document.querySelector('.handle.\(slider)').ariaValueNow)")
    }

    /// Cuts the recording at both ends, and plays the cut. Returns its length in seconds.
    private func makeCut(_ window: StudioWindow) throws -> Double {
        let end = try value("to", window)
        try press([("ArrowRight", 3)], window, until: "position", in: 0.1...0.5)
        let third = try value("position", window)
        try press([("ArrowLeft", 1)], window, until: "position", in: 0.05...(third - 0.01))
        try press([("i", 1)], window, until: "from", in: 0.05...(third - 0.01))
        let from = try value("from", window)
        try press([("ArrowRight", 1)], shift: true, window, until: "position", in: 0.9...(end - 0.1))
        let last = try value("position", window)
        try press([("o", 1)], window, until: "to", in: (last + 0.01)...(end - 0.01))
        let to = try value("to", window)
        try window.expectAccessible("a cut")
        try window.click("Play the cut")
        let isOver = """
            const video = document.querySelector(".player video");
            const position = Number(document.querySelector(".handle.position").ariaValueNow);
            return video.paused && Math.abs(position - \(last)) < 0.002;
            """
        #expect(try window.browser.wait(until: isOver), "it stops with the last frame of the cut")
        #expect(try value("from", window) == from && value("to", window) == to)
        return to - from
    }

    /// Gives the dialog's field a text, and presses Enter.
    private func answer(_ text: String, _ window: StudioWindow) throws {
        let _: Bool = try window.browser.run(
            """
            const field = document.querySelector("dialog[open] input");
            field.value = "\(text)";
            field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
            return true;
            """)
    }

    private func saveCut(_ window: StudioWindow, as name: String) throws {
        try window.click("Save the cut")
        try window.expectAccessible("the cut's name")
        try answer(name, window)
        #expect(
            try window.browser.wait(
                until: "return document.querySelector('.jobs [data-state=done]')?.textContent.includes('\(name)')"))
    }

    private func rename(_ window: StudioWindow, in studio: RunningStudio) throws {
        try window.click("Rename")
        try answer("Talk", window)
        let isRefused = "return document.querySelector('dialog[open] [role=alert]').textContent !== ''"
        #expect(try window.browser.wait(until: isRefused), "the name is another recording's")
        try answer("Final", window)
        #expect(try isPlayable("Final", window))
        let files = PrivateDirectory.entries(FilePath(studio.place.path("Kinecast"))).sorted()
        #expect(files == ["Final.mp4", "Talk.mp4"])
    }

    private func removeAndRestore(_ window: StudioWindow, in studio: RunningStudio) throws {
        let path = studio.place.path("Kinecast/Final.mp4")
        #expect(access(path, F_OK) == 0)
        try window.click("Delete")
        let isListed =
            "return document.querySelectorAll('.tile').length === 1 && document.activeElement.matches('.open')"
        #expect(try window.browser.wait(until: isListed), "the next recording has the focus")
        #expect(access(path, F_OK) != 0)
        try window.click("Undo")
        let isBack = "return document.activeElement.querySelector('.title')?.textContent === 'Final'"
        #expect(try window.browser.wait(until: isBack))
        #expect(try TakeFile.finishedDuration(path) > 0.5)
    }
}
