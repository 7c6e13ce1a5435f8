// The user's directories (freedesktop.org, xdg-user-dirs and XDG Base Directory). Linux.
import Glibc
import KineText
import SystemPackage

public enum UserDirectories {
    /// Directories for a recording whose own is gone, the best first: the directory for videos, then home.
    public static var forRecordings: [String] {
        guard let home else { return [] }
        let settings = configuration { $0 == "HOME" ? home : ProcessEnvironment.value($0) }?
            .appending("user-dirs.dirs").start(limit: 65536)
        let videos = settings.flatMap { self.videos(in: String(escaping: $0), home: home) } ?? home + "/Videos"
        return [videos, home].filter(isDirectory)
    }

    /// The directory for recordings whose place the person did not choose: `Kinecast` in the directory for videos. It
    /// may not exist. Nil if there is no directory for videos, and no home.
    public static var kinecastRecordings: FilePath? {
        forRecordings.first.map { FilePath(escaped: $0).appending("Kinecast") }
    }

    /// A name made from the time in `kinecastRecordings`, which is made. Nil if it cannot be.
    ///
    /// - Parameter kind: the name's first word.
    public static func newRecording(_ kind: String = "Kinecast") -> FilePath? {
        guard let directory = kinecastRecordings, mkdir(directory.cString, 0o777) == 0 || errno == EEXIST else {
            return nil
        }
        return directory.appending("\(kind) \(LocalTime.text("%Y-%m-%d %H.%M.%S")).mp4")
    }

    /// The directory for settings, `$XDG_CONFIG_HOME` or `$HOME/.config` (freedesktop.org, XDG Base Directory). It may
    /// not exist. Nil if neither variable is an absolute path.
    ///
    /// - Parameter variable: returns a variable's value.
    public static func configuration(_ variable: (String) -> String? = ProcessEnvironment.value) -> FilePath? {
        directory("XDG_CONFIG_HOME", orBelowHome: ".config", variable)
    }

    /// The directory for state that programs keep between runs, `$XDG_STATE_HOME` or `$HOME/.local/state`
    /// (freedesktop.org, XDG Base Directory). It may not exist. Nil if neither variable is an absolute path.
    ///
    /// - Parameter variable: returns a variable's value.
    public static func state(_ variable: (String) -> String? = ProcessEnvironment.value) -> FilePath? {
        directory("XDG_STATE_HOME", orBelowHome: ".local/state", variable)
    }

    /// The directory for data of programs, `$XDG_DATA_HOME` or `$HOME/.local/share` (freedesktop.org, XDG Base
    /// Directory). It may not exist. Nil if neither variable is an absolute path.
    package static func ownData(_ variable: (String) -> String?) -> FilePath? {
        directory("XDG_DATA_HOME", orBelowHome: ".local/share", variable)
    }

    /// The system's directories for data of programs, `$XDG_DATA_DIRS`.
    package static func systemData(_ variable: (String) -> String?) -> [FilePath] {
        (variable("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":")
            .map { FilePath(escaped: String($0)) }.filter(\.isAbsolute)
    }

    /// Kinecast's own directories: settings, data, state, caches and running takes. They may not exist.
    public static func kinecast(_ variable: (String) -> String?) -> [FilePath] {
        let places = [
            configuration(variable), ownData(variable), state(variable),
            directory("XDG_CACHE_HOME", orBelowHome: ".cache", variable),
            variable("XDG_RUNTIME_DIR").map { FilePath(escaped: $0) }, FilePath("/run/user/\(getuid())"),
        ]
        let temporary = [variable("TMPDIR") ?? "/tmp", "/tmp"].map { FilePath(escaped: $0) }
        return places.compactMap(\.self).map { $0.appending("kinecast") }
            + temporary.map { $0.appending("kinecast-\(getuid())") }
    }

    /// The user's home directories, by the environment and by the system's list of users.
    public static func homes(_ variable: (String) -> String?) -> [FilePath] {
        let listed = getpwuid(getuid()).flatMap { $0.pointee.pw_dir }.map { String(escaping: $0) }
        return [variable("HOME"), listed].compactMap(\.self).map { FilePath(escaped: $0) }.filter(\.isAbsolute)
    }

    private static func directory(
        _ name: String, orBelowHome path: String, _ variable: (String) -> String?
    ) -> FilePath? {
        func absolute(_ name: String) -> FilePath? {
            variable(name).map { FilePath(escaped: $0) }.flatMap { $0.isAbsolute ? $0 : nil }
        }
        return absolute(name) ?? absolute("HOME").map { FilePath(escaped: "\($0)/\(path)") }
    }

    /// The directory for data of programs, `$XDG_DATA_HOME` (freedesktop.org, XDG Base Directory). It may not exist.
    public static var data: String {
        ProcessEnvironment.value("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (home ?? "/tmp") + "/.local/share"
    }

    /// The directory for caches, `$XDG_CACHE_HOME` (freedesktop.org, XDG Base Directory). It may not exist.
    public static var cache: String {
        ProcessEnvironment.value("XDG_CACHE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (home ?? "/var/tmp") + "/.cache"
    }

    private static var home: String? {
        homes(ProcessEnvironment.value).map(\.escaped).first(where: isDirectory)
    }

    /// The directory for videos in the text of a `user-dirs.dirs`: `XDG_VIDEOS_DIR="$HOME/Videos"`, or an absolute
    /// path.
    static func videos(in text: String, home: String) -> String? {
        let key = "XDG_VIDEOS_DIR=\""
        guard let line = text.split(whereSeparator: \.isNewline).last(where: { $0.hasPrefix(key) }) else { return nil }
        let value = line.dropFirst(key.count).prefix { $0 != "\"" }
        if value.hasPrefix("$HOME/") { return home + value.dropFirst("$HOME".count) }
        return value.hasPrefix("/") ? String(value) : nil
    }

    private static func isDirectory(_ path: String) -> Bool {
        path.hasPrefix("/") && FilePath(escaped: path).isDirectory
    }
}
