// `kinecast config`: prints what is configured for `record` and `broadcast`, and changes the file.
import ArgumentParser
import Glibc
import KineConfiguration
import KinePlatform
import KineProgram
import KineText

extension ConfiguredCommand: ExpressibleByArgument {}

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show and change what record, broadcast, shortcuts and studio use without being told.",
        discussion: "The file is ~/.config/kinecast/kinecast.conf. Variables such as KINECAST_RECORD_FPS replace it.",
        subcommands: [ShowCommand.self, SetCommand.self, UnsetCommand.self, EditCommand.self],
        defaultSubcommand: ShowCommand.self)

    struct ShowCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print what holds, and where each value is set.")

        @Option(help: ArgumentHelp("What holds with this profile.", valueName: "NAME"))
        var profile: String?

        @Flag(help: "Print a line of JSON for each value on standard output.")
        var json = false

        func run() throws {
            let layers = try ConfigurationLayers.current()
            try layers.check()
            var isEmpty = layers.file.profiles.isEmpty
            for command in ConfiguredCommand.allCases {
                let options = try layers.options(of: command, profile: profile)
                let section = ConfigurationSection(command: command)
                if json {
                    options.forEach { JSONEvents.write(Line($0)) }
                } else if !options.isEmpty {
                    isEmpty = false
                    ConfigurationFile.text(section, options).forEach(Terminal.standardOutput.line)
                }
            }
            let profiles = layers.file.profiles.joined(separator: ", ")
            if !json, !profiles.isEmpty { Terminal.standardOutput.line("# Profiles: \(profiles)") }
            if !json, isEmpty {
                Terminal.standardOutput.line("# Nothing is configured. Try: kinecast config set record mic default")
            }
        }

        private struct Line: Encodable {
            let command, option, value, origin: String

            init(_ option: ConfiguredOption) {
                (command, self.option) = (option.command.rawValue, option.key.name)
                (value, origin) = (option.value, "\(option.origin)")
            }
        }
    }

    /// An option in the file.
    struct Place: ParsableArguments {
        @Argument(help: ArgumentHelp("The command.", valueName: "record|broadcast|shortcuts|studio"))
        var command: ConfiguredCommand

        @Argument(help: "Its option, without dashes.", completion: .list(Self.options))
        var option: String

        @Option(help: ArgumentHelp("Change this profile.", valueName: "NAME"))
        var profile: String?

        /// The options that may be set for any command: a completion does not see which command was typed.
        private static var options: [String] {
            let keys = ConfiguredCommand.allCases.flatMap(\.keys).filter { key in
                if case .refused = key.use { false } else { true }
            }
            return Set(keys.map(\.name)).sorted()
        }

        func change(to values: [String]) throws {
            let section = ConfigurationSection(command: command, profile: profile)
            let path = try ConfigurationLayers.update { file in
                guard !values.isEmpty || file.options(of: section).contains(where: { $0.key.name == option }) else {
                    throw CommandFailure.usage("\(section) of \(file.path) sets no \(option.printable(limit: 40)).")
                }
                return try file.setting(option, to: values, in: section)
            }
            Terminal.standardError.line("Changed \(section) of \(path).")
        }
    }

    struct SetCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Set an option in the file, where all else stays as it is.",
            usage: "kinecast config set COMMAND OPTION VALUE… [--profile NAME]")

        @OptionGroup var place: Place

        @Argument(help: "Its value; true or false for a flag, several for an option that may be repeated.")
        var values: [String]

        func run() throws {
            for value in values {
                try [ConfiguredOption(place.command, place.option, value, from: .typed("config set"))]
                    .check(for: place.command)
            }
            try place.change(to: values)
        }
    }

    struct UnsetCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unset", abstract: "Remove an option from the file, where all else stays as it is.",
            usage: "kinecast config unset COMMAND OPTION [--profile NAME]")

        @OptionGroup var place: Place

        func run() throws { try place.change(to: []) }
    }

    struct EditCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit", abstract: "Open the file in $VISUAL, $EDITOR, nano or vi, and check it afterwards.")

        func run() throws {
            let settings = try ConfigurationLayers.settings()
            if try settings.contents() == nil { try settings.update { _ in Array("# [record]\n# fps = 60\n".utf8) } }
            let chosen = ProcessEnvironment.value("VISUAL") ?? ProcessEnvironment.value("EDITOR")
            guard let editor = chosen ?? ExecutableSearch.find("nano") ?? ExecutableSearch.find("vi") else {
                throw CommandFailure.usage("There is no editor; set EDITOR, or edit \(settings.path).")
            }
            // Ctrl-C is for the editor alone.
            for number in [SIGINT, SIGQUIT] { signal(number, SIG_IGN) }
            // As for other programs, the variable may have arguments.
            let process = try ChildProcess(
                executable: "/bin/sh", arguments: ["-c", "\(editor) \"$1\"", "sh", settings.path.escaped],
                environment: ProcessEnvironment.forDesktop)
            guard process.wait() == .exited(status: 0) else {
                throw CommandFailure.usage("\(editor) failed; set EDITOR to another one.")
            }
            try ConfigurationLayers.current().check()
        }
    }
}
