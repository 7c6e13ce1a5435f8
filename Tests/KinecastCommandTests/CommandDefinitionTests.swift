// The definitions of all commands. ArgumentParser checks them where it is compiled for debugging, which scripts/swiftc does not do.
import Testing

@testable import ArgumentParser
@testable import KinecastCommand

@Suite struct CommandDefinitionTests {
    private struct Twice: ParsableCommand {
        @Option var name = ""
        @Option(name: .customLong("name")) var other = ""
    }

    private static func all(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap { all($0) }
    }

    @Test func `ArgumentParser finds no contradiction in a command`() {
        let commands = Self.all(RootCommand.self)
        #expect(commands.count > 20)
        for command in commands {
            #expect(throws: Never.self, "\(command)") { try command._validate(parent: nil) }
        }
        #expect(throws: ParsableArgumentsValidationError.self) { try Twice._validate(parent: nil) }
    }
}
