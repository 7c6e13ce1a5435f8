// Programs of the desktop's menu, and which of them is for the web, in directories of the test's own.
import KineMeasure
import SystemPackage
import Testing

@testable import KinePlatform

@Suite struct DesktopEntryTests {
    /// The value of a variable, where all directories are below one.
    private func variable(_ place: FilePath) -> (String) -> String? {
        let values = [
            "XDG_DATA_HOME": "\(place)/own", "XDG_DATA_DIRS": "\(place)/first:\(place)/second:relative",
            "XDG_CONFIG_HOME": "\(place)/config", "XDG_CONFIG_DIRS": "\(place)/xdg",
            "XDG_CURRENT_DESKTOP": "X-Sway:GNOME",
        ]
        return { values[$0] }
    }

    private func write(_ text: String, to name: String, in place: FilePath) throws {
        let file = place.appending(name)
        try PrivateDirectory.makeMissing(file.removingLastComponent())
        try PrivateDirectory.write(Array(text.utf8), to: file)
    }

    private func entry(_ name: String, exec: String = "a", _ further: String = "") -> String {
        "# a comment\n[Desktop Entry]\nName[de]=Andere\nName = \(name)\nExec=\(exec)\n\(further)\n[Desktop Action new]\nName=No\n"
    }

    @Test func `a program is found by its windows' class, in the user's directory first`() throws {
        try TemporaryDirectory.with { place in
            try write(
                entry("Firefox", exec: "/usr/lib/firefox/firefox %u"), to: "second/applications/firefox.desktop",
                in: place)
            try write(entry("Mine", exec: "\"/opt/my fox\" %u"), to: "own/applications/firefox.desktop", in: place)
            try write(entry("XTerm", "StartupWMClass=XTerm"), to: "first/applications/debian-xterm.desktop", in: place)
            try write("[Desktop Entry]\nName=Nothing to run\n", to: "own/applications/nothing.desktop", in: place)
            try write("\u{0}\n=\n[", to: "own/applications/broken.desktop", in: place)
            let variable = variable(place)
            let firefox = DesktopEntry.find("Firefox", variable)
            #expect(firefox?.name == "Mine" && firefox?.program == "/opt/my fox")
            #expect(DesktopEntry.find("xterm", variable)?.name == "XTerm")
            for none in ["nothing", "broken", "", "../own/applications/firefox", "a\0b"] {
                #expect(DesktopEntry.find(none, variable) == nil, "\(none)")
            }
            #expect(DesktopEntry(id: "firefox", variable) == nil, "no ID")
        }
    }

    @Test func `the program for the web is the desktop's own setting, then the user's, then the system's`() throws {
        try TemporaryDirectory.with { place in
            let variable = variable(place)
            #expect(DesktopEntry.browser(variable) == nil)
            for name in ["one", "two", "three"] {
                try write(entry(name, exec: "/usr/bin/\(name) %U"), to: "first/applications/\(name).desktop", in: place)
            }
            func setting(_ ids: String) -> String {
                "[Added Associations]\nx-scheme-handler/https=three.desktop\n[Default Applications]\nx-scheme-handler/https=\(ids)\n"
            }
            try write(setting("one.desktop;"), to: "second/applications/mimeapps.list", in: place)
            #expect(DesktopEntry.browser(variable)?.program == "/usr/bin/one")
            try write(setting("gone.desktop;two.desktop;one.desktop"), to: "config/mimeapps.list", in: place)
            #expect(DesktopEntry.browser(variable)?.program == "/usr/bin/two")
            try write(setting("three.desktop"), to: "config/gnome-mimeapps.list", in: place)
            #expect(DesktopEntry.browser(variable)?.name == "three")
        }
    }
}
