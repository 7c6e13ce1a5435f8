// The text of kinecast.conf: sections of `key = value` lines, and comments. A change leaves all other lines as they are.
// docs/configuration.md describes the form. Works on bytes, because a path may have some that are not UTF-8.
import KineProgram
import KineText
import SystemPackage

/// `[record]`, or `[record NAME]` for a profile.
package struct ConfigurationSection: Hashable, CustomStringConvertible {
    package var command: ConfiguredCommand
    /// Nil: the section applies with every profile, and without one.
    package var profile: String?

    package init(command: ConfiguredCommand, profile: String? = nil) {
        self.command = command
        self.profile = profile
    }

    package var description: String { "[\(command.rawValue)\(profile.map { " " + $0 } ?? "")]" }
}

package struct ConfigurationFile {
    /// The largest size of the file, in bytes.
    package static let limit = 64 * 1024

    package let path: FilePath
    /// The options and the numbers of their lines, from 1.
    package private(set) var entries: [(section: ConfigurationSection, option: ConfiguredOption, line: Int)] = []
    private var headers: [(section: ConfigurationSection, line: Int)] = []
    package let bytes: [UInt8]

    /// Throws a sentence with the place of the first line that cannot be used.
    package init(_ bytes: [UInt8], path: FilePath) throws(CommandFailure) {
        (self.path, self.bytes) = (path, bytes)
        guard bytes.count <= Self.limit else { throw .usage("\(path) has more than 64 kB; shorten it.") }
        for (number, line) in zip(1..., lines) {
            // Editors on Windows write a byte order mark before UTF-8.
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            let text = trimmed(number == 1 && line.starts(with: mark) ? line.dropFirst(mark.count) : line)
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            if first == UInt8(ascii: "[") { try readHeader(text, number) } else { try readEntry(text, number) }
        }
    }

    private mutating func readHeader(_ text: ArraySlice<UInt8>, _ line: Int) throws(CommandFailure) {
        let words = text.dropFirst().dropLast().split(whereSeparator: isBlank).map { String(escaping: $0) }
        let isName = words.last?.isPlainName
        guard text.last == UInt8(ascii: "]"), words.count < 3, isName == true,
            let command = ConfiguredCommand(rawValue: words[0]), words.count == 1 || command.hasOptions
        else {
            let sections = "[record], [broadcast], [shortcuts], [studio], or [record NAME] for a profile"
            throw problem(line, "this is no section; write \(sections)")
        }
        let section = ConfigurationSection(command: command, profile: words.count > 1 ? words[1] : nil)
        guard !headers.contains(where: { $0.section == section }) else {
            throw problem(line, "\(section) is here a second time; join the two")
        }
        headers.append((section, line))
    }

    private mutating func readEntry(_ text: ArraySlice<UInt8>, _ line: Int) throws(CommandFailure) {
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else {
            throw problem(line, "this is no setting; write KEY = VALUE, and # in front of a comment")
        }
        guard let section = headers.last?.section else {
            throw problem(line, "no section is above this setting; write [record] or [broadcast] there")
        }
        guard let value = Self.value(trimmed(text[text.index(after: equals)...])) else {
            throw problem(line, "the value begins with a quotation mark and does not end with one; write \"VALUE\"")
        }
        let name = String(escaping: trimmed(text[..<equals]))
        let origin = ConfiguredOption.Origin.file(path, line: line)
        let option = try ConfiguredOption(section.command, name, String(escaping: value), from: origin)
        let isTaken = entries.contains { $0.section == section && $0.option.key.name == name }
        guard !isTaken || option.key.kind == .list else {
            throw problem(line, "\(name) is in \(section) a second time; remove one of them")
        }
        entries.append((section, option, line))
    }

    private func problem(_ line: Int, _ words: String) -> CommandFailure { .usage("\(path):\(line): \(words).") }

    package func options(of section: ConfigurationSection) -> [ConfiguredOption] {
        entries.filter { $0.section == section }.map(\.option)
    }

    package var profiles: [String] { Set(headers.compactMap(\.section.profile)).sorted() }

    /// The profiles with a section for this command.
    package func profiles(of command: ConfiguredCommand) -> [String] {
        headers.filter { $0.section.command == command }.compactMap(\.section.profile).sorted()
    }
}

// Writing.
extension ConfigurationFile {
    private var lines: [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    /// The end of a new line before its line feed: a file from Windows has a carriage return there.
    private var lineEnd: [UInt8] { lines.first?.last == 0x0d ? [0x0d] : [] }

    /// The file with these values of an option: in place of the old ones, else at the end of the section. Without values,
    /// the option is removed.
    package func setting(
        _ name: String, to values: [String], in section: ConfigurationSection
    ) throws(CommandFailure) -> ConfigurationFile {
        let old = entries.filter { $0.section == section && $0.option.key.name == name }.map(\.line)
        let new = values.map { (Self.line(name, $0) + lineEnd)[...] }
        var lines = lines
        for line in old.reversed() { lines.remove(at: line - 1) }
        if let first = old.first {
            lines.insert(contentsOf: new, at: first - 1)
        } else if let header = headers.first(where: { $0.section == section }) {
            lines.insert(contentsOf: new, at: entries.last(where: { $0.section == section })?.line ?? header.line)
        } else if !new.isEmpty {
            lines = appending(section, to: lines) + new
        }
        return try replacingLines(with: lines)
    }

    /// The file with these options of a section, which is made if need be. Options of the given names and rivals of the
    /// new ones go; the others stay.
    ///
    /// - Parameter names: the options that the caller knows.
    package func setting(
        _ options: [ConfiguredOption], inPlaceOf names: Set<String>, in section: ConfigurationSection
    ) throws(CommandFailure) -> ConfigurationFile {
        let given = Set(options.filter(\.isOn).map(\.key.name))
        let values = Dictionary(grouping: options, by: \.key.name)
        let replaced = self.options(of: section).filter {
            names.contains($0.key.name) || !given.contains($0.key.name) && !given.isDisjoint(with: $0.key.rivals)
        }
        var file = self
        if !headers.contains(where: { $0.section == section }) {
            file = try replacingLines(with: appending(section, to: lines))
        }
        for name in Set(replaced.map(\.key.name)) where values[name] == nil {
            file = try file.setting(name, to: [], in: section)
        }
        var known: Set<String> = []
        for name in options.map(\.key.name) where known.insert(name).inserted {
            file = try file.setting(name, to: values[name, default: []].map(\.value), in: section)
        }
        return file
    }

    /// The file without a section, up to its last option. Comments after that may be about the next section.
    package func removing(_ section: ConfigurationSection) throws(CommandFailure) -> ConfigurationFile {
        guard let header = headers.first(where: { $0.section == section })?.line else {
            throw .usage("\(path) has no section \(section).")
        }
        var lines = lines
        lines.removeSubrange(header - 1..<(entries.last { $0.section == section }?.line ?? header))
        if header > 1, header <= lines.count, trimmed(lines[header - 2]).isEmpty, trimmed(lines[header - 1]).isEmpty {
            lines.remove(at: header - 1)
        }
        return try replacingLines(with: lines)
    }

    private func appending(
        _ section: ConfigurationSection, to lines: [ArraySlice<UInt8>]
    ) -> [ArraySlice<UInt8>] {
        var lines = lines
        while let last = lines.last, trimmed(last).isEmpty { lines.removeLast() }
        if !lines.isEmpty { lines.append(lineEnd[...]) }
        return lines + [(Array("\(section)".utf8) + lineEnd)[...]]
    }

    private func replacingLines(with lines: [ArraySlice<UInt8>]) throws(CommandFailure) -> ConfigurationFile {
        let end: [ArraySlice<UInt8>] = lines.last?.isEmpty == false ? [[]] : []
        return try ConfigurationFile(Array((lines + end).joined(separator: [UInt8(ascii: "\n")])), path: path)
    }

    /// A section as text that can be read again, with each option's place above it.
    package static func text(_ section: ConfigurationSection, _ options: [ConfiguredOption]) -> [String] {
        ["\(section)"]
            + options.flatMap { option in
                ["# \(option.origin)".printable(limit: .max), String(escaping: line(option.key.name, option.value))]
            }
    }

    /// Quotation marks keep blanks at the value's ends. Those within it stay as they are.
    private static func line(_ name: String, _ value: String) -> [UInt8] {
        let bytes = value.unescaped
        let isPlain = bytes.first != quote && trimmed(bytes[...]).count == bytes.count
        return Array("\(name) = ".utf8) + (isPlain ? bytes : [quote] + bytes + [quote])
    }

    /// Nil if there is one quotation mark alone.
    private static func value(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.first == quote else { return text }
        return text.count > 1 && text.last == quote ? text.dropFirst().dropLast() : nil
    }

    private static let quote = UInt8(ascii: "\"")
}

/// A carriage return is one, for the line ends of Windows.
private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return [] }
    return bytes[first...last]
}
