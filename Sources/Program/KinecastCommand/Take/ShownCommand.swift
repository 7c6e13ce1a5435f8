// COMMAND, the program to show. It is found before the take begins, and started and ended with the take.
import Glibc
import KinePlatform
import KineProgram
import KineText
import SystemPackage

/// COMMAND and its arguments, with the executable found.
struct ShownCommand {
    let executable: String
    let arguments: [String]

    /// Finds `words[0]` like a shell. Throws if there is no such program.
    init(_ words: [String], searchPath: String?) throws {
        let name = words[0]
        arguments = Array(words.dropFirst())
        let candidates =
            name.contains("/")
            ? [name]
            : (searchPath ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":", omittingEmptySubsequences: false)
                .map { $0.isEmpty ? "./\(name)" : "\($0)/\(name)" }
        guard let found = candidates.first(where: Self.isProgram) else {
            throw CommandFailure.unavailable(
                "The command \(name) was not found or cannot be executed; check its spelling and PATH.")
        }
        executable = found
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path.cString, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path.cString, X_OK) == 0
    }
}

/// A running COMMAND.
struct CommandProcess {
    private let process: ChildProcess
    /// Whether COMMAND leads its own process group, whose processes are ended with it.
    private let leadsGroup: Bool

    /// Starts COMMAND with this process's standard streams except `output`. If standard input is a terminal, it stays
    /// in this process's group, so that it may read the terminal and Ctrl-C reaches both. COMMAND dies with the calling
    /// thread: call this on the main thread. `ignoring`: the signals that COMMAND ignores.
    init(
        _ command: ShownCommand, environment: [String], output: FileDescriptor, ignoring signals: [Int32]
    ) throws(Errno) {
        leadsGroup = isatty(STDIN_FILENO) != 1
        var options = ChildProcess.Options()
        options.descriptors = [.standardInput, output, .standardError]
        options.parentDeathSignal = SIGKILL
        options.newProcessGroup = leadsGroup
        options.ignoredSignals = signals
        process = try ChildProcess(
            executable: command.executable, arguments: command.arguments,
            environment: ProcessEnvironment.merging(ProcessEnvironment.current, environment), options: options)
    }

    var pid: Int32 { process.pid }

    func poll() -> ChildProcess.Ending? { process.poll() }

    func signal(_ number: Int32) { leadsGroup ? process.signalGroup(number) : process.signal(number) }
}
