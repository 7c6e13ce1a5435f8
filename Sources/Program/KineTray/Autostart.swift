// The entry that starts the tray with the desktop (freedesktop.org, Desktop Application Autostart Specification 0.5).
import Glibc
import KinePlatform
import KineText
import SystemPackage

enum Autostart {
    /// - Parameter configuration: the directory for settings.
    static func path(in configuration: FilePath) -> FilePath {
        configuration.appending("autostart/org.kinecast.Kinecast.Tray.desktop")
    }

    /// Writes the entry, in place of an older one.
    ///
    /// - Parameter kinecast: the path of `kinecast`.
    static func enable(_ kinecast: String, in configuration: FilePath) throws {
        let path = path(in: configuration)
        try PrivateDirectory.makeMissing(path.removingLastComponent())
        try PrivateDirectory.replace(path, with: entry(kinecast).unescaped)
    }

    static func disable(in configuration: FilePath) throws(Errno) {
        guard unlink(path(in: configuration).cString) == 0 || errno == ENOENT else { throw Errno(rawValue: errno) }
    }

    static func entry(_ kinecast: String) -> String {
        """
        [Desktop Entry]
        Type=Application
        Name=Kinecast
        Comment=Record the screen from the tray
        TryExec=\(string(kinecast))
        Exec=\(string(quoted(kinecast))) tray
        Icon=org.kinecast.Kinecast
        Terminal=false

        """
    }

    /// One argument of a command line (Desktop Entry Specification 1.5, "The Exec key").
    private static func quoted(_ path: String) -> String {
        var text = ""
        for scalar in path.unicodeScalars {
            if "\"`$\\".unicodeScalars.contains(scalar) { text += "\\" }
            text += scalar == "%" ? "%%" : String(scalar)
        }
        return "\"\(text)\""
    }

    /// A value of the type string ("Possible value types").
    private static func string(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }
}
