// The ways to open an app, from what its manifest names and what is installed.
import KineMeasure
import KineMedia
import SystemPackage
import Testing

@testable import KineHost

@Suite struct AppOpenerTests {
    private func app(_ desktopFile: String?, _ schemes: String...) -> AppIdentity {
        var app = AppIdentity(identifier: "org.example.Recorder")
        app.desktopFile = desktopFile
        app.urlSchemes = schemes
        return app
    }

    private func ways(_ app: AppIdentity, data: String = "/nowhere", installed: Set<String>) -> [AppOpener.Way] {
        AppOpener.ways(
            to: app, variable: { $0 == "XDG_DATA_HOME" ? data : $0 == "XDG_DATA_DIRS" ? "/nowhere" : nil },
            find: { installed.contains($0) ? "/bin/\($0)" : nil })
    }

    @Test func `the desktop file comes before the scheme, and the bus before launchers`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("".utf8, to: "x")
        _ = try Tool.output("mkdir", ["-p", folder.file("applications")])
        let text = "[Desktop Entry]\nName=R\nDBusActivatable = true\nExec=r\n"
        try folder.write(text.utf8, to: "applications/org.example.Recorder.desktop")
        let all = ways(
            app("org.example.Recorder", "recorder"), data: folder.path, installed: ["gtk-launch", "gio"])
        #expect(
            all == [
                .bus(application: "org.example.Recorder"),
                .program("/bin/gtk-launch", arguments: ["org.example.Recorder"], mayRunOn: false),
                .program(
                    "/bin/gio", arguments: ["launch", folder.file("applications/org.example.Recorder.desktop")],
                    mayRunOn: false),
                .program("/bin/gio", arguments: ["open", "recorder://"], mayRunOn: true),
            ])
    }

    @Test func `an address is opened only where the desktop knows what handles it`() {
        let all = ways(app(nil, "recorder"), installed: ["sh", "xdg-mime", "xdg-open"])
        guard case .program("/bin/sh", let arguments, _)? = all.first else {
            Issue.record("\(all)")
            return
        }
        #expect(all.count == 1 && arguments.suffix(3) == ["/bin/xdg-mime", "/bin/xdg-open", "recorder"])
        #expect(ways(app(nil, "recorder"), installed: ["sh", "xdg-open"]) == [])
    }

    @Test func `an app that names nothing cannot be opened, nor one whose desktop file is no id`() {
        let installed: Set = ["gtk-launch", "gio", "xdg-open"]
        #expect(ways(app(nil), installed: installed) == [])
        for id in ["../evil", "--help", "a/b", ""] { #expect(ways(app(id), installed: installed) == [], "\(id)") }
    }

    @Test(arguments: [
        ("[Desktop Entry]\nDBusActivatable=true\n", true), ("[Desktop Entry]\nDBusActivatable=false\n", false),
        ("[Desktop Entry]\nName=a\n[Desktop Action x]\nDBusActivatable=true\n", false), ("", false),
    ])
    func `only the desktop file's own group says that the app is on the bus`(text: String, isActivatable: Bool) {
        #expect(DesktopFile.isBusActivatable(text) == isActivatable)
    }
}
