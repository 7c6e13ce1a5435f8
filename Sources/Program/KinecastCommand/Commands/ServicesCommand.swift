// `kinecast services`: lists, installs and removes services.
import ArgumentParser
import KineClient
import KineText
import SystemPackage

struct ServicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "services", abstract: "List the services you can broadcast to; install and remove them.",
        subcommands: [ListCommand.self, InstallCommand.self, RemoveCommand.self], defaultSubcommand: ListCommand.self)

    struct ListCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the services and what each takes.",
            discussion: "Damaged bundles are named on standard error and left out.")

        @Flag(help: "Print a line of JSON for each service on standard output.")
        var json = false

        func run() throws {
            let (services, problems) = try InstalledServices.catalog().list()
            if json {
                services.map(ServiceLine.init).forEach { JSONEvents.write($0) }
            } else {
                ServiceText.list(services).forEach(Terminal.standardOutput.line)
            }
            (problems + services.flatMap(\.ignoredKeys)).forEach(Terminal.standardError.problem)
        }
    }

    struct InstallCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install", abstract: "Install a service for this user, or replace it with another version.",
            discussion: """
                Prints what the service may do. One that asks for more than to connect, to serve and to be given settings is \
                installed only if you agree, and so is one with the id of a service from another path.
                """)

        @Argument(
            help: ArgumentHelp(
                "The bundle: a directory NAME.kinext with manifest.json and an executable.", valueName: "PATH"),
            completion: .directory)
        var path: String

        @Flag(help: "Agree to what the service asks for, and to what it replaces.")
        var yes = false

        /// The time for the person to read and to check paths, in nanoseconds.
        private static let timeout: Int64 = 600_000_000_000

        func run() throws {
            let service = try InstalledServices.catalog().install(FilePath(escaped: path)) { service, question in
                let rights = service.manifest.rights.map { "  \(ServiceText.words($0))" }
                if !rights.isEmpty {
                    Terminal.standardError.line("\(service.manifest.name) (\(ServiceText.name(service))) may:")
                }
                rights.forEach(Terminal.standardError.line)
                if let replaced = question.replaced {
                    Terminal.standardError.line(ServiceText.replacement(of: replaced, by: service, from: path))
                }
                if yes || !question.isNeeded { return true }
                let words = question.replaced == nil ? "Install it with these rights?" : "Install it in that place?"
                return TerminalQuestion.controlling()?.ask(words, timeout: Self.timeout)
            }
            Terminal.standardError.line(
                "Installed \(ServiceText.name(service)) in \(service.bundle?.escaped ?? "its place"); "
                    + "\(ServiceText.use(service)) broadcasts to it.")
            service.ignoredKeys.forEach(Terminal.standardError.problem)
        }
    }

    struct RemoveCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a service that this user has installed, with its settings and files.")

        @Argument(
            help: ArgumentHelp("The service's id, or the path of its bundle.", valueName: "ID"),
            completion: .custom { _, _, _ in InstalledServices.ids() })
        var id: String

        func run() throws {
            let hadBelongings = try InstalledServices.catalog().remove(id)
            Terminal.standardError.line(
                "Removed \(id)\(hadBelongings ? ", and the settings and files kept for it" : "").")
        }
    }
}
