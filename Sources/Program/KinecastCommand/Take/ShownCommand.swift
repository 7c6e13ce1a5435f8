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
        guard let found = candidates.first(where: { FilePath(escaped: $0).isExecutableFile }) else {
            throw CommandFailure.unavailable(
                "The command \(name) was not found or cannot be executed; check its spelling and PATH.")
        }
        executable = found
    }
}

/// COMMAND in the course of one take: its process while it runs, and the deadline for its end.
struct CommandRun {
    /// The time for COMMAND to end by itself after the take, in nanoseconds.
    private static let grace: Int64 = 3_000_000_000
    /// The time for COMMAND to end by itself after its window was closed, in nanoseconds. Together with `grace` it
    /// equals the time that the engine keeps a private screen.
    private static let closingGrace: Int64 = 2_000_000_000

    private let command: ShownCommand?
    private let output: FileDescriptor
    private let ignoredSignals: [Int32]
    private var process: ChildProcess?
    /// Whether COMMAND leads its own process group, whose processes are ended with it.
    private let leadsGroup = isatty(STDIN_FILENO) != 1
    /// The instant by which COMMAND has to end, in nanoseconds of CLOCK_MONOTONIC; nil while there is none.
    private(set) var deadline: Int64?

    /// - Parameters:
    ///   - command: nil for a take without COMMAND.
    ///   - output: COMMAND's standard output.
    ///   - signals: the signals that COMMAND ignores.
    init(_ command: ShownCommand?, output: FileDescriptor, ignoring signals: [Int32]) {
        (self.command, self.output, ignoredSignals) = (command, output, signals)
    }

    /// Nil while COMMAND does not run.
    var pid: Int32? { process?.pid }

    /// Starts COMMAND, if the take has one, with this process's standard streams except `output`. If standard input is
    /// a terminal, it stays in this process's group, so that it may read the terminal and Ctrl-C reaches both. COMMAND
    /// dies with the calling thread: call this on the main thread. Returns a sentence if it cannot be started.
    mutating func start(environment: [String]) -> String? {
        guard let command else { return nil }
        var options = ChildProcess.Options()
        options.descriptors = [.standardInput, output, .standardError]
        options.parentDeathSignal = SIGKILL
        options.newProcessGroup = leadsGroup
        options.ignoredSignals = ignoredSignals
        do {
            process = try ChildProcess(
                executable: command.executable, arguments: command.arguments,
                environment: ProcessEnvironment.merging(ProcessEnvironment.current, environment), options: options)
            return nil
        } catch {
            return "The command \(command.executable) cannot be started: \(error); check its permissions."
        }
    }

    /// Returns how COMMAND ended, once.
    mutating func poll() -> ChildProcess.Ending? {
        guard let ending = process?.poll() else { return nil }
        process = nil
        return ending
    }

    /// Sends a signal to COMMAND, if it runs.
    func signal(_ number: Int32) {
        if leadsGroup { process?.signalGroup(number) } else { process?.signal(number) }
    }

    /// COMMAND's window was closed, so COMMAND gets time to end.
    mutating func awaitEnd() { deadline = MonotonicClock.now() + Self.closingGrace }

    /// Asks COMMAND to end, and gives it time for that.
    mutating func terminate() {
        signal(SIGTERM)
        deadline = MonotonicClock.now() + Self.grace
    }

    /// The deadline has passed.
    mutating func endGrace() { deadline = nil }
}
