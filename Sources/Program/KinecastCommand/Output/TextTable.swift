// Aligned columns, as in `status`, `sources` and `services`.

enum TextTable {
    /// Two spaces between the columns; the first row is the heading.
    static func lines(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                if column + 1 < row.count { line += String(repeating: " ", count: widths[column] - cell.columns + 2) }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// A table with further rows below each row: `below` has these rows, and `mark` stands before each of them.
    static func lines(_ rows: [[String]], below: [[[String]]], mark: String) -> [String] {
        var rest = lines(below.flatMap(\.self))[...]
        return zip(lines(rows), below).flatMap { row, part in
            defer { rest = rest.dropFirst(part.count) }
            return [row] + rest.prefix(part.count).map { mark + $0 }
        }
    }
}

// The width of a text in terminal columns. The C library's wcwidth depends on the locale, which may be plain C.
extension String {
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The beginning of the text in at most this many columns, with an ellipsis if it was cut.
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
        // The first scalar has the width; the others are accents and joiners, which add none.
        guard let scalar = unicodeScalars.first, scalar.value >= 0x1100 else { return 1 }
        let isWide =
            unicodeScalars.contains(where: \.properties.isEmojiPresentation) || unicodeScalars.contains("\u{fe0f}")
            || Self.wide.contains { $0.contains(scalar.value) }
        return isWide ? 2 : 1
    }
}
