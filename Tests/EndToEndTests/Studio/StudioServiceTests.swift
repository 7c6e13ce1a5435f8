// Services in the page: their settings, their setup programs, what is kept of them, and the test of their servers.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import ProcessTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct StudioServiceTests {
    private static let configuration = "[record]\naudio = none\n[broadcast]\naudio = none\n"

    private static func shows(_ words: String, _ window: StudioWindow) throws -> Bool {
        try window.browser.wait(until: "return document.body.innerText.includes('\(words)')")
    }

    @Test func `a service gets its settings from the page, and no program's arguments have its secrets`() throws {
        try RunningStudio.with(configuration: Self.configuration) { studio in
            try studio.withWindow { window in
                try window.skipCountdown()
                try window.stream(to: "RTMP")
                try window.fill("127.0.0.1", in: "Server")
                #expect(try Self.shows("Server has to begin with rtmp:// or rtmps://.", window))
                try window.fill("rtmp://127.0.0.1:1/live/hush-hush-key", in: "Stream key")
                #expect(try Self.shows("Stream key is an address;", window))
                // No browser offers to keep what never was a password's field.
                #expect(
                    try window.browser.wait(
                        until: """
                            const field = [...document.querySelectorAll(".settings .field")]
                                .find((one) => one.textContent.startsWith("Stream key"));
                            const input = field?.querySelector("input");
                            return input?.type === "text" && getComputedStyle(input).webkitTextSecurity === "disc"
                                && !document.querySelector("[type=password]")
                                && document.querySelector(".settings details:not([open])") != null;
                            """))
                try window.expectAccessible("settings of a service")
                try window.fill("", in: "Server")
                try window.closeDialog()
                try window.click("Go live")
                #expect(try Self.shows("needs the setting", window))
                // The browser reports the refusal.
                _ = try window.browser.log()
                try window.stream()
                try window.fill("rtmp://127.0.0.1:1/live", in: "Server")
                try window.fill("hush-hush-key", in: "Stream key")
                try window.check("Remember")
                try window.closeDialog()
                try window.click("Go live")
                #expect(try window.shows("Recording"))
                #expect(!studio.place.processes().contains { $0.contains("hush-hush") })
                #expect(try studio.place.run("status").output.contains("RTMP (127.0.0.1:1/live)"))
                let runtime = FilePath(studio.place.path("runtime/kinecast"))
                try wait("the files to go") {
                    !PrivateDirectory.entries(runtime).contains { $0.hasPrefix("setting-") }
                }
                let session = try studio.openSession(with: studio.newLink())
                let choice = try studio.ask("GET", "/api/choice", "", session).text
                #expect(choice.contains("service:rtmp") && !choice.contains("hush-hush"))
                let services = try studio.ask("GET", "/api/services", "", session).text
                #expect(services.contains(#""settings":"kept""#) && !services.contains("hush-hush"))

                // Kept settings serve a running take, and the next one.
                try window.open("Add a destination")
                try window.click("RTMP")
                #expect(
                    try window.browser.wait(until: "return document.querySelectorAll('.destinations li').length === 2"))
                try window.endTake()
                #expect(try window.notes("Saved 0:0"))
                try window.show("Record")
                try window.stream()
                #expect(try Self.shows("Its settings are kept on this machine.", window))
                #expect(try window.browser.run("return !document.body.innerHTML.includes('hush-hush')"))
                try window.expectAccessible("kept settings of a service")
                let kept = studio.place.path(".config/kinecast/services/rtmp.json")
                var status = stat()
                #expect(stat(kept, &status) == 0 && status.st_mode & 0o777 == 0o600)
                try window.click("Forget")
                try window.fill("", in: "Server")
                #expect(access(kept, F_OK) != 0)
            }
        }
    }

    @Test(.tags(.endurance))
    func `a test of the connection says whether the server would take the stream, and can be cancelled`() throws {
        let server = try MediaServer()
        let silent = try Loopback.bind(listening: true)
        defer { close(silent.descriptor) }
        try RunningStudio.with(configuration: Self.configuration) { studio in
            try studio.withWindow { window in
                try window.stream(to: "RTMP")
                try window.fill("rtmp://127.0.0.1:\(server.port)/live", in: "Server")
                try window.fill("hush-hush-key", in: "Stream key")
                try window.click("Test connection")
                #expect(try Self.shows("RTMP (127.0.0.1:\(server.port)/live): the server FMS", window))
                #expect(try Self.shows("accepts the stream", window))
                try window.expectAccessible("a checked server")
                let port = try Loopback.freePort()
                try window.fill("rtmp://127.0.0.1:\(port)/live", in: "Server")
                try window.click("Test connection")
                #expect(try Self.shows("Connection refused", window))
                try window.fill("rtmp://127.0.0.1:\(silent.port)/live", in: "Server")
                try window.click("Test connection")
                #expect(try Self.shows("Asking the server of RTMP", window))
                try wait("the check") { studio.place.processes().contains { $0.contains("--check") } }
                #expect(!studio.place.processes().contains { $0.contains("hush-hush") })
                try window.click("Cancel")
                #expect(try Self.shows("Asking the server of RTMP: cancelled", window))
                try wait("the check's end") { !studio.place.processes().contains { $0.contains("--check") } }
                #expect(try window.browser.run("return !document.body.innerText.includes('hush-hush')"))
            }
            #expect(try server.recorded("hush-hush-key").isEmpty)
        }
    }

    @Test(.tags(.endurance))
    func `a setup program asks in the page, and the person opens its login in a tab of its own`() throws {
        try RunningStudio.with(configuration: Self.configuration) { studio in
            let bundle = ".local/share/kinecast/services/guided.kinext"
            _ = try Tool.output("mkdir", ["-p", studio.place.path(bundle)])
            for (program, name) in [("kinecast-witness", "witness"), ("kinecast-setup-fixture", "setup")] {
                _ = try Tool.output("cp", [RunningKinecast.sibling(program), studio.place.path("\(bundle)/\(name)")])
            }
            // A script that would be seen, if it ran.
            try studio.place.write(
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'><script>parent.document.title = 'run'</script>"
                    + "<rect width='1' height='1' fill='#00f'/></svg>", to: "\(bundle)/icon.svg")
            try studio.place.write(
                """
                {"kinecast": 2, "id": "guided", "name": "Guided", "executable": "witness", "setupProgram": "setup",
                 "icon": "icon.svg", "video": {"encoded": {"codec": "h264", "keyframeInterval": 2}}, "setup": [
                   {"key": "key", "title": "Key", "type": "secret", "required": true},
                   {"key": "count", "title": "Count"}]}
                """, to: "\(bundle)/manifest.json")
            try studio.place.write("good", to: "\(bundle)/mode")
            try studio.withWindow { window in
                try window.browser.runBeforePages(
                    "window.opened = []; window.open = (...values) => opened.push(values.join(' '));")
                // Another fragment alone would load nothing.
                try window.browser.open("about:blank")
                let link = try studio.newLink()
                try window.browser.open("\(link.base)#\(link.token)")
                try window.skipCountdown()
                try window.stream(to: "Guided")
                #expect(
                    try window.browser.wait(
                        until: "return document.querySelector('.service-icon img')?.naturalWidth > 0"))
                #expect(try Self.shows("Can use the network", window))
                try window.closeDialog()
                try window.click("Go live")
                #expect(try Self.shows("has to be set up first", window))
                _ = try window.browser.log()

                try window.stream()
                try window.click("Set up Guided")
                #expect(try Self.shows("Where is the key?", window))
                try window.fill("x_wrong", in: "Key")
                #expect(
                    try window.browser.wait(
                        until: "return document.querySelector('.settings [aria-invalid=true]') != null"))
                try window.expectAccessible("a setup program's question")
                try window.click("Cancel")
                #expect(try window.browser.wait(until: "return !document.body.innerText.includes('Where is')"))

                try studio.place.write("loginByFile", to: "\(bundle)/mode")
                try window.click("Set up Guided")
                #expect(try Self.shows("example.org", window))
                try window.expectAccessible("a setup program's login")
                let early: [String] = try window.browser.run("return opened")
                #expect(early == [])
                try window.click("Open example.org")
                let opened: [String] = try window.browser.run("return opened")
                #expect(opened == ["https://example.org/device?code=ABCD _blank noopener"])
                try studio.place.write("", to: "\(bundle)/logged-in")
                #expect(try Self.shows("It is set up until the studio ends.", window))
                let page: String = try window.browser.run("return document.body.innerHTML")
                #expect(!page.contains("w_from-setup"))
                try window.closeDialog()
                try window.click("Go live")
                #expect(try window.shows("Live"))
                #expect(!studio.place.processes().contains { $0.contains("w_from-setup") })
                try window.endTake()
                #expect(try window.notes("Saved 0:0"))
                #expect(try window.browser.run("return document.title === 'Kinecast'"))
            }
        }
    }
}
