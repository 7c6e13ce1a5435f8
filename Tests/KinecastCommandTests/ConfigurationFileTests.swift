// The text of kinecast.conf: what is read, refused, written and printed.
import CoreTesting
import KineConfiguration
import KineProgram
import KineText
import Testing

@testable import KinecastCommand

@Suite struct ConfigurationFileTests {
    typealias Examples = ConfigurationExamples

    @Test(arguments: ConfigurationExamples.recordings)
    func `each text gives a recording these options`(text: String, arguments: [String]) throws {
        #expect(try Examples.arguments(Examples.layers(text), ["record"]) == ["record"] + arguments)
    }

    @Test(arguments: ConfigurationExamples.broadcasts)
    func `each text gives a broadcast these options`(text: String, arguments: [String]) throws {
        #expect(try Examples.arguments(Examples.layers(text), ["broadcast"]) == ["broadcast"] + arguments)
    }

    @Test(arguments: ConfigurationExamples.refusals)
    func `a line that cannot be used is named in one sentence`(text: String, line: Int, words: String) {
        let failure = #expect(throws: CommandFailure.self) { try Examples.file(text) }
        Examples.expectSentence(failure)
        #expect(failure?.message.hasPrefix("/c/kinecast.conf:\(line): ") == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
    }

    @Test(.tags(.slow), arguments: ConfigurationExamples.wrongValues)
    func `a value that the option does not accept is answered with its form and its line`(
        text: String, words: String
    ) throws {
        let failure = #expect(throws: CommandFailure.self) { try Examples.layers(text).check() }
        Examples.expectSentence(failure)
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
    }

    @Test(.tags(.slow)) func `no example that is used is refused by the commands`() throws {
        for (text, _) in Examples.recordings + Examples.broadcasts where !text.contains("output = -") {
            #expect(throws: Never.self, "\(text)") { try Examples.layers(text).check() }
        }
    }

    @Test func `a file of more than 64 kB is refused`() {
        let failure = #expect(throws: CommandFailure.self) {
            try Examples.file(String(repeating: "#\n", count: 40_000))
        }
        #expect(failure?.message == "/c/kinecast.conf has more than 64 kB; shorten it.")
    }

    @Test func `a change leaves comments, order and all other lines as they are`() throws {
        let text = "# mine\n[record]\n# fast\nfps = 30\n\n[broadcast]\n# for all\ntitle = Show\n"
        func changed(_ name: String, _ values: [String], _ command: ConfiguredCommand, _ profile: String? = nil) throws
            -> String
        {
            let section = ConfigurationSection(command: command, profile: profile)
            return String(escaping: try Examples.file(text).setting(name, to: values, in: section).bytes)
        }
        #expect(try changed("fps", ["60"], .record) == text.replacing("fps = 30", with: "fps = 60"))
        #expect(try changed("mic", ["usb"], .record) == text.replacing("fps = 30", with: "fps = 30\nmic = usb"))
        #expect(try changed("title", [" a"], .broadcast) == text.replacing("title = Show", with: "title = \" a\""))
        #expect(try changed("fps", [], .record) == text.replacing("fps = 30\n", with: ""))
        #expect(try changed("fps", [], .broadcast) == text)
        #expect(
            try changed("exclude", ["app:a", "app:b"], .record)
                == text.replacing("fps = 30", with: "fps = 30\nexclude = app:a\nexclude = app:b"))
        #expect(try changed("fps", ["24"], .record, "film") == text + "\n[record film]\nfps = 24\n")
        for (name, values) in [("fps", ["1", "2"]), ("fsp", ["1"]), ("to", ["@a"]), ("json", ["true"])] {
            #expect(throws: CommandFailure.self) { try changed(name, values, .record) }
        }
        #expect(throws: CommandFailure.self) { try changed("fps", ["1"], .record, "a b") }
        let new = try Examples.file("").setting("fps", to: ["60"], in: ConfigurationSection(command: .record))
        #expect(String(escaping: new.bytes) == "[record]\nfps = 60\n")
        let list = try Examples.file("[record]\nexclude = app:a\nfps = 1\nexclude = app:b")
        let one = try list.setting("exclude", to: ["app:c"], in: ConfigurationSection(command: .record))
        #expect(String(escaping: one.bytes) == "[record]\nexclude = app:c\nfps = 1\n")
    }

    @Test func `new lines of a file from Windows end as its others do`() throws {
        let file = try Examples.file("[record]\r\nfps = 30\r\n\r\n")
        let section = ConfigurationSection(command: .record)
        let changed = try file.setting("fps", to: ["60"], in: section).setting("mic", to: ["usb"], in: section)
        #expect(String(escaping: changed.bytes) == "[record]\r\nfps = 60\r\nmic = usb\r\n\r\n")
        let talk = ConfigurationSection(command: .record, profile: "talk")
        let added = try file.setting("fps", to: ["24"], in: talk)
        #expect(String(escaping: added.bytes) == "[record]\r\nfps = 30\r\n\r\n[record talk]\r\nfps = 24\r\n")
    }

    @Test func `a profile is written as a whole, with what its writer does not know, and removed again`() throws {
        let text = "[record]\nfps = 30\n\n# talks\n[record talk]\n# long\nduration = 45m\nbitrate = 4M\nfps = 24\n"
        let section = ConfigurationSection(command: .record, profile: "talk")
        func options(_ pairs: [(String, String)]) throws -> [ConfiguredOption] {
            try pairs.map { try ConfiguredOption(.record, $0.0, $0.1, from: .name("test")) }
        }
        let names: Set = ["fps", "quality", "exclude", "mic", "monitor"]
        let new = try options([("mic", "usb"), ("quality", "18"), ("exclude", "app:a"), ("exclude", "app:b")])
        let file = try Examples.file(text)
        let changed = try file.setting(new, inPlaceOf: names, in: section)
        #expect(
            String(escaping: changed.bytes) == text.replacing("bitrate = 4M\nfps = 24\n", with: "")
                + "mic = usb\nquality = 18\nexclude = app:a\nexclude = app:b\n")
        #expect(try changed.setting(new, inPlaceOf: names, in: section).bytes == changed.bytes)
        let empty = ConfigurationSection(command: .record, profile: "bug")
        let added = try file.setting([], inPlaceOf: names, in: empty)
        #expect(String(escaping: added.bytes) == text + "\n[record bug]\n" && added.profiles(of: .broadcast) == [])
        #expect(added.profiles(of: .record) == ["bug", "talk"])
        #expect(try added.removing(empty).bytes == file.bytes)
        #expect(String(escaping: try file.removing(section).bytes) == "[record]\nfps = 30\n\n# talks\n")
        #expect(throws: CommandFailure.self) { try file.removing(empty) }
    }

    /// The text that `kinecast config` prints for a command.
    private func printed(_ command: ConfiguredCommand, _ options: [ConfiguredOption]) -> String {
        ConfigurationFile.text(ConfigurationSection(command: command), options).joined(separator: "\n")
    }

    @Test func `what is printed says where each value is set, and can be read again`() throws {
        let layers = try Examples.layers("[record]\nfps = 30\noutput = \" a\"", ["KINECAST_RECORD_MIC=usb"])
        #expect(
            try printed(.record, layers.options(of: .record, profile: nil)) == """
                [record]
                # /c/kinecast.conf:2
                fps = 30
                # /c/kinecast.conf:3
                output = " a"
                # KINECAST_RECORD_MIC
                mic = usb
                """)
    }

    @Test(.tags(.slow)) func `ten thousand changed files are used and printed the same, or refused in one sentence`()
        throws
    {
        let seeds =
            (Examples.recordings + Examples.broadcasts).map { $0.0.unescaped } + [
                Array("[shortcuts]\nrecord = Super+Shift+R\nclip = Print\nmark = ctrl+Page_Up\n".utf8),
                Array("[studio]\nbrowser = firefox --new-window %s\n".utf8),
            ]
        var mutator = TextMutator(seeds: seeds, generator: SeededGenerator())
        var (used, refused) = (0, 0)
        for number in 0..<10_000 {
            let bytes = mutator.next()
            let layers: ConfigurationLayers
            do throws(CommandFailure) {
                layers = ConfigurationLayers(file: try ConfigurationFile(bytes, path: Examples.path), environment: [])
            } catch {
                refused += 1
                if !error.message.hasPrefix("/c/kinecast.conf:") || !error.message.isPrintable {
                    Issue.record("\(bytes) is refused with: \(error.message)")
                }
                continue
            }
            used += 1
            for command in ConfiguredCommand.allCases {
                for profile in layers.file.profiles.map({ Optional($0) }) + [nil] {
                    let options = try layers.options(of: command, profile: profile)
                    let text = printed(command, options)
                    let again = try Examples.layers(text).options(of: command, profile: nil)
                    let isSame = zip(options, again).allSatisfy { one, other in
                        one.key.name == other.key.name && one.value.utf8.elementsEqual(other.value.utf8)
                    }
                    if !isSame || options.count != again.count { Issue.record("\(bytes) is printed as: \(text)") }
                    if command == .shortcuts { expectKeys(options) }
                    // ArgumentParser takes long in a debug build.
                    guard command.hasOptions, number.isMultiple(of: 100) else { continue }
                    do throws(CommandFailure) {
                        try options.check(for: command)
                    } catch {
                        #expect(error.message.contains("is set by /c/kinecast.conf:"), "\(bytes): \(error.message)")
                    }
                }
            }
        }
        #expect(used > 1000 && refused > 1000, "\(used) files are used, \(refused) refused")
    }
}

/// Keys are used and printed the same, or refused in one sentence.
private func expectKeys(_ options: [ConfiguredOption]) {
    do throws(CommandFailure) {
        for key in try ShortcutKeys(options).keys.values where (try? KeyCombination(key.description)) != key {
            Issue.record("\(key) is printed otherwise")
        }
    } catch {
        #expect(error.message.hasPrefix("/c/kinecast.conf:") && error.message.isPrintable, "\(error.message)")
    }
}

/// Makes texts out of others by chance.
private struct TextMutator {
    let seeds: [[UInt8]]
    var generator: SeededGenerator

    private static let words = [
        "\n[record]\n", "\n[broadcast talk]\n", "\nfps = 60\n", "\nexclude = app:a\n", "\"", "=", "#", "\n", "\r\n",
        " ", "~/", "-", "true", "\u{301}", "rtmp://h/a/hush", "\0", "\n[shortcuts]\n", "\npause = Super+F35\n",
    ].map { Array($0.utf8) }

    mutating func next() -> [UInt8] {
        var bytes = seeds.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let start = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 0...6, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0 where start < bytes.count: bytes[start] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.removeSubrange(start..<end)
            case 2: bytes += seeds.randomElement(using: &generator) ?? []
            case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
            default: bytes.insert(contentsOf: Self.words.randomElement(using: &generator) ?? [], at: start)
            }
        }
        return bytes
    }
}
