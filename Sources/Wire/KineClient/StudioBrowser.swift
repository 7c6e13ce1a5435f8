// The program that shows the studio's window: Chromium without tabs, or the default browser.
import KinePlatform
import KineText
import KineWire
import SystemPackage

public enum StudioBrowser {
    /// Chromium and its relatives, which open such a window with --app.
    private static let programs = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser", "microsoft-edge",
        "vivaldi",
    ]

    /// Whether this process has a desktop.
    public static var hasDisplay: Bool {
        ["WAYLAND_DISPLAY", "DISPLAY"].contains { ProcessEnvironment.value($0)?.isEmpty == false }
    }

    /// The path and the arguments of a program that opens the link in a window without tabs; nil if none is installed.
    /// Other users can read arguments, so these name the file and not the address. Where Chromium runs already, the
    /// program ends at once.
    ///
    /// - Parameters:
    ///   - link: the window's.
    ///   - find: the path of an executable, by its name; nil: there is none.
    public static func command(
        for link: StudioLink, find: (String) -> String? = { ExecutableSearch.find($0) }
    ) -> (program: String, arguments: [String])? {
        programs.lazy.compactMap(find).first { !isSnap($0) }.map { ($0, ["--app=file://\(link.file.addressPath)"]) }
    }

    /// Whether it is a snap, which cannot read the file: all snaps are links to the program `snap`.
    private static func isSnap(_ program: String) -> Bool {
        FilePath(escaped: program).resolved?.lastComponent?.string == "snap"
    }
}
