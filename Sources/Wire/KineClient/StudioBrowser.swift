// The program that shows the studio's window: the person's own choice, else a Chromium, whose window has no tabs, else the
// default browser.
import KinePlatform
import KineText
import KineWire
import SystemPackage

public enum StudioBrowser {
    /// Chromium and its relatives, which open such a window with --app.
    private static let chromiums = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser",
        "brave-browser-stable",
        "microsoft-edge", "microsoft-edge-stable", "vivaldi", "vivaldi-stable",
    ]

    /// Whether this process has a desktop.
    public static var hasDisplay: Bool {
        ["WAYLAND_DISPLAY", "DISPLAY"].contains { ProcessEnvironment.value($0)?.isEmpty == false }
    }

    /// The path and the arguments of a program that opens the link; nil: the desktop's default browser has to, in a tab.
    /// Other users can read arguments, so these name the file and not the address. Where Chromium runs already, the
    /// program ends at once.
    ///
    /// - Parameters:
    ///   - link: the window's.
    ///   - chosen: the browser that the person has configured, in the form of $BROWSER.
    ///   - variable: the value of a variable.
    ///   - find: the path of an executable, by its name or path; nil: there is none.
    public static func command(
        for link: StudioLink, chosen: String? = nil, variable: (String) -> String? = ProcessEnvironment.value,
        find: (String) -> String? = StudioBrowser.find
    ) -> (program: String, arguments: [String])? {
        let address = "file://\(link.file.addressPath)"
        let named = [chosen, variable("BROWSER")].compactMap(\.self).flatMap { $0.split(separator: ":") }
        for command in named { if let found = self.command(command, opening: address, find) { return found } }
        let usual = DesktopEntry.browser(variable).map(\.program)
        let programs = [usual].compactMap(\.self).filter(isChromium) + chromiums
        return programs.lazy.compactMap(find).first { !isSnap($0) }.map { ($0, ["--app=\(address)"]) }
    }

    /// One command of $BROWSER: words, and %s where the address belongs, %c for a colon and %% for a percent sign; an
    /// address that is not named comes last. Nil: it is not installed.
    private static func command(
        _ text: Substring, opening address: String, _ find: (String) -> String?
    ) -> (program: String, arguments: [String])? {
        var words = text.split(separator: " ").map { String($0) }
        guard let program = words.first.flatMap(find), !isSnap(program) else { return nil }
        words.removeFirst()
        if words.last == "&" { words.removeLast() }
        let names = words.contains { $0.replacing("%%", with: "").contains("%s") }
        let last = names ? [] : [isChromium(program) ? "--app=\(address)" : address]
        return (program, words.map { filled($0, address) } + last)
    }

    private static func filled(_ word: String, _ address: String) -> String {
        word.split(separator: "%%", omittingEmptySubsequences: false)
            .map { $0.replacing("%c", with: ":").replacing("%s", with: address) }.joined(separator: "%")
    }

    /// - Parameter program: an absolute path, or a name to be searched in PATH.
    public static func find(_ program: String) -> String? {
        guard program.hasPrefix("/") else { return ExecutableSearch.find(program) }
        return FilePath(escaped: program).isExecutableFile ? program : nil
    }

    private static func isChromium(_ program: String) -> Bool {
        FilePath(escaped: program).lastComponent.map { chromiums.contains($0.string) } ?? false
    }

    /// Whether it is a snap, which cannot read the file: all snaps are links to the program `snap`.
    private static func isSnap(_ program: String) -> Bool {
        FilePath(escaped: program).resolved?.lastComponent?.string == "snap"
    }
}
