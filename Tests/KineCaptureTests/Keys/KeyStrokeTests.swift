import Testing

// The names of keys and of combinations, and what counts as typed.
@testable import KineX11

@Suite struct KeyStrokeTests {
    private func stroke(_ key: Character, text: String? = nil, _ modifiers: KeyStroke.Modifiers = []) -> KeyStroke? {
        // Latin-1's characters are their own symbols (X11 protocol, Appendix A).
        KeyStroke(
            keysym: key.unicodeScalars.first?.value ?? 0, character: key, text: text ?? String(key), modifiers)
    }

    private func stroke(symbol: UInt32, text: String = "", _ modifiers: KeyStroke.Modifiers = []) -> KeyStroke? {
        KeyStroke(keysym: symbol, character: nil, text: text, modifiers)
    }

    @Test func `a combination with Ctrl, Alt or Super is a shortcut, in that order, with the key's own letter`() {
        #expect(stroke("t", text: "T", [.shift, .control]) == .shortcut("Ctrl + Shift + T"))
        #expect(stroke("ö", [.super]) == .shortcut("Super + Ö"))
        #expect(stroke("с", text: "\u{3}", [.control]) == .shortcut("Ctrl + С"))
        #expect(stroke(" ", [.control]) == .shortcut("Ctrl + Space"))
        #expect(stroke(symbol: 0xff09, text: "\t", [.alt]) == .shortcut("Alt + Tab"))
        #expect(stroke(symbol: 0xffff, [.control, .alt]) == .shortcut("Ctrl + Alt + Delete"))
    }

    @Test func `keys that never write are shortcuts by themselves`() {
        #expect(stroke(symbol: 0xffbe) == .shortcut("F1"))
        #expect(stroke(symbol: 0xffc9, [.shift]) == .shortcut("Shift + F12"))
        #expect(stroke(symbol: 0xff1b, text: "\u{1b}") == .shortcut("Esc"))
    }

    @Test func `everything that writes or moves in a text is typed, with Shift or AltGr too`() {
        #expect(stroke("a") == .typed("a"))
        #expect(stroke("a", text: "A", [.shift]) == .typed("A"))
        #expect(stroke("q", text: "@") == .typed("@"))
        #expect(stroke("7") == .typed("7"))
        #expect(stroke(" ") == .typed("Space"))
        #expect(stroke(symbol: 0xff0d, text: "\r") == .typed("Enter"))
        #expect(stroke(symbol: 0xff08, text: "\u{8}") == .typed("Backspace"))
        #expect(stroke(symbol: 0xff51, [.shift]) == .typed("Shift + Left"))
    }

    @Test func `a modifier or a dead key is nothing by itself`() {
        for symbol: UInt32 in [0xffe1, 0xffe3, 0xffe9, 0xffeb, 0xfe03, 0xff7e, 0xff7f, 0xfe51] {
            #expect(stroke(symbol: symbol) == nil)
        }
        #expect(stroke(symbol: 0xffe3, [.control]) == nil)
        #expect(stroke(symbol: 0x123, text: "\u{202e}") == nil)
    }

    @Test func `terminals are known by their class`() {
        for name in [
            "XTerm", "Gnome-terminal", "kitty", "Alacritty", "org.wezfurlong.wezterm", "konsole", "st-256color",
        ] {
            #expect(Terminals.contain(name), "\(name)")
        }
        for name in ["firefox", "Zenity", "Gedit", "Steam"] { #expect(!Terminals.contain(name), "\(name)") }
    }
}
