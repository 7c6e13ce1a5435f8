// kinecast-farend: what is at the other end of a network under test. A server that writes down when everything came, and a line
// that takes its time.
import ArgumentParser

@main
struct FarEndCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kinecast-farend", abstract: "The other end of a network under test.",
        subcommands: [ServeCommand.self, CarryCommand.self])
}
