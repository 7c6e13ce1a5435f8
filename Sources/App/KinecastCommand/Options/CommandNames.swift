// Names of commands: the one that a mistyped word was to be, and those that the completions of `help` offer, which
// ArgumentParser's scripts leave out.
import ArgumentParser

enum CommandNames {
    /// One sentence about the first word of the arguments, or after `help`, that is no command where one has to be; nil
    /// if there is none, or no command is like it.
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
                distance(name, word) <= max(1, name.count / 3)
            else { return nil }
            let path = words.joined(separator: " ")
            return "There is no command \(path) \(word); did you mean \(path) \(name)?"
        }
        return nil
    }

    /// The least number of characters to insert, remove, replace or exchange with the next one that makes one word the
    /// other.
    static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
        var rows = [Array(0...other.count)]
        for (i, character) in one.enumerated() {
            var row = [i + 1]
            for (j, another) in other.enumerated() {
                var least = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (character == another ? 0 : 1))
                if i > 0, j > 0, character == other[j - 1], one[i - 1] == another {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
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
