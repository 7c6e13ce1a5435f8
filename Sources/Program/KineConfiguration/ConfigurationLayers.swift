// The layers of configured options: a section of the file, a profile's section, the environment. Each
// replaces what is below it, and what a person types replaces them all.
import KineMedia
import KineProgram
import KineText
import SystemPackage

/// An option that is set, and where.
package struct ConfiguredOption: Sendable {
    package enum Origin: CustomStringConvertible, Sendable {
        case file(FilePath, line: Int)
        /// An environment variable or a profile's name.
        case name(String)
        /// A command that was given the option.
        case typed(String)

        package var description: String {
            switch self {
            case .file(let path, let line): "\(path):\(line)"
            case .name(let name), .typed(let name): name
            }
        }
    }

    package let command: ConfiguredCommand
    package let key: ConfigurationKey
    package let value: String
    package let origin: Origin

    /// Throws a sentence with the origin if there is no such option, or the value cannot be set.
    package init(
        _ command: ConfiguredCommand, _ name: String, _ value: String, from origin: Origin
    ) throws(CommandFailure) {
        guard let key = command.keys.first(where: { $0.name == name }) else {
            let isSecret = ["://", "key", "password", "secret", "token"].contains { name.lowercased().contains($0) }
            let advice = isSecret ? ConfigurationKey.secretsPlace : "kinecast help \(command.rawValue) lists them"
            // A word that cannot be a name may be a secret.
            let isName = (1...40).contains(name.utf8.count) && name.allSatisfy { $0.isLetter || "-_".contains($0) }
            let shown = isName ? name : "of this name"
            throw .usage("\(origin): \(command.rawValue) has no option \(shown); \(advice).")
        }
        if let problem = key.problem(value) { throw .usage("\(origin): \(problem).") }
        (self.command, self.key, self.value, self.origin) = (command, key, value, origin)
    }

    /// Whether the command gets it: a flag that is false is left out.
    package var isOn: Bool { key.kind != .flag || value == "true" }

    /// The option as it would be typed. `home`: the directory for which `~` stands.
    package func arguments(home: String?) -> [String] {
        if case .label = key.use { return [] }
        if key.kind == .flag { return isOn ? ["--\(key.name)"] : [] }
        var value = value
        if key.isPath, value.hasPrefix("~/"), let home { value = home + value.dropFirst() }
        // A dash would begin another option. Other values are words of their own: an accent would hide the "=".
        return value.first == "-" ? ["--\(key.name)=\(value)"] : ["--\(key.name)", value]
    }

    /// Whether the command accepts the option beside these options and their values.
    fileprivate func isUsed(beside given: [String: [String]]) -> Bool {
        switch key.use {
        case .always: return true
        case .with(let names): return names.contains { given[$0] != nil }
        case .file:
            guard let output = given[command.outputOption]?.last else { return command == .record }
            return output != "-"
        case .livePage:
            // The id of BuiltInServices.live: the tray needs nothing else of services.
            return given["service"].map { $0.contains("live") } ?? (given["to"] == nil && given["to-file"] == nil)
        case .label, .refused: return false
        }
    }
}

extension [ConfiguredOption] {
    /// These and a layer above them, which replaces options of the same name and their rivals.
    func below(_ layer: [ConfiguredOption]) -> [ConfiguredOption] {
        let names = Set(layer.map(\.key.name))
        let rivals = Set(layer.filter(\.isOn).map(\.key.name))
        return filter { !names.contains($0.key.name) && rivals.isDisjoint(with: $0.key.rivals) } + layer
    }

    /// The options that are still used beside the typed ones.
    package func used(beside typed: TypedOptions) -> [ConfiguredOption] {
        let names = Set(typed.values.keys)
        let rest = filter { !names.contains($0.key.name) && names.isDisjoint(with: $0.key.rivals) }
        var given = typed.values
        for option in rest where option.isOn { given[option.key.name, default: []].append(option.value) }
        return rest.filter { $0.isUsed(beside: given) }
    }
}

package struct ConfigurationLayers {
    package var file: ConfigurationFile
    /// `NAME=value` strings.
    package var environment: [String]

    package init(file: ConfigurationFile, environment: [String]) {
        self.file = file
        self.environment = environment
    }

    /// The configured options of a command, with those of a profile if one is named. A profile may have a section for one
    /// command alone.
    package func options(of command: ConfiguredCommand, profile: String?) throws(CommandFailure) -> [ConfiguredOption] {
        var options = file.options(of: ConfigurationSection(command: command))
        if let profile {
            guard file.profiles.contains(profile) else {
                let known = file.profiles.isEmpty ? "it has none" : "it has \(Quantity.list(file.profiles))"
                throw .usage("\(file.path) has no profile \(profile.printable(limit: 40)); \(known).")
            }
            options = options.below(file.options(of: ConfigurationSection(command: command, profile: profile)))
        }
        return try options.below(variables(of: command))
    }

    /// The options that the environment sets: `KINECAST_RECORD_AUDIO_BITRATE` is `audio-bitrate` of `record`. A variable
    /// has a line for each value; an empty one counts as unset.
    private func variables(of command: ConfiguredCommand) throws(CommandFailure) -> [ConfiguredOption] {
        let start = "KINECAST_\(command.rawValue.uppercased())_"
        var options: [ConfiguredOption] = []
        for entry in environment where entry.hasPrefix(start) {
            // By code points: as characters, "=" and an accent after it are one.
            let variable = String(entry.unicodeScalars.prefix { $0 != "=" })
            let text = String(entry.unicodeScalars.dropFirst(variable.unicodeScalars.count + 1))
            guard !text.isEmpty else { continue }
            let key = command.keys.first { start + $0.name.uppercased().replacing("-", with: "_") == variable }
            let values = key?.kind == .list ? text.split(whereSeparator: \.isNewline).map { String($0) } : [text]
            for value in values {
                let name = key?.name ?? variable
                try options.append(ConfiguredOption(command, name, value, from: .name(variable)))
            }
        }
        return options
    }
}

/// The options that a person typed, found without reading their values.
package struct TypedOptions {
    /// By name. The file's name is listed under the option for it, and a flag has the value "true".
    package private(set) var values: [String: [String]] = [:]

    package init(_ words: some Sequence<String>, of command: ConfiguredCommand) {
        var rest = Array(words)[...]
        while let word = rest.popFirst(), word != "--" {
            guard word.first == "-", word != "-" else {
                values[command.outputOption, default: []].append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            let names: [Character] = word.hasPrefix("--") ? [] : Array(parts[0].dropFirst())
            for key in command.keys where "--\(key.name)" == parts[0] || key.short.map({ names.contains($0) }) == true {
                let value: String? = key.kind == .flag ? "true" : parts.count > 1 ? parts[1] : rest.popFirst()
                values[key.name, default: []].append(value ?? "")
            }
        }
    }
}
