// kinecast-account: runs one command and says what it took. A process of its own, because a process that measures a tree of
// processes adopts orphans and waits for every child, which a test's process must not do.
import ArgumentParser
import KineMeasure
import KinePlatform
import SystemPackage

@main
struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kinecast-account", abstract: "Runs a command and prints what it and all its descendants took.",
        discussion: """
            The command's own output goes to standard error. Ends once all of them are gone, with the command's status.
            """)

    @Option(help: "How long the command will run; wakes are counted over the middle half of it.")
    var seconds = 10.0

    @Argument(parsing: .captureForPassthrough, help: "The command and its arguments.")
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else { throw ValidationError("Name a command to run.") }
        guard seconds > 0 else { throw ValidationError("--seconds must be more than 0.") }
    }

    func run() throws {
        let cost = try MeasuredProcess.run(
            Tool.path(of: command[0]), Array(command.dropFirst()), environment: ProcessEnvironment.current,
            output: .standardError,
            expectedSeconds: seconds)
        print(cost.lines.joined(separator: "\n"))
        switch cost.ending {
        case .exited(let status): throw ExitCode(status)
        case .killed(let signal): throw ExitCode(128 + signal)
        }
    }
}
