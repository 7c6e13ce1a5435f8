// A choice in the studio: set, kept under a name, and chosen again in the page of another server.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct StudioChoiceTests {
    private static let configuration = """
        # mine
        [record]
        audio = none
        show-clicks = true
        exclude = title:Secret

        [record Talk]
        # Long enough for a talk.
        duration = 1s

        """

    /// The values that are set, by the labels of their lists, and the lists' words for them.
    private static let chosen = [
        ("Frame rate", "10", "10 frames a second"), ("Size", "1280x720", "1280×720"),
        ("Quality", "30", "Lower, small file"), ("Show keys", "shortcuts", "Shortcuts"), ("Show clicks", "false", "No"),
        ("Mouse pointer", "true", "Hidden"),
    ]

    @Test func `options are set and kept, a recording has them, and the next server's page offers them`() throws {
        try RunningStudio.with(configuration: Self.configuration) { studio in
            let painter = try Painter(display: studio.display)
            let id = painter.window(
                PixelRect(x: 40, y: 40, width: 320, height: 200), colour: 0x40_c0c0, isManaged: true)
            painter.setApplication(id, "Editor")
            try studio.withWindow { window in
                try choose(window)
                try keep(window, as: "Bug")
                try window.click("Record")
                #expect(try window.shows("Recording"))
                try window.endTake()
                #expect(try window.notes("Saved"))
            }
            try expectKept(in: studio)
            try expectRecorded(in: studio)
            try studio.end()
            // The last choice, which would be the same.
            #expect(unlink(studio.place.path(".local/state/kinecast/studio.json")) == 0)
            let next = try RunningStudio(studio.place, studio.environment)
            try next.withWindow { window in
                #expect(try isFilled(window))
                #expect(try form(window).lists["Size"] == "As the source")
                try window.choose("Bug", in: "Preset")
                let form = try form(window)
                for (label, _, words) in Self.chosen { #expect(form.lists[label] == words, "\(label)") }
                #expect(form.hidden == ["app:Editor", "title:Secret"])
                try window.choose("Talk", in: "Preset")
                #expect(try self.form(window).lists["Size"] == "As the source")
                let hint =
                    "return document.querySelector('.names .hint').textContent === 'Talk also sets duration = 1s.'"
                #expect(try window.browser.wait(until: hint))
                try window.click("Record")
                #expect(try window.notes("Saved 0:01"), "Talk's own duration")
            }
            try next.end()
        } ending: { _ in
        }
    }

    @Test(.tags(.endurance))
    func `a countdown is cancelled in the page, and no take begins`() throws {
        try RunningStudio.with(configuration: Self.configuration) { studio in
            try studio.withWindow { window in
                #expect(try isFilled(window))
                try window.choose("10", in: "Countdown")
                try window.click("Record")
                // The page ignores clicks and keys in the first 600 ms.
                let isCounting = try window.browser.wait(
                    until: """
                        if (!document.querySelector('.countdown')) return false;
                        window.countdownSeen ??= performance.now();
                        return performance.now() - window.countdownSeen > 700;
                        """)
                #expect(isCounting)
                try window.browser.click(".countdown")
                #expect(
                    try window.browser.wait(until: "return !document.querySelector('#recording .main').disabled"))
                #expect(try studio.place.registry().list().running.isEmpty)
                let problem: String = try window.browser.run("return document.getElementById('problem').textContent")
                #expect(problem == "")
            }
        }
    }

    @Test func `the screen is chosen first, also where the desktop's dialog offers windows before it is known`() throws
    {
        try RunningStudio.with { studio in
            try studio.withWindow { window in
                let chosen: [String] = try window.browser.runUntilDone(
                    """
                    const done = arguments[0];
                    const monitor = { name: "DP-1", bounds: { x: 0, y: 0, width: 1280, height: 720 } };
                    import("/record/gallery.js").then(({ makeGallery }) => done([[[], [monitor]], [[monitor]]].map((times) => {
                        const gallery = makeGallery();
                        for (const monitors of times) {
                            gallery.setFixed({ screenBackend: monitors.length && "portal", dialogs: ["window"], monitors });
                        }
                        return gallery.chosen.source;
                    })));
                    """, seconds: 60)
                #expect(chosen == ["monitor", "monitor"])
            }
        }
    }

    @Test(.tags(.endurance))
    func `space for less than five minutes is a warning that assistive technology reports`() throws {
        try RunningStudio.with { studio in
            try studio.withWindow { window in
                let lines: [String] = try window.browser.runUntilDone(
                    """
                    const done = arguments[0];
                    const spaces = [[120e6, 240], [1.2e9, 2400], [38e9, 75600]];
                    import("/record/disk.js").then(({ showSpace: show }) => done(spaces.map(([free, duration]) => {
                        const line = document.createElement("p");
                        show(line, { free, duration, place: ["Videos", "Kinecast"] });
                        return `${line.textContent}, ${line.className}, ${line.role}`;
                    })));
                    """, seconds: 60)
                #expect(
                    lines == [
                        "Only 120 MB free for recordings, about 4 minutes, low, status",
                        "Saves to Videos › Kinecast · 1.2 GB free, about 40 minutes, , null",
                        "Saves to Videos › Kinecast · 38 GB free, about 21 hours, , null",
                    ])
            }
        }
    }

    /// Whether the form comes to be filled.
    private func isFilled(_ window: StudioWindow) throws -> Bool {
        try window.browser.wait(until: "return document.querySelector('#recording .main:enabled') != null")
    }

    /// Sets the options.
    private func choose(_ window: StudioWindow) throws {
        #expect(try isFilled(window))
        let form = try form(window)
        #expect(form.lists["Show clicks"] == "Yes" && form.hidden == ["title:Secret"])
        try window.skipCountdown()
        try window.click("Options")
        for (label, value, _) in Self.chosen { try window.choose(value, in: label) }
        #expect(try window.browser.wait(until: "return document.querySelector('[value=\"app:Editor\"]') != null"))
        try window.browser.click("[value=\"app:Editor\"]")
        try window.closeDialog()
        let line = "document.querySelector('.foot .hint').textContent"
        let isSaid = "return /^Saves to .+ › Kinecast · \\d.* free, about \\d/.test(\(line))"
        #expect(try window.browser.wait(until: isSaid))
    }

    private func keep(_ window: StudioWindow, as name: String) throws {
        for (typed, problem) in [("", "A name has one to 100"), (name, "")] {
            try window.click("Save preset…")
            let _: Bool = try window.browser.run(
                """
                document.activeElement.value = "\(typed)";
                document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
                return true;
                """)
            guard problem.isEmpty else {
                let said = "return document.querySelector('dialog .problem')?.textContent.startsWith('\(problem)')"
                #expect(try window.browser.wait(until: said))
                try window.click("Cancel")
                continue
            }
            #expect(try window.offers(name, in: "Preset"))
        }
        #expect(try window.browser.wait(until: "return document.activeElement.textContent === 'Save preset…'"))
        // The server's refusal.
        _ = try window.browser.log()
    }

    private func expectKept(in studio: RunningStudio) throws {
        let path = FilePath(studio.place.path(".config/kinecast/kinecast.conf"))
        let text = String(decoding: PrivateDirectory.contents(of: path, limit: 65536) ?? [], as: UTF8.self)
        #expect(text.hasPrefix(Self.configuration))
        let lines = text.dropFirst(Self.configuration.count).split(separator: "\n").map(String.init)
        #expect(lines.first == "[record Bug]" && lines.dropFirst().first?.hasPrefix("monitor = ") == true)
        #expect(
            lines.dropFirst(2) == [
                "audio = none", "mic = none", "fps = 10", "size = 1280x720", "quality = 30", "show-keys = shortcuts",
                "show-clicks = false", "no-cursor = true", "exclude = app:Editor", "exclude = title:Secret",
            ])
        let checked = try studio.place.run(["config", "--profile", "Bug"], studio.environment)
        #expect(checked.status == 0, "\(checked)")
    }

    private func expectRecorded(in studio: RunningStudio) throws {
        let file = try #require(PrivateDirectory.entries(FilePath(studio.place.path("Kinecast"))).first)
        let frames = try ColourFrame.all(in: studio.place.path("Kinecast/\(file)"))
        #expect(!frames.isEmpty && frames.allSatisfy { $0.size == PixelSize(width: 1280, height: 720) })
        let middle = PixelRect(x: 200, y: 200, width: 200, height: 100)
        #expect(frames.allSatisfy { $0.distance(from: 0x40_c0c0, in: middle) > 40 }, "the editor is painted over")
    }

    private struct Form: Decodable {
        /// The chosen words of each list, by its label.
        var lists: [String: String]
        /// The rules of the apps that are never shown.
        var hidden: [String]
    }

    /// What the options are.
    private func form(_ window: StudioWindow) throws -> Form {
        try window.click("Options")
        let form: Form = try window.browser.run(
            """
            const lists = Object.fromEntries([...document.querySelectorAll("dialog .field:has(select)")].map((field) =>
                [field.querySelector("span").textContent, field.querySelector("select").selectedOptions[0].text]));
            const hidden = [...document.querySelectorAll(".hiding input:checked")].map(({ value }) => value).sort();
            return { lists, hidden };
            """)
        try window.closeDialog()
        return form
    }
}
