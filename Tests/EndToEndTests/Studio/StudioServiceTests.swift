// A service whose settings are filled in in the page.
import CoreTesting
import KineMeasure
import KinePlatform
import ProcessTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct StudioServiceTests {
    @Test func `a service gets its settings from the page, and no program's arguments have its secrets`() throws {
        try RunningStudio.with(configuration: "[record]\naudio = none\n[broadcast]\naudio = none\n") { studio in
            try studio.withWindow { window in
                func fill(_ value: String, in label: String) throws {
                    let found = try window.browser.wait(
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
                func shows(_ words: String) throws -> Bool {
                    try window.browser.wait(until: "return document.body.innerText.includes('\(words)')")
                }
                try window.skipCountdown()
                try window.check("RTMP")
                try fill("", in: "Address with the stream key")
                try window.expectAccessible("settings of a service")
                try window.click("Go live")
                #expect(try shows("needs the setting"))
                // The browser reports the refusal.
                _ = try window.browser.log()
                try fill("rtmp://127.0.0.1:1/live/hush-hush-key", in: "Address with the stream key")
                try window.click("Go live")
                #expect(try window.shows("Recording"))
                #expect(!studio.place.processes().contains { $0.contains("hush-hush") })
                #expect(try studio.place.run("status").output.contains("RTMP (127.0.0.1:1/live)"))
                let runtime = FilePath(studio.place.path("runtime/kinecast"))
                try wait("the files to go") {
                    !PrivateDirectory.entries(runtime).contains { $0.hasPrefix("setting-") }
                }
                let session = try studio.openSession(with: studio.newLink())
                let kept = try studio.ask("GET", "/api/choice", "", session).text
                #expect(kept.contains("service:rtmp") && !kept.contains("hush-hush"))
                try window.click("End")
                #expect(try shows("Saved 0:0"))
            }
        }
    }
}
