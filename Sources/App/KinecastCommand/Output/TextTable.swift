// Columns side by side, as `status`, `sources` and `services` print them.

enum TextTable {
    /// Two spaces between the columns; the first row is the heading.
    static func lines(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                if column + 1 < row.count { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// One table with parts of another between its rows: beneath each row its part of `below`, with `mark` before each line.
    static func lines(_ rows: [[String]], below: [[[String]]], mark: String) -> [String] {
        var rest = lines(below.flatMap(\.self))[...]
        return zip(lines(rows), below).flatMap { row, part in
            defer { rest = rest.dropFirst(part.count) }
            return [row] + rest.prefix(part.count).map { mark + $0 }
        }
    }
}
