// kinecast-farend: the other end of a network under test. A server that reports when everything arrived, and a link that delays
// packets.
import ArgumentParser

@main
struct FarEndCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kinecast-farend", abstract: "The other end of a network under test.",
        subcommands: [ServeCommand.self, CarryCommand.self])
}
