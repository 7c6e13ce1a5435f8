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

    /// Pictures of each state, in the directory studio-pictures of the build directory.
    @Test(arguments: ["en-US", "zh-CN"])
    func `each state is drawn at 360, 1024 and 1920 pixels, light and dark`(_ language: String) throws {
        let directory = RunningKinecast.executables.removingLastComponent().removingLastComponent()
            .appending("studio-pictures")
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
                try? PrivateDirectory.make(directory)
                func wait(_ phase: String?) throws {
                    let script = phase.map { "return document.querySelector('.take')?.dataset.phase === '\($0)'" }
                    #expect(
                        try window.browser.wait(
                            until: script
                                ?? "return document.querySelector('#recording select') && !document.querySelector('.take')"
                        ))
                }
                try wait(nil)
                try draw("idle")
                try window.browser.click("#recording .primary")
                try wait("recording")
                try draw("recording")
                try window.browser.click(".buttons button:nth-of-type(2)")
                try wait("paused")
                try draw("paused")
                try window.browser.click(".buttons .primary")
                try wait(nil)
                try draw("ended")
            }
        }
    }
}
