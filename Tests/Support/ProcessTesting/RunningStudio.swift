// `kinecast studio` on a private screen, and its page in a real browser.
import CoreTesting
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import SystemPackage
import Testing

package struct RunningStudio {
    package let place: TestPlace
    package let program: RunningKinecast
    /// The server's environment: its screen, and the test's variables.
    package let environment: [String]
    /// The link of the first window.
    package let link: LiveLink

    /// Starts the server on a screen, lends it to the test, and ends it.
    ///
    /// - Parameters:
    ///   - configuration: the text of kinecast.conf.
    ///   - variables: besides those of the screen.
    ///   - arguments: of `kinecast studio`.
    package static func with(
        configuration: String = "", _ variables: [String] = [], arguments: [String] = [],
        _ body: (RunningStudio) throws -> Void,
        ending end: (RunningStudio) throws -> Void = { try $0.end() }
    ) throws {
        let screen = try PrivateScreen(size: PixelSize(width: 640, height: 360))
        defer { screen.end() }
        try TestPlace.with { place in
            try place.makeDirectory(".config")
            try place.makeDirectory(".config/kinecast")
            try place.write(configuration, to: ".config/kinecast/kinecast.conf")
            let studio = try RunningStudio(place, ["DISPLAY=\(screen.name)"] + variables, arguments: arguments)
            try body(studio)
            try end(studio)
        }
    }

    package init(_ place: TestPlace, _ environment: [String], arguments: [String] = []) throws {
        self.place = place
        self.environment = environment
        program = try place.start(["studio", "--no-browser"] + arguments, environment)
        link = try #require(LiveLink(try program.line("http")))
    }

    package func end() throws {
        program.signal(SIGTERM)
        #expect(try program.wait().status == 0)
    }

    /// Exchanges a link, the first one if none is given. Returns the headers of the session.
    package func openSession(with link: LiveLink? = nil) throws -> [String] {
        let link = link ?? self.link
        struct Answer: Decodable { var key: String }
        var cookie = ""
        let (status, bytes) = try HTTPExchange.ask(
            port: port, method: "POST", path: "/api/session", content: Array(#"{"token":"\#(link.token)"}"#.utf8),
            deadline: MonotonicClock.now() + 60_000_000_000, head: &cookie)
        try #require(status == 200)
        let key = try JSONDecoder().decode(Answer.self, from: Data(bytes)).key
        let set = try #require(cookie.firstMatch(of: #/[Ss]et-[Cc]ookie: ([^;]+);/#)?.1)
        return ["Cookie: \(set)", "Kinecast-Key: \(key)"]
    }

    /// `:N`.
    package var display: String { environment.first.map { String($0.dropFirst("DISPLAY=".count)) } ?? "" }

    package var port: UInt16 {
        link.base.split(separator: ":").last.flatMap { UInt16($0.filter(\.isNumber)) } ?? 0
    }

    /// The link of another window.
    package func newLink() throws -> LiveLink {
        let second = try place.run(["studio", "--no-browser"], environment)
        #expect(second.status == 0 && second.output.count(where: \.isNewline) == 1, "\(second)")
        return try #require(LiveLink(second.output.filter { !$0.isNewline }))
    }

    /// The link in a file that `kinecast studio` hands to a browser, which answers apps' questions.
    package func handedLink() throws -> LiveLink {
        try? place.makeDirectory("browser")
        try place.write(
            "#!/bin/sh\ncat \"${1#--app=file://}\" >\"$HOME/handed.new\" && mv \"$HOME/handed.new\" \"$HOME/handed\"\n",
            to: "browser/chromium", permissions: .ownerReadWriteExecute)
        let path = "PATH=\(place.path("browser")):" + (ProcessEnvironment.value("PATH") ?? "")
        // Before this machine's default browser.
        let opened = try place.run(["studio"], environment + [path, "BROWSER=chromium"])
        #expect(opened.status == 0 && opened.output == "", "\(opened)")
        var link: LiveLink?
        try wait("the browser") {
            let bytes = PrivateDirectory.contents(of: FilePath(place.path("handed")), limit: 65536) ?? []
            link = String(decoding: bytes, as: UTF8.self).firstMatch(of: #/replace\("([^"]+)"/#)
                .flatMap { LiveLink(String($0.1)) }
            return link != nil
        }
        unlink(place.path("handed"))
        return try #require(link)
    }

    /// Asks the server, and returns the status and the answer.
    package func ask(
        _ method: String, _ path: String, _ content: String = "{}", _ headers: [String] = []
    ) throws -> (status: Int, text: String) {
        let (status, bytes) = try HTTPExchange.ask(
            port: port, method: method, path: path, content: Array(content.utf8), headers: headers,
            deadline: MonotonicClock.now() + 60_000_000_000)
        return (status, String(decoding: bytes, as: UTF8.self))
    }

    /// Opens the link in a browser, lends its window to the test, and ends it.
    package func withWindow(
        _ kind: Browser.Kind = .chromium, _ arguments: [String] = [], link: LiveLink? = nil,
        _ body: (StudioWindow) throws -> Void
    ) throws {
        let browser = try Browser(
            kind, arguments: arguments, environment: ProcessEnvironment.merging(place.environment, environment))
        defer { browser.end() }
        let link = link ?? self.link
        try browser.open("\(link.base)#\(link.token)")
        try body(StudioWindow(browser: browser))
        guard kind == .chromium else { return }
        // The pictures of what has just ended or was just deleted may be asked for once more, and are then not found.
        let complaints = try browser.log().filter {
            ($0.level == "SEVERE" && !$0.message.contains("net::ERR_")
                && !$0.message.contains(#/(samples|open|poster) - Failed to load/#))
                || $0.message.contains("Content Security Policy")
        }
        #expect(complaints.map(\.message) == [])
    }
}

/// A window of the studio.
package struct StudioWindow {
    package let browser: Browser

    package init(browser: Browser) { self.browser = browser }

    /// Whether the page comes to show this state of its newest take.
    package func shows(_ state: String) throws -> Bool {
        try browser.wait(until: "return document.getElementById('state')?.textContent.split(' · ')[0] === '\(state)'")
    }

    /// Whether the page comes to have no take, and its form the last choice.
    package func isIdle() throws -> Bool {
        try browser.wait(
            until: """
                return document.body.dataset.phase === "open" && document.querySelector("#takes").hidden
                    && document.querySelector("#recording .main:enabled") != null;
                """)
    }

    /// Ends the newest take by the red button, which takes no click for its first moment.
    package func endTake() throws {
        let isReady = try browser.wait(
            until: """
                const take = document.querySelector(".take:not([hidden])");
                if (!take?.querySelector(".main")?.checkVisibility()) return false;
                take.seenAt ??= performance.now();
                return performance.now() - take.seenAt > 700;
                """)
        try #require(isReady, "there is no take to end")
        try browser.click(".take:not([hidden]) .main")
    }

    /// Whether the newest event comes to begin with these words.
    package func notes(_ words: String) throws -> Bool {
        try browser.wait(
            until: "return document.querySelector('#notices li span')?.textContent.startsWith('\(words)')")
    }

    /// Whether an app's window comes to its end: its page shows these words, or the browser has closed it before they are seen.
    package func ends(_ words: String) throws -> Bool {
        do {
            return try browser.wait(until: "return document.body.innerText.includes('\(words)')")
        } catch Browser.Error.refused where (try? browser.run("return true") as Bool) == nil {
            return true
        }
    }

    /// Clicks on the button that begins with these words, when it can be pressed.
    package func click(_ label: String) throws {
        let found = try browser.wait(
            until: """
                const button = [...document.querySelectorAll("button")]
                    .find((one) => one.textContent.startsWith("\(label)") && one.checkVisibility() && !one.disabled
                        && !one.closest("[inert]"));
                document.getElementById("pressed")?.removeAttribute("id");
                if (button) button.id = "pressed";
                return Boolean(button);
                """)
        try #require(found, "there is no \(label)")
        try browser.click("#pressed")
    }

    /// The list with this label, as an expression.
    private static func list(_ label: String) -> String {
        """
        [...document.querySelectorAll("select")].find((one) => one.ariaLabel === "\(label)"
            || one.closest(".field")?.querySelector("span")?.textContent === "\(label)")
        """
    }

    /// Chooses a value, or its words, in the list with this label, once the form shows the last choice.
    package func choose(_ value: String, in label: String) throws {
        let found = try browser.wait(
            until: """
                if (!document.querySelector("#recording .main:enabled")) return false;
                const select = \(Self.list(label));
                const option = [...select?.options ?? []].find((one) => [one.value, one.text].includes("\(value)"));
                if (!option) return false;
                option.selected = true;
                select.dispatchEvent(new Event("change", { bubbles: true }));
                return true;
                """)
        try #require(found, "there is no \(value) in \(label)")
    }

    /// Shows the screens, windows or areas in the newest gallery.
    package func choose(kind: String) throws {
        let found = try browser.wait(
            until: """
                if (!document.querySelector("dialog[open], #recording .main:enabled")) return false;
                const labels = [...document.querySelectorAll(".segments label")].filter((one) => one.checkVisibility());
                const label = labels.findLast((one) => one.textContent === "\(kind)");
                label?.click();
                return label != null;
                """)
        try #require(found, "there is no \(kind)")
    }

    /// Turns a row's switch on or off.
    package func turn(_ row: String, on isOn: Bool = true) throws {
        let found = try browser.wait(
            until: """
                if (!document.querySelector("#recording .main:enabled")) return false;
                const label = [...document.querySelectorAll(".row label")].find((one) => one.textContent === "\(row)");
                const input = label?.querySelector("input:enabled");
                if (input && input.checked !== \(isOn)) input.click();
                return input?.checked === \(isOn);
                """)
        try #require(found, "there is no \(row)")
    }

    /// Opens the dialog of the next take's destinations, and chooses these besides those that are chosen.
    package func stream(to names: String...) throws {
        let isOpen = try browser.wait(
            until: """
                if (!document.querySelector("#recording .main:enabled")) return false;
                if (!document.querySelector("dialog[open]")) document.querySelector(".row:has(use[href$='#live']) > button").click();
                return document.querySelector("dialog[open] .targets") != null;
                """)
        try #require(isOpen, "there is no dialog of destinations")
        for name in names { try check(name) }
    }

    /// Closes the newest dialog.
    package func closeDialog() throws {
        let _: Bool = try browser.run(
            "[...document.querySelectorAll('dialog[open]')].at(-1)?.close(); return true;")
    }

    /// Makes takes begin without a countdown.
    package func skipCountdown() throws { try choose("No countdown", in: "Countdown") }

    /// Sets or clears the box that begins with these words.
    package func check(_ label: String, _ isChecked: Bool = true) throws {
        let found = try browser.wait(
            until: """
                const box = [...document.querySelectorAll(".box")].find((one) => one.textContent.startsWith("\(label)"));
                const input = box?.querySelector("input");
                if (input && input.checked !== \(isChecked)) input.click();
                return input?.checked === \(isChecked);
                """)
        try #require(found, "there is no \(label)")
    }

    /// Shows the part of the page that these words begin.
    package func open(_ summary: String) throws {
        let found = try browser.wait(
            until: """
                const part = [...document.querySelectorAll("details")]
                    .find((one) => one.querySelector("summary").textContent === "\(summary)" && one.checkVisibility());
                if (part) part.open = true;
                return Boolean(part);
                """)
        try #require(found, "there is no \(summary)")
    }

    /// Whether the picture of the newest take comes to have this colour at a place, in fractions from its upper left. The
    /// pointer is in the middle.
    package func previews(_ colour: [Int], at place: (x: Double, y: Double) = (0.9, 0.9)) throws -> Bool {
        try browser.wait(
            until: """
                document.querySelector(".take:not([hidden]) .shared:not([hidden]) button")?.click();
                const picture = document.querySelector(".preview canvas:not([hidden]), .preview video:not([hidden])");
                const [width, height] = [picture?.width || picture?.videoWidth, picture?.height || picture?.videoHeight];
                if (!width) return false;
                const sheet = document.createElement("canvas").getContext("2d");
                sheet.drawImage(picture, \(place.x) * width, \(place.y) * height, 1, 1, 0, 0, 1, 1);
                const found = [...sheet.getImageData(0, 0, 1, 1).data];
                return \(colour).every((value, index) => Math.abs(value - found[index]) <= 12);
                """)
    }

    /// Whether the list with this label comes to have a value.
    package func offers(_ value: String, in label: String) throws -> Bool {
        try browser.wait(
            until: """
                return [...\(Self.list(label))?.options ?? []].some((option) => option.value === "\(value)");
                """)
    }

    /// Shows the view of this name.
    package func show(_ view: String) throws {
        let found = try browser.wait(
            until: """
                const link = [...document.querySelectorAll("#views a")].find((one) => one.textContent === "\(view)");
                link?.setAttribute("id", "shown");
                return Boolean(link?.checkVisibility()) && !link.closest("[inert]");
                """)
        try #require(found, "there is no \(view)")
        try browser.click("#shown")
        let _: Bool = try browser.run("document.getElementById('shown').removeAttribute('id'); return true;")
    }

    /// Begins a recording, uses each of its buttons, and ends it.
    package func records(in studio: RunningStudio) throws {
        #expect(try isIdle())
        let address: String = try browser.run("return location.href")
        #expect(address == studio.link.base, "the token is not in the history")
        try skipCountdown()
        try turn("Instant replay")
        try choose("30", in: "How much is kept")
        try click("Record")
        #expect(try shows("Recording"))
        #expect(try browser.wait(until: "return document.querySelector('#elapsed').textContent >= '0:01'"))
        #expect(try browser.run("return document.title.startsWith('● 0:0')"))
        try click("Pause")
        #expect(try shows("Paused"))
        try click("Resume")
        #expect(try shows("Recording"))
        try click("Chapter")
        #expect(try notes("A chapter begins"))
        try click("Save last 30 s")
        #expect(try notes("Saved the last 0:0"))
        try endTake()
        #expect(try isIdle())
        #expect(try notes("Saved 0:0"))
        let events: [String] = try browser.run(
            "return [...document.querySelectorAll('#notices span')].map((one) => one.textContent)")
        let expected = ["A chapter begins: Chapter 1.", "Resumed.", "Paused.", "Recording began."]
        #expect(Array(events.dropFirst(2)) == expected, "\(events)")
        let problem: String = try browser.run("return document.getElementById('problem').textContent")
        #expect(problem == "")
        let files = PrivateDirectory.entries(FilePath(studio.place.path("Kinecast")))
        #expect(files.count == 2, "the recording and the clip: \(files)")
        for file in files { #expect(try TakeFile.listedDuration(studio.place.path("Kinecast/\(file)")) > 0.5) }
    }
}
