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

    @Test func `a line of usage fits into a terminal of eighty columns`() {
        for command in Self.all(RootCommand.self) {
            let help = RootCommand.helpMessage(for: command, columns: 80)
            for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        }
    }

    @Test(arguments: [
        (CompletionShell.bash, "compgen -W 'record broadcast", "'on'$'\\n''off'"),
        (.zsh, "'*:subcommands:(record broadcast", "('on' 'off')"),
        (.fish, "\"kinecast help\" -eq 1' -fka 'record broadcast", "on off"),
    ])
    func `shells complete the commands after help, and the words of tray and config`(
        shell: CompletionShell, help: String, words: String
    ) {
        let script = CompletionScript.completingHelp(in: RootCommand.completionScript(for: shell))
        #expect(script.contains(help) && script.contains(words) && script.contains("clip-buffer"))
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
