// `kinecast destination`: adds destinations to a running take, and removes them.
import ArgumentParser
import KineClient
import KineMedia
import KineTakes
import KineWire

struct DestinationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destination", abstract: "Add a destination to a take that is running, or remove one.",
        discussion: "kinecast status lists the destinations of a take with their numbers.",
        subcommands: [AddCommand.self, RemoveCommand.self])

    struct AddCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Broadcast a running take to further destinations.",
            usage: "kinecast destination add [TAKE] [--to URL]… [--service ID]… [options]",
            discussion: """
                Without --to and --service it serves a live page; kinecast link prints its link. A destination gets what the \
                take makes: one that wants audio of a take that was begun without any has none, and is told so.
                """)

        @OptionGroup var argument: TakeArgument
        @OptionGroup(title: "Destinations") var choice: DestinationChoice

        func run() throws {
            let take = try choice.hideTypedSecrets {
                let take = try argument.connect()
                _ = try take.status()
                return take
            }
            let plan = try choice.plan(.standard(in: try OutputPath.workingDirectory()))
            let services = try InstalledServices.catalog().list().services
            try choice.hideGivenSecrets(services)
            let chosen = try plan.asking(services).destinations(among: services.map(\.manifest))
            choice.hideSecrets(of: chosen, services)
            try choice.warnOfTypedKeys(json: argument.json)
            for destination in chosen {
                let number = try take.ask(.addDestination(destination)) {
                    if case .destinationAdded(let number) = $0 { number } else { nil }
                }
                report(number, destination)
            }
        }

        private func report(_ number: Int, _ destination: TakeConfiguration.Destination) {
            if argument.json {
                JSONEvents.write(
                    JSONEvent("destinationAdded") {
                        $0.destination = number
                        $0.label = destination.label
                    })
            } else {
                Terminal.standardError.line("Starting to broadcast to \(destination.label) as destination \(number).")
            }
        }
    }

    struct RemoveCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Finish the broadcast to one destination; the take goes on.",
            usage: "kinecast destination remove [TAKE] NUMBER",
            discussion: "Waits until the broadcast is finished there.")

        @Argument(
            help: ArgumentHelp(
                "The take's id, or the beginning of it, if more than one is running; then the destination's number.",
                valueName: "TAKE|NUMBER"))
        var words: [String]

        @Flag(help: "Print the answer as a line of JSON on standard output.")
        var json = false

        func validate() throws { _ = try parsed() }

        /// The last word is the number.
        func parsed() throws -> (take: String?, number: Int) {
            guard words.count <= 2, let last = words.last, let number = Int(last), number >= 0 else {
                throw ValidationError(
                    "A destination is removed by its number, which kinecast status shows; write kinecast destination "
                        + "remove 1, or the take's id before it.")
            }
            return (words.count == 2 ? words[0] : nil, number)
        }

        func run() throws {
            let (take, number) = try parsed()
            let ending = try AskedTake.connected(to: take).ask(.removeDestination(number)) {
                if case .destinationRemoved(let ending) = $0 { ending } else { nil }
            }
            if json {
                JSONEvents.write(
                    JSONEvent("destinationRemoved") {
                        $0.destination = number
                        $0.ending = ending.name
                        $0.message = ending.message
                    })
            } else {
                Terminal.standardError.line("Destination \(number) \(DestinationSentences.words(ending)).")
            }
        }
    }
}
