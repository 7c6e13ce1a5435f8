// The studio while a take runs: its picture in the page, its destinations, its source; and what it shows before a take.
import AudioTesting
import DesktopTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct StudioLiveTests {
    private static let silent = "[record]\naudio = none\n[broadcast]\naudio = none\n"
    private static let screen = PixelRect(x: 0, y: 0, width: 640, height: 360)

    @Test func `three clicks lead to a live picture, which the studio shows as viewers see it`() throws {
        try RunningStudio.with(configuration: Self.silent) { studio in
            let painter = try Painter(display: studio.display)
            let ground = painter.window(Self.screen, colour: 0x40_c0c0)
            try studio.withWindow { window in
                try window.skipCountdown()
                // The first click was in the desktop's menu.
                try window.turn("Stream live")
                try window.click("Go live")
                #expect(try window.shows("Live"))
                #expect(try window.previews([0x40, 0xc0, 0xc0]), "the screen")
                painter.fill(ground, Self.screen, 0xc0_4020)
                #expect(try window.previews([0xc0, 0x40, 0x20]), "a change of it")
                let row = "document.querySelector('.destinations li')"
                #expect(try window.browser.wait(until: "return \(row).textContent.includes('nobody is watching yet')"))
                let link = try #require(try studio.place.run("link").output.split(whereSeparator: \.isNewline).first)
                let studioWindow = try window.browser.openTab()
                try window.browser.open(String(link))
                #expect(try window.browser.wait(until: "return document.body.dataset.phase === 'live'"))
                try window.browser.selectTab(studioWindow)
                #expect(try window.browser.wait(until: "return \(row).textContent.includes('1 watching')"))
                try window.click("Disconnect")
                #expect(try window.shows("Recording"))
                try window.open("Add a destination")
                try window.click("Link for any browser: This computer")
                #expect(try window.shows("Live"))
                try window.open("Details")
                let counts = "return [...document.querySelectorAll('dd')].map((one) => Number(one.textContent))"
                #expect(try window.browser.wait(until: counts + "[0] > 1"), "frames drawn")
                painter.fill(ground, Self.screen, 0x40_c0c0)
                let plot = "[...document.querySelectorAll('.plot')]"
                let delay = "\(plot).find((one) => one.textContent.startsWith('Preview'))"
                #expect(try window.browser.wait(until: "return / ms$/.test(\(delay).textContent)"))
                try window.endTake()
                #expect(try window.notes("Saved"))
            }
            let file = try #require(PrivateDirectory.entries(FilePath(studio.place.path("Kinecast"))).first)
            #expect(file.hasSuffix(".mp4"))
            let mode = try FilePath(studio.place.path("Kinecast/\(file)")).stat().permissions.rawValue & 0o777
            #expect(mode == 0o600, "as of each name that Kinecast chooses")
            #expect(try TakeFile.finishedDuration(studio.place.path("Kinecast/\(file)")) > 0.5)
        }
    }

    @Test func `the meters of a take show its beep, and no microphone that it does not have`() throws {
        try RunningStudio.with { studio in
            let take = try studio.place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.event("started")
            try studio.withWindow { window in
                let meters = "const [audio, microphone] = document.querySelectorAll('.take meter'); "
                try #expect(
                    window.browser.wait(
                        until: meters + "return audio?.checkVisibility() === true && audio.value > -20"))
                try #expect(window.browser.run(meters + "return microphone.hidden"))
            }
            #expect(try studio.place.run("stop").status == 0)
            #expect(try take.wait().status == 0)
        }
    }

    @Test(.tags(.endurance))
    func `a countdown is cancelled by a key, and else begins the take`() throws {
        try RunningStudio.with(configuration: Self.silent) { studio in
            try studio.withWindow { window in
                try window.click("Record")
                #expect(try window.browser.wait(until: "return document.querySelector('.count')?.textContent === '2'"))
                let wasOpen: Bool = try window.browser.run(
                    """
                    const dialog = document.querySelector("dialog");
                    const wasOpen = dialog.open;
                    dialog.dispatchEvent(new KeyboardEvent("keydown", { key: "x" }));
                    return wasOpen;
                    """)
                #expect(wasOpen)
                #expect(try window.browser.wait(until: "return !document.querySelector('dialog')"))
                #expect(try studio.place.registry().list().running.isEmpty)
                try window.click("Record")
                #expect(try window.shows("Recording"))
                try window.endTake()
                #expect(try window.notes("Saved"))
            }
        }
    }

    @Test(.tags(.endurance))
    func `a take shows another source that is chosen in the page, and a paused one says so`() throws {
        try RunningStudio.with(configuration: Self.silent) { studio in
            let painter = try Painter(display: studio.display)
            _ = painter.window(Self.screen, colour: 0x40_c0c0)
            let id = painter.window(
                PixelRect(x: 40, y: 40, width: 320, height: 180), colour: 0xc0_4020, isManaged: true)
            painter.setTitle(id, "Notes")
            try studio.withWindow { window in
                try window.skipCountdown()
                try window.click("Record")
                #expect(try window.previews([0x40, 0xc0, 0xc0]))
                try window.click("Switch")
                try window.choose(kind: "Window")
                let isListed = try window.browser.wait(
                    until: """
                        const titles = [...document.querySelectorAll("dialog .title")];
                        const card = titles.find((one) => one.textContent === "Notes")?.closest(".card");
                        if (card) card.id = "notes";
                        return Boolean(card);
                        """)
                #expect(isListed)
                try window.browser.click("#notes")
                try window.browser.click("dialog .primary")
                let isSwitched = "return document.querySelector('.take .foot').textContent.startsWith('Notes')"
                #expect(try window.browser.wait(until: isSwitched))
                #expect(try window.previews([0xc0, 0x40, 0x20]))
                try window.click("Pause")
                #expect(
                    try window.browser.wait(
                        until: "return document.querySelector('.preview').dataset.state === 'paused'"))
                try window.click("Resume")
                #expect(
                    try window.browser.wait(until: "return document.querySelector('.preview').dataset.state === 'live'")
                )
                try window.endTake()
                #expect(try window.notes("Saved"))
            }
        }
    }

    @Test(.tags(.endurance))
    func `three windows show the picture, and a fourth says why it does not`() throws {
        try RunningStudio.with(configuration: "[record]\npattern = 320x240\naudio = none\n") { studio in
            try studio.withWindow { window in
                try window.skipCountdown()
                try window.click("Record")
                var states: [String] = []
                for number in 0..<4 {
                    if number > 0 {
                        let link = try studio.newLink()
                        let address = "\(link.base)#\(link.token)"
                        // A tab in front hides the others, which then show no picture.
                        let isOpen: Bool = try window.browser.run(
                            "window.others = [...(window.others ?? []), open('\(address)', '', 'popup')]; return true")
                        #expect(isOpen)
                    }
                    let page = number == 0 ? "window" : "window.others[\(number - 1)]"
                    let hint = "\(page).document?.querySelector('.preview .hint')?.textContent"
                    let state = "\(page).document?.querySelector('.preview')?.dataset.state"
                    // A picture of the screen in this window would show itself.
                    let wanted = "\(page).document?.querySelector('.shared:not([hidden]) button')?.click();"
                    let isFull = "\(hint)?.startsWith('Previews are open') === true"
                    #expect(try window.browser.wait(until: "\(wanted) return \(state) === 'live' || \(isFull)"))
                    states.append(try window.browser.run("return \(state) ?? 'none'"))
                }
                #expect(states == ["live", "live", "live", "none"])
            }
            let session = try studio.openSession(with: studio.newLink())
            let id = try studio.place.registry().find(nil).id
            #expect(try studio.ask("POST", "/api/takes/\(id)/stop", "{}", session).status == 200)
            // The take may be over before the server has heard of it.
            #expect([404, 409].contains(try studio.ask("GET", "/api/takes/\(id)/samples", "", session).status))
        }
    }

    @Test(.tags(.endurance))
    func `the chosen audio and microphone move their meters before a take, and are muted in one`() throws {
        let server = try TestAudioServer(modules: ["module-sine-source source_name=desk"])
        try server.control("load-module", "module-sine", "sink=kinecast")
        try RunningStudio.with(["PULSE_SERVER=\(server.address)"]) { studio in
            try studio.withWindow { window in
                let audio = "document.querySelector('meter[aria-label$=\"audio\"]')"
                let microphone = "document.querySelector('meter[aria-label$=\"microphone\"]')"
                #expect(try window.browser.wait(until: "return !\(audio)?.hidden && \(audio)?.value > -30"))
                #expect(try window.browser.run("return \(microphone).hidden"), "it was not chosen yet")
                #expect(try !server.control("list", "source-outputs").contains("Source: desk"))
                try window.turn("Microphone")
                try window.choose("desk", in: "Which microphone")
                #expect(try window.browser.wait(until: "return !\(microphone)?.hidden && \(microphone)?.value > -30"))
                try window.turn("Microphone", on: false)
                #expect(try window.browser.wait(until: "return \(microphone)?.hidden"))
                try window.turn("Microphone")
                try window.skipCountdown()
                try window.click("Record")
                #expect(try window.shows("Recording"))
                for (name, word) in [("audio", "sound"), ("microphone", "mic")] {
                    let meter = "document.querySelector('.take meter[aria-label$=\"\(name)\"]')"
                    #expect(
                        try window.browser.wait(
                            until: "return \(meter)?.checkVisibility() === true && \(meter).value > -30"))
                    try window.click("Mute \(word)")
                    #expect(try window.notes("The \(name) is off."))
                    #expect(try window.browser.wait(until: "return \(meter).value === -60"))
                    try window.click("Unmute \(word)")
                    #expect(try window.notes("The \(name) is on."))
                }
                try window.endTake()
                #expect(try window.notes("Saved"))
            }
        }
        server.end()
    }

    @Test(.tags(.endurance))
    func `a locked screen has no pictures`() throws {
        let bus = try TestBus()
        let logind = try LoginManager(bus)
        let variables = [
            "DBUS_SESSION_BUS_ADDRESS=\(bus.address)", "DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)",
        ]
        try RunningStudio.with(variables) { studio in
            try studio.withWindow { window in
                func shows(_ condition: String) throws -> Bool { try window.browser.wait(until: "return \(condition)") }
                let picture = "Boolean(document.querySelector('.card img'))"
                let isSaid = "document.querySelectorAll('#recording .foot .hint')[1].textContent.includes('locked')"
                let hasPicture = try shows(picture)
                #expect(hasPicture)
                logind.lock(true)
                let isLocked = try shows("!\(picture) && \(isSaid)")
                #expect(isLocked)
                logind.lock(false)
                let isUnlocked = try shows("\(picture) && !\(isSaid)")
                #expect(isUnlocked)
            }
        }
    }
}
