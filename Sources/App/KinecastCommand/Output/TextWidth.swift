// The width of a text in a terminal's columns. The C library's wcwidth depends on the locale, which may be plain C.

extension String {
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The text's beginning in at most so many columns, with an ellipsis at the end where something is left out.
    func cut(to columns: Int) -> String {
        guard self.columns > columns else { return self }
        var width = 0
        let kept = prefix { character in
            width += character.columns
            return width < columns
        }
        return columns > 0 ? kept + "…" : ""
    }
}

extension Character {
    /// The blocks of wide and full-width characters (Unicode Standard Annex 11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2e80...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
        0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd,
    ]

    fileprivate var columns: Int {
        // The first scalar decides: those behind it are accents and the like.
        guard let scalar = unicodeScalars.first, scalar.value >= 0x1100 else { return 1 }
        let isWide =
            unicodeScalars.contains(where: \.properties.isEmojiPresentation) || unicodeScalars.contains("\u{fe0f}")
            || Self.wide.contains { $0.contains(scalar.value) }
        return isWide ? 2 : 1
    }
}
