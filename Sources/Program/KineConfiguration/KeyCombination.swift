// A key with modifiers as a person writes it: Super+Shift+R, Ctrl+Alt+F9, Print. Keys have XKB's names
// (xkbcommon-keysyms.h), which libxkbcommon knows.
import CXKB
import KineText

/// A key that can be taken from all other programs: it writes nothing, or Ctrl, Alt or Super is held with it.
package struct KeyCombination: Hashable, Sendable, CustomStringConvertible {
    package struct Modifiers: OptionSet, Hashable, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let `super` = Modifiers(rawValue: 1)
        package static let control = Modifiers(rawValue: 2)
        package static let alt = Modifiers(rawValue: 4)
        package static let shift = Modifiers(rawValue: 8)
    }

    package enum Problem: Error, Equatable, CustomStringConvertible {
        case noLibrary
        case missingKey
        case unknownKey(String)
        case unknownModifier(String)
        /// The key is a modifier itself, or a lock.
        case modifierAlone(String)
        case writes(String)

        /// A clause with what to write instead. It does not end with a full stop.
        package var description: String {
            switch self {
            case .noLibrary: "the names of keys need libxkbcommon; install libxkbcommon0"
            case .missingKey: "a key is missing; write one such as Super+Shift+R, Ctrl+Alt+F9 or Print"
            case .unknownKey(let word):
                "no key is called \(word.printable(limit: 40)); write one such as Super+Shift+R, Ctrl+Alt+F9 or Print"
            case .unknownModifier(let word):
                "\(word.isEmpty ? "nothing" : word.printable(limit: 40)) is no modifier; write Super, Ctrl, Alt or Shift in "
                    + "front of the key"
            case .modifierAlone(let word):
                "\(word.printable(limit: 40)) is no key by itself; add one, as in Super+Shift+R"
            case .writes(let word):
                "\(word.printable(limit: 40)) would be taken from every program; add Super, Ctrl or Alt to it"
            }
        }
    }

    package let modifiers: Modifiers
    /// The symbol that the key gives without Shift.
    package let symbol: UInt32

    /// Any case of letters, and blanks around the signs.
    package init(_ text: String) throws(Problem) {
        guard kine_load_xkbcommon() != 0 else { throw .noLibrary }
        var words = text.split(separator: "+", omittingEmptySubsequences: false).map {
            $0.split(separator: " ").joined(separator: " ")
        }
        // The plus key, as in Ctrl++.
        if words.suffix(2) == ["", ""] { words = words.dropLast(2) + ["plus"] }
        var modifiers: Modifiers = []
        for word in words.dropLast() {
            guard let modifier = Self.modifiers[word.lowercased()] else { throw .unknownModifier(word) }
            modifiers.insert(modifier)
        }
        guard let word = words.last, !word.isEmpty else { throw .missingKey }
        let symbol = Self.symbol(word)
        if Self.isModifier(symbol) || Self.modifiers[word.lowercased()] != nil { throw .modifierAlone(word) }
        guard symbol != 0 else { throw .unknownKey(word) }
        guard !modifiers.isDisjoint(with: [.super, .control, .alt]) || Self.isCommand(symbol) else {
            throw .writes(word)
        }
        (self.modifiers, self.symbol) = (modifiers, symbol)
    }

    private static let modifiers: [String: Modifiers] = [
        "super": .super, "logo": .super, "win": .super, "ctrl": .control, "control": .control, "alt": .alt,
        "shift": .shift,
    ]

    /// 0 if no key has that name.
    private static func symbol(_ word: String) -> UInt32 {
        if word.unicodeScalars.count == 1, let scalar = word.unicodeScalars.first {
            guard scalar.properties.generalCategory != .control else { return 0 }
            return xkb_keysym_to_lower(xkb_utf32_to_keysym(scalar.value))
        }
        guard word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }) else { return 0 }
        return xkb_keysym_to_lower(xkb_keysym_from_name(word, XKB_KEYSYM_CASE_INSENSITIVE))
    }

    /// Shift to Hyper, the shifts to other levels and layouts, and the locks.
    private static func isModifier(_ symbol: UInt32) -> Bool {
        (0xffe1...0xffee).contains(symbol) || (0xfe01...0xfe13).contains(symbol)
            || [0xff7e, 0xff7f, 0xff14].contains(symbol)
    }

    /// F1 to F35, Print, Pause, Sys_Req, Break, and the keys for media and programs (XF86…).
    private static func isCommand(_ symbol: UInt32) -> Bool {
        (0xffbe...0xffe0).contains(symbol) || [0xff61, 0xff13, 0xff15, 0xff6b].contains(symbol)
            || (0x1008_1000...0x1008_ffff).contains(symbol)
    }

    /// XKB's name of the symbol.
    private var name: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let base = buffer.baseAddress, xkb_keysym_get_name(symbol, base, buffer.count) > 0 else { return "" }
            return String(cString: base)
        }
    }

    /// The one form that is printed, `Super+Shift+R`.
    package var description: String {
        joined(["Super", "Ctrl", "Alt", "Shift"], name.utf8.count == 1 ? name.uppercased() : name)
    }

    /// The form of freedesktop.org's shortcuts specification, `LOGO+SHIFT+r`.
    package var trigger: String { joined(["LOGO", "CTRL", "ALT", "SHIFT"], name) }

    private func joined(_ names: [String], _ key: String) -> String {
        let order: [Modifiers] = [.super, .control, .alt, .shift]
        return (zip(order, names).filter { modifiers.contains($0.0) }.map(\.1) + [key]).joined(separator: "+")
    }
}
