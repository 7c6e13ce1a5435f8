// The studio's page in the browsers that people have, and pictures of it for looking at.
import CoreTesting
import KineMeasure
import KinePlatform
import ProcessTesting
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .browsers, .endurance)) struct StudioBrowsersTests {
    private static let configuration = "[record]\naudio = none\n"

    @Test(arguments: [Browser.Kind.firefox, .webKit])
    func `a recording is begun, controlled and ended in the page`(_ kind: Browser.Kind) throws {
        try RunningStudio.with(configuration: Self.configuration) { studio in
            try studio.withWindow(kind) { try $0.records(in: studio) }
        }
    }

    @Test(arguments: [Browser.Kind.firefox, .webKit])
    func `a recording is opened, cut by keys, played and saved in the page`(_ kind: Browser.Kind) throws {
        try RunningStudio.with(configuration: Self.configuration) { studio in
            try studio.place.makeDirectory("Kinecast")
            try studio.recordTalk()
            try studio.withWindow(kind) { window in
                // What shows it is being loaded then.
                try window.click("Open recording")
                #expect(try window.plays("Talk"))
                try window.show("Library")
                #expect(try window.lists("Talk"))
                try window.browser.click("#opened")
                #expect(try window.plays("Talk"))
                let (length, last) = try window.cut()
                #expect(try window.playsCut(until: last))
                try window.click("Save as new")
                try window.answer("Short")
                #expect(try window.works("done", "Short"))
                let saved = try TakeFile.listedDuration(studio.place.path("Kinecast/Short.mp4"))
                #expect(abs(saved - length) < 0.001, "\(saved) s instead of \(length) s")
            }
        }
    }

    /// The main path, at the sizes of a small laptop and of a large screen.
    @Test(arguments: [(Browser.Kind.chromium, 1920, 1080), (.firefox, 1366, 680), (.webKit, 1366, 680)])
    func `what the main path presses and says is in the window`(
        _ kind: Browser.Kind, _ width: Int, _ height: Int
    ) throws {
        let server = try MediaServer()
        let configuration = Self.configuration + "[broadcast]\naudio = none\n"
        try RunningStudio.with(configuration: configuration) { studio in
            try studio.withWindow(kind) { window in
                if kind == .chromium {
                    try window.browser.show(width: width, height: height, .light)
                } else {
                    try window.browser.resize(width: width, height: height)
                }
                try window.walk(refusing: Loopback.freePort(), taking: server)
            }
        }
    }

    @Test func `a copied link plays in Firefox on another machine`() throws {
        let network = try TestNetwork(executables: RunningKinecast.executables.string)
        try network.within(.publisher) {
            try RunningStudio.with(configuration: "[broadcast]\naudio = none\n") { studio in
                try studio.withWindow { window in
                    try window.skipCountdown()
                    try window.stream(to: "Link")
                    try window.choose("network", in: "Who can open the link")
                    try window.closeDialog()
                    try window.click("Go live")
                    #expect(try window.shows("Live"))
                    try window.click("Copy link")
                    let link: String = try window.browser.run("return document.querySelector('.link code').textContent")
                    try network.within(.server) {
                        let viewer = try Browser(.firefox, environment: studio.place.environment)
                        defer { viewer.end() }
                        try viewer.open(link)
                        #expect(try viewer.wait(until: "return document.body.dataset.phase === 'live'"))
                    }
                    try window.endTake()
                }
            }
        }
    }

    /// Pictures of each state, in the directory studio-pictures of the build directory.
    @Test(arguments: ["en-US", "zh-CN"])
    func `each state is drawn at 360, 1024 and 1920 pixels, light and dark`(_ language: String) throws {
        let directory = RunningKinecast.executables.removingLastComponent().removingLastComponent()
            .appending("studio-pictures")
        try? PrivateDirectory.make(directory)
        try RunningStudio.with(configuration: Self.configuration) { studio in
            try studio.withWindow(.chromium, ["--accept-lang=\(language)", "--lang=\(language)"]) { window in
                func draw(_ state: String) throws {
                    for width in [360, 1024, 1920] {
                        for scheme in Browser.Scheme.allCases {
                            try window.browser.show(width: width, height: width == 360 ? 740 : 800, scheme)
                            let overflow: Int = try window.browser.run(
                                "return document.documentElement.scrollWidth - innerWidth")
                            #expect(overflow <= 0, "\(state), \(width)")
                            let name = "\(language)-\(state)-\(width)-\(scheme).png"
                            try PrivateDirectory.replace(directory.appending(name), with: window.browser.picture())
                        }
                    }
                }
                func wait(_ condition: String) throws {
                    #expect(try window.browser.wait(until: "return Boolean(\(condition))"), "\(condition)")
                }
                func wait(phase: String) throws {
                    try wait("document.querySelector('.take')?.dataset.phase === '\(phase)'")
                }
                #expect(try window.isIdle())
                try wait("document.querySelector('.stage canvas')?.hidden === false")
                try draw("idle")
                try window.stream()
                try draw("destinations")
                try window.closeDialog()
                try window.browser.click("#recording .main")
                try wait(phase: "recording")
                try draw("recording")
                try window.browser.click(".take .foot button:not(.main)")
                try wait(phase: "paused")
                try draw("paused")
                try window.endTake()
                #expect(try window.plays())
                try draw("ended")
                try studio.recordTalk()
                try window.browser.click("#views a:last-child")
                #expect(try window.lists("Talk"))
                try draw("library")
                try window.browser.click("#opened")
                #expect(try window.plays("Talk"))
                _ = try window.cut()
                try draw("cut")
            }
        }
    }
}
