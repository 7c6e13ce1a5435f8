// Programs as the desktop's menu has them (freedesktop.org, Desktop Entry Specification), and which of them opens pages of
// the web (Association between MIME types and applications). Linux.
import KineText
import Synchronization
import SystemPackage

package struct DesktopEntry: Sendable, Equatable {
    package let name: String
    /// A path, or a name to be searched in PATH.
    package let program: String
    /// The WM_CLASS of its windows, if that is another than its ID.
    private let windowClass: String?

    private static let limit = 256 << 10
    private static let ending = ".desktop"
    private static let names = Mutex<[String: String?]>([:])
    private static let mostNames = 256

    /// Nil: there is no program with that ID, such as `firefox.desktop`.
    package init?(id: String, _ variable: (String) -> String? = ProcessEnvironment.value) {
        guard id.hasSuffix(Self.ending), !id.contains("/"), !id.contains("\0") else { return nil }
        let entry = Self.directories(variable).lazy.compactMap { DesktopEntry($0.appending(id)) }.first
        guard let entry else { return nil }
        self = entry
    }

    private init?(_ file: FilePath) {
        guard let keys = Self.keys(of: "Desktop Entry", in: file), let name = keys["Name"], let line = keys["Exec"]
        else {
            return nil
        }
        self.name = name
        let isQuoted = line.first == "\""
        program = String(line.drop { $0 == "\"" }.prefix { isQuoted ? $0 != "\"" : $0 != " " })
        windowClass = keys["StartupWMClass"]
    }

    /// The name of the program whose windows have that WM_CLASS, in any case; nil: no entry is for it. Each is looked for
    /// once in a process: that may take some milliseconds.
    package static func name(ofWindows windowClass: String) -> String? {
        guard !windowClass.isEmpty else { return nil }
        if let name = names.withLock({ $0[windowClass] }) { return name }
        let name = find(windowClass, ProcessEnvironment.value)?.name
        names.withLock { names in
            if names.count >= mostNames { names.removeAll() }
            names.updateValue(name, forKey: windowClass)
        }
        return name
    }

    static func find(_ windowClass: String, _ variable: (String) -> String?) -> DesktopEntry? {
        let lower = windowClass.lowercased()
        for id in [windowClass, lower] {
            if let entry = DesktopEntry(id: id + ending, variable) { return entry }
        }
        for directory in directories(variable) {
            for file in PrivateDirectory.entries(directory) where file.hasSuffix(ending) {
                let entry = DesktopEntry(directory.pushing(FilePath(escaped: file)))
                if let entry, entry.windowClass?.lowercased() == lower { return entry }
            }
        }
        return nil
    }

    /// The default browser; nil: the desktop names none.
    package static func browser(_ variable: (String) -> String? = ProcessEnvironment.value) -> DesktopEntry? {
        let desktops = (variable("XDG_CURRENT_DESKTOP") ?? "").split(separator: ":").map { "\($0.lowercased())-" }
        let settings = (variable("XDG_CONFIG_DIRS") ?? "/etc/xdg").split(separator: ":").map {
            FilePath(escaped: String($0))
        }
        let places = [UserDirectories.configuration(variable)].compactMap(\.self) + settings + directories(variable)
        for place in places {
            for desktop in desktops + [""] where !desktop.contains("/") {
                let keys = keys(of: "Default Applications", in: place.appending("\(desktop)mimeapps.list"))
                let ids = (keys?["x-scheme-handler/https"] ?? "").split(separator: ";")
                for id in ids { if let entry = DesktopEntry(id: String(id), variable) { return entry } }
            }
        }
        return nil
    }

    private static func directories(_ variable: (String) -> String?) -> [FilePath] {
        ([UserDirectories.ownData(variable)].compactMap(\.self) + UserDirectories.systemData(variable))
            .map { $0.appending("applications") }
    }

    /// The keys of a group without their languages; of a key that is there twice, the first. Nil: there is no such file.
    private static func keys(of group: String, in file: FilePath) -> [String: String]? {
        guard let bytes = file.start(limit: limit) else { return nil }
        var keys: [String: String] = [:]
        var isInside = false
        for line in String(escaping: bytes).split(whereSeparator: \.isNewline) {
            if line.first == "[" { isInside = line.hasPrefix("[\(group)]") }
            guard isInside, line.first != "#", let equals = line.firstIndex(of: "=") else { continue }
            let key = line[..<equals].split(separator: " ").joined()
            let value = String(line[line.index(after: equals)...].drop { $0 == " " })
            keys[key] = keys[key] ?? value
        }
        return keys
    }
}
