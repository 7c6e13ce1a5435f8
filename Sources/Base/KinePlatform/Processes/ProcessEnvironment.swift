// This process's environment and arguments, and the paths of programs.
import CLinux
import Glibc
import KineText
import SystemPackage

/// All texts are in the form of `String(escaping:)`.
public enum ProcessEnvironment {
    /// This process's arguments, without the program's name.
    public static var arguments: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0] }.map { String(escaping: $0) }
    }

    /// `NAME=value` strings, as this process got them: programs that it starts have their own crashes.
    public static var current: [String] {
        var result: [String] = []
        var entry = environ
        while let string = entry.pointee {
            result.append(String(escaping: string))
            entry += 1
        }
        guard kine_backtraces_are_off() else { return result }
        return result.filter { name($0) != "SWIFT_BACKTRACE" }
            + (kine_backtrace_setting().map { ["SWIFT_BACKTRACE=" + String(escaping: $0)] } ?? [])
    }

    /// The same for an editor, a browser and other programs of the desktop, with PATH's absolute directories alone: they are often scripts,
    /// which would search the relative ones, and the working directory may be another user's.
    public static var forDesktop: [String] {
        let directories = (value("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        let path = directories.isEmpty ? "/usr/local/bin:/usr/bin:/bin" : directories.joined(separator: ":")
        return merging(current, ["PATH=" + path])
    }

    /// `base` with the variables of `overrides` replaced or added; both are `NAME=value` strings.
    public static func merging(_ base: [String], _ overrides: [String]) -> [String] {
        let replaced = Set(overrides.map(name))
        return base.filter { !replaced.contains(name($0)) } + overrides
    }

    /// The environment with these variables set and those removed.
    public static func current(changing: [String: String], removing: Set<String> = []) -> [String] {
        merging(current.filter { !removing.contains(String(name($0))) }, changing.map { "\($0.key)=\($0.value)" })
    }

    private static func name(_ variable: String) -> Substring { variable.prefix { $0 != "=" } }

    /// The value of a variable among `NAME=value` strings; nil if it is absent or empty.
    public static func value(_ name: String, in environment: [String]) -> String? {
        let entry = environment.last { $0.hasPrefix(name + "=") }
        return entry.map { String($0.dropFirst(name.utf8.count + 1)) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A variable's value; nil if it is unset or empty.
    public static func value(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(escaping: value)
    }
}

public enum ExecutableSearch {
    /// The path of this process's own executable; nil without /proc.
    public static var own: String? {
        FilePath("/proc/self/exe").linkContents?.escaped
    }

    /// The path of `program`: searches PATH, then the directories where distributions put servers. Relative directories are left out: the
    /// working directory may be another user's.
    public static func find(_ program: String) -> String? {
        let directories = (ProcessEnvironment.value("PATH") ?? "").split(separator: ":").map(String.init)
        return (directories.filter { $0.hasPrefix("/") } + ["/usr/local/bin", "/usr/bin", "/bin"])
            .map { $0 + "/" + program }
            .first { FilePath(escaped: $0).isExecutableFile }
    }
}
