// Which program shows the studio's window, and what is said if none appears.
import Glibc
import KineMeasure
import KinePlatform
import KineWire
import SystemPackage
import Testing

@testable import KineClient

@Suite struct StudioBrowserTests {
    private static let file = "/run/user/1000/studio.html"
    private static let address = "file:///run/user/1000/studio.html"

    /// What is run, in one line, where these programs are installed.
    private func command(
        chosen: String? = nil, _ variables: [String: String] = [:], installed: Set<String>
    ) -> String? {
        let link = StudioLink(address: "", file: Self.file)
        let command = StudioBrowser.command(for: link, chosen: chosen) {
            variables[$0]
        } find: { name in
            installed.contains(name) ? name.hasPrefix("/") ? name : "/bin/\(name)" : nil
        }
        return command.map { ([$0.program] + $0.arguments).joined(separator: " ") }
    }

    @Test func `a snap is passed over, and the address of the file is a valid one`() throws {
        let folder = try TemporaryDirectory()
        let snap = try folder.write("".utf8, to: "snap")
        for name in ["chromium", "chromium-browser"] { try #require(symlink(snap, folder.file(name)) == 0) }
        _ = try folder.write("".utf8, to: "brave-browser")
        let link = StudioLink(address: "", file: "/run/user/1000/a b%é.html")
        func command(_ names: Set<String>, _ browser: String? = nil) -> (program: String, arguments: [String])? {
            StudioBrowser.command(for: link) {
                $0 == "BROWSER" ? browser : nil
            } find: { name in
                names.contains(name) ? folder.file(name) : nil
            }
        }
        let found = command(["chromium", "chromium-browser", "brave-browser"], "chromium")
        #expect(found?.program == folder.file("brave-browser"))
        #expect(found?.arguments == ["--app=file:///run/user/1000/a%20b%25%C3%A9.html"])
        #expect(command(["chromium"]) == nil)
    }

    @Test func `the person's choice is first, then $BROWSER, and what is not installed is passed over`() {
        let variables = ["BROWSER": "lynx:firefox"]
        let installed: Set = ["epiphany", "firefox", "chromium"]
        #expect(command(chosen: "epiphany", variables, installed: installed) == "/bin/epiphany \(Self.address)")
        #expect(command(chosen: "opera", variables, installed: installed) == "/bin/firefox \(Self.address)")
        #expect(command(variables, installed: installed) == "/bin/firefox \(Self.address)")
        #expect(command(["BROWSER": ""], installed: installed) == "/bin/chromium --app=\(Self.address)")
        #expect(command(["BROWSER": "::lynx: "], installed: installed) == "/bin/chromium --app=\(Self.address)")
        #expect(command(installed: ["firefox"]) == nil, "the desktop's default one has to")
    }

    @Test(arguments: [
        ("firefox --new-window %s --x", "/bin/firefox --new-window \(Self.address) --x"),
        ("firefox --url=%s &", "/bin/firefox --url=\(Self.address)"),
        ("firefox %%s", "/bin/firefox %s \(Self.address)"),
        ("firefox a%cb", "/bin/firefox a:b \(Self.address)"), ("/opt/x/firefox", "/opt/x/firefox \(Self.address)"),
        ("chromium", "/bin/chromium --app=\(Self.address)"), ("chromium %s", "/bin/chromium \(Self.address)"),
        ("chromium --user-data-dir=/a", "/bin/chromium --user-data-dir=/a --app=\(Self.address)"),
    ])
    func `a command's words are kept, and the address is where %s is, or last`(text: String, expected: String) {
        let installed: Set = ["firefox", "chromium", "/opt/x/firefox"]
        #expect(command(chosen: text, installed: installed) == expected)
        #expect(command(["BROWSER": text], installed: installed) == expected)
    }

    @Test(arguments: [
        ("/usr/bin/vivaldi-stable", "/usr/bin/vivaldi-stable"), ("brave-browser", "/bin/brave-browser"),
        ("/usr/lib/firefox/firefox", "/bin/chromium"), ("/usr/bin/microsoft-edge", "/bin/chromium"),
    ])
    func `the default browser is before others if it is a Chromium that is there`(program: String, shown: String) throws
    {
        try TemporaryDirectory.with { place in
            try PrivateDirectory.makeMissing(place.appending("applications"))
            for (name, text) in [
                ("mimeapps.list", "[Default Applications]\nx-scheme-handler/https=web.desktop\n"),
                ("web.desktop", "[Desktop Entry]\nName=Web\nExec=\(program) %U\n"),
            ] { try PrivateDirectory.write(Array(text.utf8), to: place.appending("applications/\(name)")) }
            let variables = [
                "XDG_DATA_HOME": "\(place)", "XDG_DATA_DIRS": "\(place)/none", "XDG_CONFIG_HOME": "\(place)/none",
                "XDG_CONFIG_DIRS": "\(place)/none",
            ]
            let installed: Set = ["chromium", "brave-browser", "/usr/bin/vivaldi-stable", "/usr/lib/firefox/firefox"]
            #expect(command(variables, installed: installed) == "\(shown) --app=\(Self.address)")
        }
    }

    /// Watches a browser that is a shell's script, and waits for its end. It runs at most until the test does not.
    ///
    /// - Parameter body: gets the files of its links.
    private func watch(
        _ script: String, _ said: @escaping (String) -> Void, body: (WindowWatch, [FilePath]) throws -> Void
    ) throws {
        try TemporaryDirectory.with { place in
            let files = ["window.html", "printed.html", "running"].map { place.appending($0) }
            for file in files { try PrivateDirectory.write([0], to: file) }
            let links = files.dropLast().map { StudioLink(address: "", file: $0.string) }
            let watch = WindowWatch(
                (program: "/bin/sh", arguments: ["-c", script, "\(files[2])"]), links, at: 0, complain: said)
            try body(watch, files)
            unlink(files[2].string)
            while let browser = watch.pollEntries.first {
                PollLoop.wait(for: ReadableDescriptor(browser.fd))
                watch.process(at: WindowWatch.timeout)
            }
        }
    }

    @Test func `a browser that fails is said at once, with its own last line`() throws {
        var said: [String] = []
        try watch("echo first >&2; echo no display >&2; exit 3") {
            said.append($0)
        } body: { watch, _ in
            while watch.nextDeadline != nil {
                let browser = try #require(watch.pollEntries.first)
                PollLoop.wait(for: ReadableDescriptor(browser.fd))
                watch.process(at: 1)
            }
            #expect(said.count == 1 && said.first?.contains("(sh: no display)") == true, "\(said)")
            #expect(said.first?.contains("kinecast config set studio browser") == true)
            watch.process(at: WindowWatch.timeout)
            #expect(said.count == 1 && watch.pollEntries.isEmpty)
        }
    }

    @Test(arguments: [0, 1])
    func `nothing is said once a link is used, whichever it is`(used: Int) throws {
        var said: [String] = []
        try watch("exit 0") {
            said.append($0)
        } body: { watch, files in
            #expect(watch.nextDeadline == WindowWatch.timeout)
            watch.process(at: WindowWatch.timeout - 1)
            #expect(watch.nextDeadline != nil)
            try #require(unlink(files[used].string) == 0)
            watch.process(at: WindowWatch.timeout)
            #expect(watch.nextDeadline == nil && said == [])
        }
    }

    @Test func `a window that does not appear in time is said, also of a browser that ended well, or that runs`() throws
    {
        for script in ["exit 0", "while [ -e \"$0\" ]; do sleep 0.1; done"] {
            var said: [String] = []
            try watch(script) {
                said.append($0)
            } body: { watch, _ in
                watch.process(at: WindowWatch.timeout - 1)
                #expect(said == [])
                watch.process(at: WindowWatch.timeout)
                #expect(said.count == 1 && said.first?.hasPrefix("No window has come up; ") == true, "\(said)")
            }
        }
    }

    @Test func `a browser that cannot be started is said, and not waited for`() {
        var said: [String] = []
        let watch = WindowWatch((program: "/nothing/here", arguments: []), [], at: 0) { said.append($0) }
        #expect(said.count == 1 && watch.nextDeadline == nil)
    }
}
