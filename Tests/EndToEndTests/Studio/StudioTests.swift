// The studio in a real browser: a recording is begun, controlled and ended by its buttons.
import Glibc
import KineClient
import KineMeasure
import KineMedia
import KinePlatform
import KineWire
import ScreenTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct StudioTests {
    @Test func `a recording is begun, paused, marked, clipped and ended in the page`() throws {
        try RunningStudio.with(configuration: "[record]\naudio = none\n") { studio in
            try studio.withWindow { window in
                try window.records(in: studio)
                let entries: Int = try window.browser.run("return history.length")
                #expect(entries == 2, "the browser's first page, and this one")
            }
        }
    }

    @Test func `a window is chosen by its picture, which follows it, and its recording shows it`() throws {
        try RunningStudio.with(configuration: "[record]\naudio = none\n") { studio in
            let painter = try Painter(display: studio.display)
            let id = painter.window(
                PixelRect(x: 40, y: 40, width: 320, height: 200), colour: 0x40_c0c0, isManaged: true)
            painter.setTitle(id, "<b>Notes</b>")
            try studio.withWindow { window in
                #expect(try showsPicture([0x40, 0xc0, 0xc0], window), "the window's colour")
                let title: String = try window.browser.run(
                    "return document.querySelector('#chosen .title').textContent")
                #expect(title == "<b>Notes</b>")
                painter.fill(id, PixelRect(x: 0, y: 0, width: 320, height: 200), 0xc0_4020)
                #expect(try showsPicture([0xc0, 0x40, 0x20], window), "a change of it")
                try window.browser.click(".segments label:nth-child(2)")
                try window.browser.click("#chosen")
                try window.skipCountdown()
                try window.click("Record")
                #expect(try window.shows("Recording"))
                #expect(try studio.place.registry().find(nil).source == "window 0x\(String(id, radix: 16))")
                #expect(try keepsPlaces(window), "the buttons under a picture that comes")
                try window.endTake()
                #expect(try window.notes("Saved"))
                try window.show("Record")
                // Nothing takes the place of what the person has chosen.
                painter.destroy(id)
                let chosen = "document.querySelector('.card:has(:checked)').textContent"
                #expect(try window.browser.wait(until: "return \(chosen) === '<b>Notes</b>Not on the screen'"))
                try window.click("Record")
                #expect(
                    try window.browser.wait(
                        until: "return document.getElementById('problem').textContent.includes('window')"))
                #expect(try window.isIdle())
                try window.browser.click(".segments label")
                let isAlone = "return document.querySelectorAll('.card:not([hidden])').length === 1"
                #expect(try window.browser.wait(until: isAlone))
            }
            let file = try #require(PrivateDirectory.entries(FilePath(studio.place.path("Kinecast"))).first)
            let frames = try ColourFrame.all(in: studio.place.path("Kinecast/\(file)"))
            let middle = PixelRect(x: 100, y: 60, width: 100, height: 80)
            #expect(!frames.isEmpty && frames.allSatisfy { $0.distance(from: 0xc0_4020, in: middle) <= 8 })
        }
    }

    /// Whether the buttons of the newest take are where they were before its picture came.
    private func keepsPlaces(_ window: StudioWindow) throws -> Bool {
        try window.browser.wait(
            until: """
                const picture = document.querySelector(".preview canvas:not([hidden]), .preview video:not([hidden])");
                if (!picture?.clientHeight) return false;
                const top = () => document.querySelector(".take .controls").getBoundingClientRect().top;
                const now = top();
                picture.hidden = true;
                const before = top();
                picture.hidden = false;
                return now === before;
                """)
    }

    /// Whether a window's picture comes to have this colour in its middle. Its card is then `#chosen`.
    private func showsPicture(_ colour: [Int], _ window: StudioWindow) throws -> Bool {
        try window.browser.wait(
            until: """
                const card = document.querySelector('[value*="window"]')?.closest(".card");
                const image = card?.querySelector("img");
                if (!image?.complete) return false;
                card.id = "chosen";
                const sheet = document.createElement("canvas").getContext("2d");
                sheet.drawImage(image, 0, 0, 1, 1);
                const found = [...sheet.getImageData(0, 0, 1, 1).data];
                return \(colour).every((value, index) => Math.abs(value - found[index]) <= 12);
                """)
    }

    @Test func `an engine makes no pictures for another program than the studio`() throws {
        let survey = try SurveyProcess(EngineLocator(named: RunningKinecast.sibling("kinecast-engine")))
        survey.survey()
        var events: [SurveyEvent] = []
        try wait("the refusal") {
            guard let more = survey.events() else { return true }
            events += more
            return false
        }
        guard case .failed(let sentence)? = events.first, events.count == 1 else {
            Issue.record("\(events)")
            return
        }
        #expect(sentence.contains("kinecast studio"))
    }

    @Test func `a recording that cannot begin says why once, and meanwhile none other is begun`() throws {
        try RunningStudio.with { studio in
            try studio.withWindow { window in
                #expect(try window.isIdle())
                let statuses: [Int] = try window.browser.runUntilDone(
                    """
                    const done = arguments[0];
                    const headers = {
                        "Content-Type": "application/json", "Kinecast-Key": sessionStorage.getItem("kinecast-key"),
                    };
                    const body = JSON.stringify({ source: "monitor", name: "nowhere", audio: "none" });
                    Promise.all([1, 2].map(() => fetch("api/takes", { method: "POST", headers, body })))
                        .then((answers) => done(answers.map(({ status }) => status).sort()));
                    """, seconds: 60)
                #expect(statuses == [202, 409])
                #expect(try window.notes("There is no monitor nowhere"))
                let problem: String = try window.browser.run("return document.getElementById('problem').textContent")
                #expect(problem.hasPrefix("There is no monitor nowhere"))
                #expect(
                    try window.browser.wait(until: "return !document.querySelector('#recording .main').disabled"))
                let notices: Int = try window.browser.run("return document.querySelectorAll('#notices li').length")
                #expect(notices == 1)
                _ = try window.browser.log()
            }
        }
    }

    @Test func `windows show the same, one that opens later too, and the choice is kept for the next server`() throws {
        try RunningStudio.with(configuration: "[record]\naudio = none\n") { studio in
            try studio.withWindow { window in
                try window.turn("Instant replay")
                try window.choose("60", in: "How much is kept")
                try window.skipCountdown()
                try window.click("Record")
                #expect(try window.shows("Recording"))
                let link = try studio.newLink()
                let handles: String = try window.browser.openTab()
                try window.browser.open("\(link.base)#\(link.token)")
                #expect(try window.shows("Recording"))
                #expect(try window.notes("Recording began."))
                try window.click("Pause")
                #expect(try window.shows("Paused"))
                try window.browser.selectTab(handles)
                #expect(try window.shows("Paused"))
                try window.endTake()
                #expect(try window.isIdle())
            }
            studio.program.signal(SIGTERM)
            let ended = try studio.program.wait()
            #expect(ended.status == 0)
            let next = try RunningStudio(studio.place, studio.environment)
            try next.withWindow { window in
                let isKept = try window.browser.wait(
                    until: "return document.querySelector('#recording option:checked[value=\"60\"]') != null")
                #expect(isKept)
            }
            try next.end()
        } ending: { _ in
        }
    }

    @Test func `axe finds nothing in any state of the page, light and dark`() throws {
        try RunningStudio.with(configuration: "[record]\naudio = none\n") { studio in
            try studio.withWindow { window in
                #expect(try window.isIdle())
                try window.expectAccessible("idle")
                try window.click("Options")
                try expectDialog(window, "choosing options")
                try window.closeDialog()
                try window.stream(to: "RTMP")
                try expectDialog(window, "choosing destinations")
                try window.closeDialog()
                try window.turn("Stream live", on: false)
                try window.click("Save preset…")
                try window.expectAccessible("giving a preset its name")
                try window.click("Cancel")
                // One that does not end on a busy machine.
                let _: Bool = try window.browser.run(
                    "import('/record/countdown.js').then(({ show }) => show(600, () => {})); return true;")
                try expectDialog(window, "counting down")
                // The second click of two is none.
                let close =
                    "document.querySelector('dialog')?.click(); return document.querySelector('dialog') === null"
                #expect(try window.browser.wait(until: close))
                try window.skipCountdown()
                try window.click("Record")
                #expect(try window.shows("Recording"))
                try window.expectAccessible("recording")
                try window.click("Switch")
                try expectDialog(window, "choosing another source")
                try window.click("Cancel")
                try window.click("Pause")
                #expect(try window.shows("Paused"))
                try window.expectAccessible("paused")
                try window.endTake()
                #expect(try window.notes("Saved"))
                try window.expectAccessible("with events")
                studio.program.signal(SIGKILL)
                #expect(try window.shows("Connection lost"))
                try window.expectAccessible("without a server")
            }
        } ending: {
            let status = try $0.program.wait().status
            #expect(status == 128 + SIGKILL)
        }
    }

    private func expectDialog(_ window: StudioWindow, _ state: String) throws {
        let isOpen = "return document.querySelector('dialog[open]')?.checkVisibility() === true"
        #expect(try window.browser.wait(until: isOpen), "\(state)")
        try window.expectAccessible(state)
    }

    @Test func `a browser gets a private file that leads to the page, and no program's arguments have the token`()
        throws
    {
        try RunningStudio.with { studio in
            // Notes its arguments and the file that it was given, as a browser that reads it.
            try studio.place.makeDirectory("bin")
            try studio.place.write(
                "#!/bin/sh\nfile=${1#--app=file://}\nstat -c %a \"$file\" >\"$HOME/opened\"\ncat \"$file\" >>\"$HOME/opened\"\n"
                    + "echo \"$@\" >>\"$HOME/opened\"\nsleep 600\n",
                to: "bin/chromium", permissions: .ownerReadWriteExecute)
            let path = "PATH=\(studio.place.path("bin")):" + (ProcessEnvironment.value("PATH") ?? "")
            let opened = try studio.place.run(["studio"], studio.environment + [path, "BROWSER=chromium"])
            #expect(
                opened.status == 0 && opened.output + opened.errors == "", "no link where nobody reads it: \(opened)")
            var lines: [Substring] = []
            try wait("the browser") {
                let bytes = PrivateDirectory.contents(of: FilePath(studio.place.path("opened")), limit: 65536) ?? []
                lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                return lines.last?.hasPrefix("--app=") == true
            }
            #expect(lines.first == "600")
            let text = lines.joined(separator: "\n")
            let token = try #require(text.firstMatch(of: #/#([0-9a-f]{32})/#)?.1)
            let arguments = PrivateDirectory.entries("/proc").filter { Int32($0) != nil }
                .map { ProcFiles.read("/proc/\($0)/cmdline") }
            #expect(arguments.contains { $0.contains("--app=file://") } && !arguments.contains { $0.contains(token) })
            let file = try #require(lines.last?.dropFirst("--app=file://".count))
            #expect(access(String(file), F_OK) == 0)
            #expect(try studio.ask("POST", "/api/session", #"{"token":"\#(token)"}"#).status == 200)
            try wait("the file to go") { access(String(file), F_OK) != 0 }
            for process in studio.place.processes() where process.contains("sleep 600") || process.contains("--app=") {
                kill(try #require(process.split(separator: " ").first.flatMap { Int32($0) }), SIGKILL)
            }
        }
    }

    @Test func `a terminal gets the link too, and one sentence with the last words of a chosen browser that fails`()
        throws
    {
        try RunningStudio.with { studio in
            let place = studio.place
            try place.write(
                "#!/bin/sh\necho \"$@\" >\"$HOME/opened\"\nprintf 'starting\\nno display\\n' >&2\nexit 3\n",
                to: "browser", permissions: .ownerReadWriteExecute)
            let chosen = try place.run("config", "set", "studio", "browser", "\(place.path("browser")) --new %s")
            #expect(chosen.status == 0, "\(chosen)")
            let (master, slave) = try TerminalTests().pseudoTerminal()
            defer { try? master.close() }
            let opening = try place.start(["studio"], studio.environment + ["BROWSER=chromium"], terminal: slave)
            try slave.close()
            let opened = try opening.wait()
            #expect(opened.status == 0 && opened.output == "")
            let lines = TerminalTests.text(of: master).split(separator: "\r\n")
            try #require(lines.count == 2, "\(lines)")
            #expect(
                lines[0].hasPrefix("Open this link once, within a minute, if no window appears: \(studio.link.base)#"))
            #expect(lines[1].contains("No window has come up (browser: no display);"), "\(lines)")
            let given = String(decoding: try Tool.contents(of: place.path("opened")), as: UTF8.self)
            #expect(given.hasPrefix("--new file://"), "\(given)")
            let printed = try #require(LiveLink(String(lines[0].drop { $0 != ":" }.dropFirst(2))))
            let session = try studio.openSession(with: printed)
            let answer = try studio.ask(
                "POST", "/api/takes/abc/permission", #"{"question":1,"isAllowed":true}"#, session)
            #expect(answer.status == 403, "any program may have read it: \(answer)")
        }
    }

    @Test func `a link works once, and requests without the session or of other sites are refused`() throws {
        try RunningStudio.with { studio in
            let token = #"{"token":"\#(studio.link.token)"}"#
            let foreign = [
                "Host: evil.example": 421, "Origin: http://evil.example": 403, "Sec-Fetch-Site: cross-site": 403,
                "Content-Type: text/plain": 415,
            ]
            for (header, status) in foreign {
                #expect(try studio.ask("POST", "/api/session", token, [header]).status == status, "\(header)")
            }
            #expect(try studio.ask("POST", "/api/session", token).status == 200)
            let second = try studio.ask("POST", "/api/session", token)
            #expect(second.status == 403 && second.text.contains("used already"))
            #expect(try studio.ask("GET", "/api/takes").status == 401)
            #expect(try studio.ask("POST", "/api/takes").status == 401)
            #expect(try studio.ask("GET", "/").text.contains("<title>Kinecast</title>"))
            #expect(try studio.ask("GET", "/../etc/passwd").status == 404)
            #expect(try studio.ask("POST", "/api/session", String(repeating: " ", count: 100_000)).status == 413)
            #expect(try studio.newLink().base == studio.link.base, "a second one has the same server")
            let moved = try studio.place.run(["studio", "--no-browser", "--port", "8000"], studio.environment)
            #expect(moved.status == ExitStatus.unavailable && moved.errors.contains("--quit"), "\(moved)")
        }
    }

    @Test func `a server that is killed while a take runs leaves it running, and the next one finds it`() throws {
        try RunningStudio.with(configuration: "[record]\npattern = 320x240\naudio = none\n") { studio in
            let session = try Session(studio)
            #expect(try session.ask("POST", "/api/takes").status == 202)
            try studio.place.waitForTake()
            try wait("the take in the list") { try session.ask("GET", "/api/takes").text.contains("\"recording\"") }
            let again = try session.ask("POST", "/api/takes")
            #expect(again.status == 409 && again.text.contains("end it first"))
            studio.program.signal(SIGKILL)
            _ = try studio.program.wait()
            let next = try RunningStudio(studio.place, studio.environment)
            let later = try Session(next)
            try wait("the take in the new list") { try later.ask("GET", "/api/takes").text.contains("\"recording\"") }
            let id = try studio.place.registry().find(nil).id
            let ended = try later.ask("POST", "/api/takes/\(id.prefix(4))/stop")
            #expect(ended.status == 200 && ended.text.contains("Kinecast/Kinecast"), "\(ended.text)")
            try wait("the end of its engine") { try later.ask("POST", "/api/takes/\(id)/stop").status == 404 }
            #expect(try studio.place.run("studio", "--quit").status == 0)
            #expect(try next.program.wait().status == 0)
        } ending: { _ in
        }
    }
}

/// A program's session with the server.
private struct Session {
    private let studio: RunningStudio
    private let headers: [String]

    init(_ studio: RunningStudio) throws {
        self.studio = studio
        headers = try studio.openSession()
    }

    func ask(_ method: String, _ path: String, _ content: String = "{}") throws -> (status: Int, text: String) {
        try studio.ask(method, path, content, headers)
    }
}
