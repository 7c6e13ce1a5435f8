// Keys as a person writes them: what each means, how it is printed, and why others are refused.
import CoreTesting
import KineConfiguration
import KineProgram
import KineText
import Testing

@Suite struct KeyCombinationTests {
    @Test(arguments: [
        ("Super+Shift+R", "Super+Shift+R", "LOGO+SHIFT+r"), ("shift+super+r", "Super+Shift+R", "LOGO+SHIFT+r"),
        ("LOGO+SHIFT+r", "Super+Shift+R", "LOGO+SHIFT+r"), (" Win + r ", "Super+R", "LOGO+r"),
        ("Ctrl+Alt+F9", "Ctrl+Alt+F9", "CTRL+ALT+F9"), ("control+alt+f9", "Ctrl+Alt+F9", "CTRL+ALT+F9"),
        ("Print", "Print", "Print"), ("PRINT", "Print", "Print"), ("Shift+Print", "Shift+Print", "SHIFT+Print"),
        ("f1", "F1", "F1"), ("Pause", "Pause", "Pause"), ("Ctrl+1", "Ctrl+1", "CTRL+1"),
        ("xf86audiorecord", "XF86AudioRecord", "XF86AudioRecord"), ("Ctrl+ctrl+a", "Ctrl+A", "CTRL+a"),
        ("Ctrl+comma", "Ctrl+comma", "CTRL+comma"), ("Ctrl+,", "Ctrl+comma", "CTRL+comma"),
        ("Ctrl++", "Ctrl+plus", "CTRL+plus"), ("Ctrl+plus", "Ctrl+plus", "CTRL+plus"),
        ("Super+home", "Super+Home", "LOGO+Home"), ("Ctrl+KP_1", "Ctrl+KP_1", "CTRL+KP_1"),
        ("Alt+É", "Alt+eacute", "ALT+eacute"), ("Super+ф", "Super+Cyrillic_ef", "LOGO+Cyrillic_ef"),
        ("Super+Cyrillic_EF", "Super+Cyrillic_ef", "LOGO+Cyrillic_ef"), ("Super+space", "Super+space", "LOGO+space"),
    ])
    func `each form is read, printed in one form, and offered to a desktop`(
        text: String, printed: String, trigger: String
    ) throws {
        let key = try KeyCombination(text)
        #expect(key.description == printed)
        #expect(key.trigger == trigger)
        #expect(try KeyCombination(printed) == key && KeyCombination(trigger) == key)
    }

    private static let refusals: [(String, KeyCombination.Problem)] = [
        ("R", .writes("R")), ("Shift+r", .writes("r")), ("space", .writes("space")),
        ("Return", .writes("Return")), ("Shift+Left", .writes("Left")), ("", .missingKey), ("Ctrl+", .missingKey),
        ("+", .writes("plus")), ("Super+", .missingKey), ("Super", .modifierAlone("Super")),
        ("Ctrl+Shift", .modifierAlone("Shift")), ("Ctrl+Shift_L", .modifierAlone("Shift_L")),
        ("Ctrl+Num_Lock", .modifierAlone("Num_Lock")), ("Ctrl+ISO_Level3_Shift", .modifierAlone("ISO_Level3_Shift")),
        ("Hyper+R", .unknownModifier("Hyper")), ("+R", .unknownModifier("")), ("Ctrl-R", .unknownKey("Ctrl-R")),
        ("Ctrl+Foo", .unknownKey("Foo")), ("Ctrl+r r", .unknownKey("r r")), ("Ctrl+F99", .unknownKey("F99")),
        ("Ctrl+<R>", .unknownKey("<R>")), ("R+Ctrl", .unknownModifier("R")),
    ]

    @Test(arguments: refusals)
    func `other forms are refused with the part that is wrong`(text: String, problem: KeyCombination.Problem) {
        #expect(throws: problem) { try KeyCombination(text) }
        let words = "\(problem)"
        #expect(words.contains("; ") && !words.hasSuffix(".") && words.isPrintable, "\(words)")
    }

    @Test func `ten thousand random texts are refused, or printed so that they mean the same`() throws {
        var generator = SeededGenerator()
        let parts = [
            "Ctrl", "Super", "shift", "Alt", "+", "+", "+", " ", "r", "R", "F", "1", "9", "Print", "XF86", "Audio", "_",
            "KP_", "U", "0x", "ff61", "dead_", "acute", "Cyrillic_", "é", "ф", "Ω", "ß", "😀", "\u{301}", "\0", "\n",
            "\u{202e}", "-", "<", "ISO_", "Lock", "Escape",
        ]
        for _ in 0..<10_000 {
            let count = Int.random(in: 0...7, using: &generator)
            let text = (0..<count).compactMap { _ in parts.randomElement(using: &generator) }.joined()
            do throws(KeyCombination.Problem) {
                let key = try KeyCombination(text)
                #expect(key.description.isPrintable)
                for form in [key.description, key.trigger] where (try? KeyCombination(form)) != key {
                    Issue.record("\(text.debugDescription) is printed as \(form)")
                }
            } catch {
                if !"\(error)".isPrintable { Issue.record("\(text.debugDescription) is refused with \(error)") }
            }
        }
    }

    // MARK: The section of the file

    private func keys(_ text: String) throws -> ShortcutKeys {
        try ShortcutKeys(ConfigurationExamples.layers(text).options(of: .shortcuts, profile: nil))
    }

    @Test func `the section gives actions their keys, and a variable replaces one`() throws {
        let text = "[record]\nfps = 60\n[shortcuts]\nrecord = super+shift+r\nclip = Print\n"
        let found = try keys(text)
        #expect(found.keys.mapValues(\.description) == ["record": "Super+Shift+R", "clip": "Print"])
        let layers = try ConfigurationExamples.layers(text, ["KINECAST_SHORTCUTS_CLIP=Pause"])
        let replaced = try ShortcutKeys(layers.options(of: .shortcuts, profile: nil))
        #expect(replaced.keys["clip"]?.description == "Pause")
        #expect(try ConfigurationExamples.arguments(layers, ["record"]) == ["record", "--fps", "60"])
    }

    @Test(arguments: [
        ("[shortcuts]\nrecord = R", 2, "record: R would be taken from every program"),
        ("[shortcuts]\nrecord = Print\nclip = print", 3, "Print is the key of record already"),
        ("[shortcuts]\nstop = Print", 2, "shortcuts has no option stop"),
        ("[shortcuts talk]\nrecord = Print", 1, "this is no section"),
    ])
    func `a key that cannot be used is named with its line`(text: String, line: Int, words: String) {
        let failure = #expect(throws: CommandFailure.self) { try keys(text) }
        ConfigurationExamples.expectSentence(failure)
        #expect(failure?.message.hasPrefix("/c/kinecast.conf:\(line): \(words)") == true, "\(failure?.message ?? "")")
    }

    @Test func `the usual keys are keys`() throws {
        #expect(DesktopAction.allCases.map(\.rawValue) == ConfiguredCommand.shortcuts.keys.map(\.name))
        let keys = DesktopAction.allCases.map(\.usualKey)
        for key in keys { #expect(try KeyCombination(key).description == key) }
        #expect(Set(keys).count == keys.count)
    }
}
