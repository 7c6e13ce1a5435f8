// Puts the configured options in front of the typed ones. ArgumentParser finds wrong values; the sentence about one
// gets the place where it is set.
import ArgumentParser
import KineConfiguration
import KineMedia
import KinePlatform
import KineProgram
import KineText

extension ConfigurationLayers {
    /// Throws a sentence if a command does not accept what is set for it, in any profile.
    func check() throws(CommandFailure) {
        for command in ConfiguredCommand.allCases {
            try options(of: command, profile: nil).check(for: command)
            for profile in file.profiles { try options(of: command, profile: profile).check(for: command) }
        }
    }

    /// The configured options for the command of these arguments, unless the arguments replace them; empty for other
    /// commands.
    static func options(for arguments: [String]) throws -> [ConfiguredOption] {
        let words = arguments.dropFirst()
        let help: Set = ["-h", "--help", "--help-hidden", "--version", "--experimental-dump-help"]
        guard let command = arguments.first.flatMap({ ConfiguredCommand(rawValue: $0) }), command.hasOptions,
            help.isDisjoint(with: words.prefix { $0 != "--" })
        else { return [] }
        let typed = TypedOptions(words, of: command)
        let profile = typed.values["profile"]?.last.flatMap { $0.isEmpty ? nil : $0 }
        return try current().options(of: command, profile: profile).used(beside: typed)
    }
}

extension [ConfiguredOption] {
    /// The arguments of a command, with these options in front of the typed ones.
    func arguments(before typed: [String], home: String? = ProcessEnvironment.value("HOME")) -> [String] {
        let configured = flatMap { $0.arguments(home: home) }
        return typed.prefix(1) + configured + typed.dropFirst()
    }

    /// Throws a sentence if the command does not accept one of these options, whatever is typed beside it.
    func check(for command: ConfiguredCommand) throws(CommandFailure) {
        guard command.hasOptions else {
            if command == .shortcuts { _ = try ShortcutKeys(self) }
            return
        }
        // Some options need a second option. A configured value comes later, and replaces the value here.
        var typed = ["--camera", "default", "--mic", "default", "--size", "640x480"]
        if command == .broadcast {
            typed += ["--record", "a.mp4", "--service", "live", "--tls-cert", "cert.pem", "--tls-key", "key.pem"]
        }
        do {
            let configured = flatMap { $0.arguments(home: nil) }
            _ = try RootCommand.parseAsRoot([command.rawValue] + typed + configured + ["--", "COMMAND"])
        } catch {
            let message = RootCommand.message(for: error)
            throw .usage(explaining(message) ?? message)
        }
    }

    /// A sentence about wrong usage that names some of these options, with their origins; nil if it names none.
    func explaining(_ sentence: String) -> String? {
        let words = Set(sentence.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map { String($0) })
        let named = filter { option in
            // Sentences about a take's limits name an option in words: "clip buffer".
            let phrase = option.key.name.replacing("-", with: " ")
            return words.contains("--\(option.key.name)") || phrase != option.key.name && sentence.contains(phrase)
        }
        guard !named.isEmpty else { return nil }
        // ArgumentParser lists the values of an option in lines and sentences of their own.
        var text = sentence.replacing(". Please provide one of the following:\n  - ", with: "; give one of ")
            .replacing(". Please provide one of ", with: "; give one of ").replacing("\n  - ", with: ", ")
        // An address may hold a stream key.
        for option in named where option.value.contains("://") { text = text.replacing(option.value, with: "…") }
        if text.hasSuffix(".") { text.removeLast() }
        let places = named.compactMap { option -> String? in
            // The person has just typed it.
            if case .typed = option.origin { nil } else { "--\(option.key.name) is set by \(option.origin)" }
        }
        return text.printable(limit: 1000) + (places.isEmpty ? "." : "; \(Quantity.list(places)).")
    }
}
