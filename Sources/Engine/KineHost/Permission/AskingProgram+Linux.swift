// The program at the other end of a client's socket. Linux.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

/// The program that asks for a take, as the kernel knows it. Not a security boundary: a program can hide its executable
/// and call itself `kinecast`, just as it can press the button for the person.
enum AskingProgram: Equatable {
    /// `kinecast` or `kinecast-studio`, of the same installation as this engine: a person uses it.
    case commandLine
    /// Its executable's path, with all links followed.
    case program(executable: String)
    /// The system gives no information.
    case unknown

    private static let commandNames = ["kinecast"]
    /// Always in the engine's directory. It does what a person presses in its page.
    private static let studioName = "kinecast-studio"

    init(at socket: FileDescriptor) {
        let pid = kine_peer_pid(socket.rawValue)
        guard pid > 0 else {
            self = .unknown
            return
        }
        self.init(
            executable: Self.executable(of: pid), name: Self.name(of: pid),
            commands: Self.commands(beside: ExecutableSearch.own) + Self.studio(beside: ExecutableSearch.own))
    }

    /// - Parameters:
    ///   - executable: nil if the process hides it, as `kinecast broadcast` does because of its stream keys.
    ///   - name: the process's own name.
    ///   - commands: the paths of `kinecast` and `kinecast-studio`.
    init(executable: String?, name: String, commands: [String]) {
        switch executable {
        case let path? where commands.contains(path): self = .commandLine
        case let path?: self = .program(executable: path)
        case nil: self = Self.isCommandLine(name: name) ? .commandLine : .unknown
        }
    }

    /// Whether the path of an executable, or a process's name, ends with one of `commandNames`.
    static func isCommandLine(name: String) -> Bool {
        guard let last = name.split(whereSeparator: { $0 == "/" || $0 == "\n" }).last else { return false }
        return commandNames.contains(String(last))
    }

    /// The `kinecast` of this engine's installation, if there is one.
    static var ownCommand: String? { commands(beside: ExecutableSearch.own).first { access($0.cString, X_OK) == 0 } }

    private static func name(of pid: Int32) -> String {
        PrivateDirectory.contents(of: FilePath("/proc/\(pid)/comm"), limit: 64)
            .map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func executable(of pid: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/\(pid)/exe", &buffer, buffer.count)
        guard length > 0 else { return nil }
        let path = String(escaping: buffer[..<length].map { UInt8(bitPattern: $0) })
        // The kernel appends this if the file was replaced while its program runs.
        let replaced = " (deleted)"
        return path.hasSuffix(replaced) ? String(path.dropLast(replaced.count)) : path
    }

    private static func studio(beside engine: String?) -> [String] {
        guard let engine else { return [] }
        let path = FilePath(escaped: engine).removingLastComponent().appending(studioName)
        return [(path.resolved ?? path).escaped]
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
