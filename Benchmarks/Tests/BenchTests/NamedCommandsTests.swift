// A command that a document names is one that runs.
import ArgumentParser
import Testing

@testable import kinecast_bench

@Suite struct NamedCommandsTests {
    @Test(arguments: NamedCommands.all) func `a command that is named is one that the bench reads`(
        command: NamedCommand
    ) {
        do {
            _ = try NamedCommands.parse(command.arguments)
        } catch {
            Issue.record("\(command.testDescription): \(BenchCommand.fullMessage(for: error))")
        }
    }

    @Test(arguments: [("the script's header", NamedCommands.header), ("the table", NamedCommands.table)])
    func `every public command is named`(place: String, commands: [NamedCommand]) throws {
        // The mention of a command's help does not say what the command measures.
        let runs = commands.map(\.arguments).filter { !$0.contains("--help") }
        let named = runs.compactMap { try? NamedCommands.parse($0).configuration.commandName }
        for (name, command) in NamedCommands.subcommands where command.configuration.shouldDisplay {
            #expect(named.contains(name), "\(place) does not name “\(name)”.")
        }
    }

    @Test(arguments: [NamedCommands.script] + NamedCommands.documents)
    func `every mention of the script is in a form that is read as a command`(file: String) {
        let text = file == NamedCommands.script ? NamedCommands.headerText : NamedCommands.text(of: file)
        let mentions = text.matches(of: /scripts\/bench\b/).count
        #expect(NamedCommands.find(in: text, file: file).count == mentions)
    }

    @Test func `the commands that the script installs packages for exist`() {
        #expect(!NamedCommands.cases.isEmpty)
        for name in NamedCommands.cases { #expect(NamedCommands.subcommands[name] != nil, "\(name)") }
    }

    @Test(arguments: [
        ["glas"], ["glas", "--help"], ["idel"], ["glass", "--secnds", "9"], ["versions", "idle"], ["trim", "scroll"],
    ])
    func `a misspelt command is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try NamedCommands.parse(arguments) }
    }

    @Test func `commands are found in backquotes, over two lines and in blocks`() {
        let text = """
            `scripts/bench glass
            --seconds 9` and `scripts/bench`
                scripts/bench [scene…]      says what
            #   scripts/bench trim [--minutes N] [options]   says what
            """
        let found = NamedCommands.find(in: text, file: "")
        #expect(found.map(\.arguments) == [["glass", "--seconds", "9"], [], [], ["trim", "--minutes", "10"]])
    }
}
