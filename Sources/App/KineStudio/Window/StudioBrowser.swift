// Opens the studio in a Chromium window without tabs, or in the default browser.
import KinePlatform

enum StudioBrowser {
    /// Chromium and its relatives, which open such a window with --app.
    private static let programs = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser", "microsoft-edge",
        "vivaldi",
    ]

    static var hasDisplay: Bool {
        ["WAYLAND_DISPLAY", "DISPLAY"].contains { ProcessEnvironment.value($0)?.isEmpty == false }
    }

    static func open(_ link: StudioDoor.Link, with launcher: ProgramLauncher) {
        guard let program = programs.lazy.compactMap(ExecutableSearch.find).first else {
            return launcher.open(link.file)
        }
        launcher.start(program, ["--app=file://\(link.file.addressPath)"])
    }
}

extension String {
    /// A path as in an address (RFC 3986, section 3.3).
    fileprivate var addressPath: String {
        unescaped.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~/".utf8.contains(byte)
            let hexadecimal = String(byte, radix: 16, uppercase: true)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (hexadecimal.count < 2 ? "0" : "") + hexadecimal
        }.joined()
    }
}
