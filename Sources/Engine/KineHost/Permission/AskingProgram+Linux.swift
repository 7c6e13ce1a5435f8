// The program at the other end of a client's socket. Linux.
import CLinux
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// The program that asks for a take, as the kernel knows it. A program that hides its executable is unknown: `kinecast
/// broadcast`, which hides its stream keys, connects before it forbids the dump. Not a security boundary all the same:
/// docs/security.md has what a program of the person can do instead.
enum AskingProgram: Equatable {
    /// `kinecast`, `kinecast-studio` or `kinecast-tray`, of the same installation as this engine: a person uses it.
    case commandLine
    /// Its executable's path, with all links followed.
    case program(executable: String)
    /// The process hides it, or the system gives no information.
    case unknown

    private static let commandNames = ["kinecast"]
    /// Always in the engine's directory. They do what a person presses in a page, a menu, or on a key.
    private static let desktopNames = ["kinecast-studio", "kinecast-tray"]

    init(at socket: FileDescriptor) {
        let pid = kine_peer_pid(socket.rawValue)
        guard pid > 0 else {
            self = .unknown
            return
        }
        self.init(
            executable: Self.executable(of: pid),
            commands: Self.own(beside: ExecutableSearch.own))
    }

    /// - Parameters:
    ///   - executable: nil if the process hides it.
    ///   - commands: as `own`.
    init(executable: String?, commands: [String]) {
        switch executable {
        case let path? where commands.contains(path): self = .commandLine
        case let path?: self = .program(executable: path)
        case nil: self = .unknown
        }
    }

    /// Whether the path of an executable ends with one of `commandNames`.
    static func isCommandLine(path: String) -> Bool {
        path.split(separator: "/").last.map { commandNames.contains(String($0)) } ?? false
    }

    /// The `kinecast` of this engine's installation, if there is one.
    static var ownCommand: String? { commands(beside: ExecutableSearch.own).first { access($0.cString, X_OK) == 0 } }

    private static func executable(of pid: Int32) -> String? {
        guard let path = FilePath("/proc/\(pid)/exe").linkContents?.escaped else { return nil }
        // The kernel appends this if the file was replaced while its program runs.
        let replaced = " (deleted)"
        return path.hasSuffix(replaced) ? String(path.dropLast(replaced.count)) : path
    }

    /// The paths of all programs that a person uses.
    static func own(beside engine: String?) -> [String] {
        guard let engine else { return [] }
        let directory = FilePath(escaped: engine).removingLastComponent()
        return commands(beside: engine)
            + desktopNames.map { directory.appending($0) }.map { ($0.resolved ?? $0).escaped }
    }

    /// The paths of `kinecast`, for the build directory and for an installation.
    private static func commands(beside engine: String?) -> [String] {
        guard let engine else { return [] }
        let directory = FilePath(escaped: engine).removingLastComponent()
        let installed = directory.removingLastComponent().removingLastComponent().appending("bin")
        return [directory, installed].flatMap { place in
            commandNames.map { place.appending($0) }.map { ($0.resolved ?? $0).escaped }
        }
    }
}
