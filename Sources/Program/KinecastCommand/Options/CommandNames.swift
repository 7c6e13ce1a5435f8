// Names of commands: corrects a mistyped one, and adds the names to the completions of `help`, which ArgumentParser's
// scripts leave out.
import ArgumentParser

enum CommandNames {
    /// One sentence about the first word of the arguments, or after `help`, that should be a command and is not; nil if
    /// there is no such word, or no command is like it.
    static func hint(for arguments: [String]) -> String? {
        var command: any ParsableCommand.Type = RootCommand.self
        var words = ["kinecast"]
        for word in arguments.drop(while: { $0 == "help" }).prefix(while: { !$0.hasPrefix("-") }) {
            let subcommands = command.configuration.subcommands
            if let next = subcommands.first(where: { $0.configuration.commandName == word }) {
                command = next
                words.append(word)
                continue
            }
            let names = subcommands.compactMap { $0.configuration.commandName }
            guard let name = names.min(by: { distance($0, word) < distance($1, word) }),
                distance(name, word) <= 2 * max(1, name.count / 3)
            else { return nil }
            let path = words.joined(separator: " ")
            return "There is no command \(path) \(word); did you mean \(path) \(name)?"
        }
        return nil
    }

    /// The number of characters to insert and to remove that make one word the other: two for an exchange.
    static func distance(_ one: String, _ other: String) -> Int { Array(other).difference(from: Array(one)).count }
}

enum CompletionScript {
    /// A script of ArgumentParser's, with the commands' names after `help`.
    static func completingHelp(in script: String) -> String {
        let names = RootCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
            .joined(separator: " ")
        let fish = "__kinecast_should_offer_completions_for_positional"
        guard !script.contains(fish) else {
            return "\(script)\ncomplete -c 'kinecast' -n '\(fish) \"kinecast help\" -eq 1' -fka '\(names)'"
        }
        return
            script
            // bash
            .replacing(
                "    non_repeating_flags=(--version)\n    repeating_options=()\n    non_repeating_options=()\n"
                    + "    __kinecast_offer_flags_options -1\n",
                with: "    COMPREPLY+=($(compgen -W '\(names)' -- \"${cur}\"))\n"
            )
            // zsh
            .replacing("'*:subcommands:'", with: "'*:subcommands:(\(names))'")
    }
}
