// A keyboard's keys and modifiers by their symbols. Pure: X11Shortcuts reads the mapping.
import KineConfiguration

/// A keyboard's mapping, as far as grabs need it.
struct X11KeyMap: Equatable {
    /// The symbols of each keycode without Shift, by layout. Keys of the number pad also have those with Shift.
    var symbols: [UInt8: [[UInt32]]] = [:]
    /// The keycodes of the eight modifiers, from Shift to Mod5 (X11 protocol, GetModifierMapping).
    var modifiers: [Set<UInt8>] = []

    private static let shift: UInt16 = 1
    private static let lock: UInt16 = 2
    private static let control: UInt16 = 4

    /// The keycodes to grab, and the modifiers that must be held, without locks.
    struct Grab: Equatable {
        /// For each layout.
        var keys: [Set<UInt8>]
        var mask: UInt16

        var allKeys: Set<UInt8> { keys.reduce(into: []) { $0.formUnion($1) } }
    }

    /// Nil if no key gives the symbol, or a modifier has no key.
    func grab(of combination: KeyCombination) -> Grab? {
        guard let mask = self.mask(of: combination.modifiers) else { return nil }
        let count = symbols.values.map(\.count).max() ?? 0
        let found = (0..<count).map { layout in
            // A key with fewer layouts begins again with its first.
            Set(symbols.filter { $0.value[layout % $0.value.count].contains(combination.symbol) }.keys)
        }
        // A layout without the symbol, Cyrillic for example, has the key in the place of another layout.
        guard let first = found.first(where: { !$0.isEmpty }) ?? usualKey(of: combination.symbol) else { return nil }
        return Grab(keys: found.map { $0.isEmpty ? first : $0 }, mask: mask)
    }

    /// The key that has the symbol in the layout `us`, for a keyboard that does not write it: Greek alone, or French with
    /// its digits. Nil if there is none.
    private func usualKey(of symbol: UInt32) -> Set<UInt8>? {
        for (first, row) in Self.usualRows {
            // The symbols of ASCII have its numbers.
            guard let place = row.unicodeScalars.map(\.value).firstIndex(of: symbol) else { continue }
            let key = first + UInt8(place)
            return symbols[key] == nil ? nil : [key]
        }
        return nil
    }

    /// The rows of the layout `us` without Shift, by their first keycodes (xkeyboard-config, keycodes/evdev and symbols/us).
    private static let usualRows: [(first: UInt8, row: String)] = [
        (10, "1234567890-="), (24, "qwertyuiop[]"), (38, "asdfghjkl;'`"), (51, "\\zxcvbnm,./"),
    ]

    /// The states that do not count: Caps Lock, Num Lock and Scroll Lock.
    var ignored: UInt16 { Self.lock | bits(of: [0xff7f]) | bits(of: [0xff14]) }

    /// Each combination of the states that do not count.
    var ignoredStates: [UInt16] {
        let counted = ~ignored
        return (0...UInt16(UInt8.max)).filter { $0 & counted == 0 }
    }

    /// Whether an event is a press of this grab.
    ///
    /// - Parameter state: as in the event: modifiers in the lowest eight bits, the layout in bits 13 and 14 (X keyboard
    ///   extension, "Computing Effective Modifier and Group").
    func isPress(of grab: Grab, key: UInt8, state: UInt16) -> Bool {
        guard state & 0xff & ~ignored == grab.mask, !grab.keys.isEmpty else { return false }
        return grab.keys[Int(state >> 13 & 3) % grab.keys.count].contains(key)
    }

    private func mask(of wanted: KeyCombination.Modifiers) -> UInt16? {
        var mask: UInt16 = 0
        if wanted.contains(.shift) { mask |= Self.shift }
        if wanted.contains(.control) { mask |= Self.control }
        // Super_L and Super_R, Alt_L and Alt_R.
        let others: [KeyCombination.Modifiers: Set<UInt32>] = [.super: [0xffeb, 0xffec], .alt: [0xffe9, 0xffea]]
        for (modifier, symbols) in others where wanted.contains(modifier) {
            let bits = self.bits(of: symbols)
            guard bits != 0 else { return nil }
            mask |= 1 << UInt16(bits.trailingZeroBitCount)
        }
        return mask
    }

    /// The modifiers that a key with one of these symbols sets.
    private func bits(of wanted: Set<UInt32>) -> UInt16 {
        var bits: UInt16 = 0
        for (index, keys) in modifiers.enumerated() {
            let given = keys.flatMap { symbols[$0] ?? [] }.flatMap(\.self)
            if !wanted.isDisjoint(with: given) { bits |= 1 << UInt16(index) }
        }
        return bits
    }
}
