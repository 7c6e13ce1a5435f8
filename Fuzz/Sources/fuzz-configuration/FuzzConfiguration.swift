// Gives libFuzzer's bytes to the reader of kinecast.conf. Whatever they are: no crash; a sentence with the file's place and without any
// address where they cannot be used; otherwise what `kinecast config` prints gives the same options, and a change changes one of them.
import FuzzDriver
import KineProgram
import KineText
import SystemPackage

@_cdecl("fuzz_configuration_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

private func fuzz(_ bytes: [UInt8]) {
    guard let layers = read(bytes) else { return }
    precondition(layers.file.bytes == bytes, "the text is another one")
    for command in ConfiguredCommand.allCases {
        checkPrinted(layers, command, nil)
        for profile in layers.file.profiles { checkPrinted(layers, command, profile) }
    }
    for entry in layers.file.entries.prefix(4) { checkChange(layers.file, entry.section, entry.option) }
}

/// Nil if the reader refuses the text. Its error is one sentence.
private func read(_ bytes: [UInt8]) -> ConfigurationLayers? {
    do throws(CommandFailure) {
        let file = try ConfigurationFile(bytes, path: "/kinecast.conf")
        return ConfigurationLayers(file: file, environment: [])
    } catch {
        precondition(error.message.hasPrefix("/kinecast.conf"), "no place: \(error.message)")
        precondition(error.message.isPrintable, "it steers the terminal")
        precondition(!error.message.contains("://"), "a sentence with an address: \(error.message)")
        return nil
    }
}

private func options(
    _ layers: ConfigurationLayers, _ command: ConfiguredCommand, _ profile: String?
) -> [ConfiguredOption] {
    do throws(CommandFailure) {
        return try layers.options(of: command, profile: profile)
    } catch {
        preconditionFailure("a profile is not found: \(error.message)")
    }
}

private func checkPrinted(_ layers: ConfigurationLayers, _ command: ConfiguredCommand, _ profile: String?) {
    let held = options(layers, command, profile)
    let text = ConfigurationFile.text(ConfigurationSection(command: command), held).joined(separator: "\n")
    guard let again = read(text.unescaped) else { preconditionFailure("what is printed is refused: \(text)") }
    precondition(areSame(held, options(again, command, nil)), "what is printed is something else: \(text)")
    let typed = TypedOptions(["--fps", "60", "-", "--", "a"], of: command)
    for option in held.used(beside: typed) {
        let words = option.arguments(home: "/h")
        precondition(words.isEmpty != option.isOn && words.allSatisfy { !$0.isEmpty }, "a word is missing")
        precondition(words.isEmpty || words[0].hasPrefix("--\(option.key.name)"), "another option")
        precondition(words.count < 2 || words[1].first != "-", "a value becomes an option")
    }
}

private func areSame(_ some: [ConfiguredOption], _ others: [ConfiguredOption]) -> Bool {
    some.count == others.count
        && zip(some, others).allSatisfy { one, other in
            one.key.name == other.key.name && one.value.utf8.elementsEqual(other.value.utf8)
        }
}

/// Removes an option and sets it again: all others stay.
private func checkChange(_ file: ConfigurationFile, _ section: ConfigurationSection, _ option: ConfiguredOption) {
    let name = option.key.name
    func others(_ file: ConfigurationFile) -> [ConfiguredOption] {
        file.entries.filter { $0.section != section || $0.option.key.name != name }.map(\.option)
    }
    do throws(CommandFailure) {
        let set = try file.setting(name, to: [option.value], in: section)
        let values = set.options(of: section).filter { $0.key.name == name }
        precondition(areSame(values, [option]) && areSame(others(set), others(file)), "another change")
        let again = try set.setting(name, to: [option.value], in: section)
        precondition(again.bytes == set.bytes, "a second change")
        let removed = try set.setting(name, to: [], in: section)
        precondition(areSame(removed.entries.map(\.option), others(file)), "not only it is removed")
    } catch {
        // A line that is a little longer may be too much.
        precondition(file.bytes.count > ConfigurationFile.limit - 1024, "a change is refused: \(error.message)")
    }
}
