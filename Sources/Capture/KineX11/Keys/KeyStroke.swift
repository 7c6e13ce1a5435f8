// A pressed key for display. Pure: the keyboard's mapping is its input.

enum KeyStroke: Equatable {
    /// A command, never part of a text: Ctrl + S, F5.
    case shortcut(String)
    /// Part of typing: a letter, Enter, keys that move or delete.
    case typed(String)

    struct Modifiers: OptionSet {
        let rawValue: Int
        static let control = Modifiers(rawValue: 1)
        static let alt = Modifiers(rawValue: 2)
        static let shift = Modifiers(rawValue: 4)
        static let `super` = Modifiers(rawValue: 8)
    }

    /// Nil for a key without a meaning of its own, such as Shift.
    ///
    /// - Parameters:
    ///   - keysym: the key's symbol without modifiers (X11 protocol, Appendix A; xkbcommon-keysyms.h).
    ///   - character: the character of that symbol, if it has one.
    ///   - text: the text that the key writes with the current modifiers.
    ///   - modifiers: the held modifiers, without AltGr, which is for typing.
    init?(keysym: UInt32, character: Character?, text: String, _ modifiers: Modifiers) {
        guard !Self.isModifier(keysym) else { return nil }
        let name = Self.command(keysym) ?? Self.names[keysym]
        if !modifiers.isDisjoint(with: [.control, .alt, .super]) || Self.command(keysym) != nil {
            guard let key = name ?? character.flatMap(Self.printable)?.uppercased() else { return nil }
            self = .shortcut((Self.list(modifiers) + [key]).joined(separator: " + "))
        } else if let name {
            self = .typed(((modifiers.contains(.shift) ? ["Shift"] : []) + [name]).joined(separator: " + "))
        } else {
            guard text.count == 1, let written = text.first.flatMap(Self.printable) else { return nil }
            self = .typed(written)
        }
    }

    private static func list(_ modifiers: Modifiers) -> [String] {
        let all: [(Modifiers, String)] = [(.control, "Ctrl"), (.alt, "Alt"), (.shift, "Shift"), (.super, "Super")]
        return all.filter { modifiers.contains($0.0) }.map(\.1)
    }

    private static func printable(_ character: Character) -> String? {
        let isPlain = character.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        return isPlain && !character.isWhitespace ? String(character) : nil
    }

    /// Shift to Hyper, the shifts to other levels and layouts, Num Lock and Scroll Lock.
    private static func isModifier(_ keysym: UInt32) -> Bool {
        (0xffe1...0xffee).contains(keysym) || (0xfe01...0xfe13).contains(keysym)
            || [0xff7e, 0xff7f, 0xff14].contains(keysym)
    }

    /// The keys that never write and never move in a text.
    private static func command(_ keysym: UInt32) -> String? {
        switch keysym {
        case 0xffbe...0xffe0: "F\(keysym - 0xffbd)"
        case 0xff1b: "Esc"
        case 0xff61: "Print Screen"
        case 0xff13: "Pause"
        case 0xff67: "Menu"
        default: nil
        }
    }

    private static let names: [UInt32: String] = [
        0xff0d: "Enter", 0xff8d: "Enter", 0xff09: "Tab", 0xfe20: "Tab", 0xff08: "Backspace", 0xffff: "Delete",
        0xff63: "Insert", 0xff50: "Home", 0xff57: "End", 0xff55: "Page Up", 0xff56: "Page Down", 0xff51: "Left",
        0xff52: "Up", 0xff53: "Right", 0xff54: "Down", 0x20: "Space",
    ]
}

/// Programs whose windows may contain anything typed, including passwords, without reporting it.
enum Terminals {
    /// The terminals without "term" in their class.
    private static let others: Set<String> = [
        "alacritty", "cool-retro-term", "com.mitchellh.ghostty", "foot", "footclient", "ghostty", "guake", "hyper",
        "kgx",
        "kitty", "konsole", "org.gnome.console", "org.gnome.ptyxis", "rio", "rxvt", "st", "st-256color", "tabby",
        "tilda",
        "tilix", "tym", "urxvt", "warp", "contour", "yakuake", "zutty",
    ]

    /// Whether a window with this WM_CLASS is a terminal.
    static func contain(_ application: String) -> Bool {
        let name = application.lowercased()
        return name.contains("term") || others.contains(name)
    }
}
