// The part of a frame that differs from the previous one, one bit for each 16×16 tile: the macroblock grid of H.264, so
// that the encoder uses it directly. A union is an OR: it never grows, and needs no simplification.

/// The 16×16 tiles of a frame that may differ from the previous frame.
public struct DamageRegion: Equatable, Sendable {
    /// The side of a tile in pixels, an H.264 macroblock (ITU-T H.264, 3.91).
    public static let tileSide = 16

    /// The size of the frame, in pixels.
    public let size: PixelSize
    /// Tiles across and down; the last column and row may exceed the frame.
    public let columns: Int
    public let rows: Int
    /// `rows` runs of `wordsPerRow` words, the lowest bit the leftmost tile.
    public private(set) var words: [UInt64]
    public let wordsPerRow: Int

    /// A region with no tile set.
    public init(size: PixelSize) {
        self.size = size
        columns = (size.width + Self.tileSide - 1) / Self.tileSide
        rows = (size.height + Self.tileSide - 1) / Self.tileSide
        wordsPerRow = (columns + 63) / 64
        words = [UInt64](repeating: 0, count: wordsPerRow * rows)
    }

    /// A region with these words, in the layout of `words`; nil if their number is wrong.
    public init?(size: PixelSize, words: UnsafeBufferPointer<UInt64>) {
        self.init(size: size)
        guard words.count == self.words.count else { return nil }
        self.words = Array(words)
    }

    /// A region with every tile set.
    public static func full(size: PixelSize) -> DamageRegion {
        var region = DamageRegion(size: size)
        region.insertAll()
        return region
    }

    /// The same tiles in a frame of another size with the same grid: an odd size, and the next even one.
    package init(_ region: DamageRegion, size: PixelSize) {
        self.init(size: size)
        precondition(columns == region.columns && rows == region.rows, "damage of another frame size")
        words = region.words
    }

    public var isEmpty: Bool { words.allSatisfy { $0 == 0 } }
    public var tileCount: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
    public var isFull: Bool { tileCount == columns * rows }

    public func contains(column: Int, row: Int) -> Bool {
        words[row * wordsPerRow + column >> 6] & (1 << UInt64(column & 63)) != 0
    }

    public mutating func insert(column: Int, row: Int) {
        words[row * wordsPerRow + column >> 6] |= 1 << UInt64(column & 63)
    }

    /// Adds every tile of the frame that `rect` touches.
    public mutating func insert(_ rect: PixelRect) {
        let inside = rect.intersection(PixelRect(size: size))
        guard !inside.isEmpty else { return }
        let first = inside.x / Self.tileSide
        let last = (inside.maxX - 1) / Self.tileSide
        for row in inside.y / Self.tileSide...(inside.maxY - 1) / Self.tileSide {
            for word in first >> 6...last >> 6 {
                var mask = ~UInt64(0)
                if word == first >> 6 { mask &= ~UInt64(0) << UInt64(first & 63) }
                if word == last >> 6 { mask &= ~UInt64(0) >> UInt64(63 - last & 63) }
                words[row * wordsPerRow + word] |= mask
            }
        }
    }

    public mutating func insertAll() { insert(PixelRect(size: size)) }

    public mutating func removeAll() {
        for index in words.indices { words[index] = 0 }
    }

    /// Adds the tiles of `other`, which must be of a frame of the same size.
    public mutating func formUnion(_ other: DamageRegion) {
        precondition(other.size == size, "damage of another frame size")
        for index in words.indices { words[index] |= other.words[index] }
    }

    /// Removes the tiles of `other`, which must be of a frame of the same size.
    public mutating func subtract(_ other: DamageRegion) {
        precondition(other.size == size, "damage of another frame size")
        for index in words.indices { words[index] &= ~other.words[index] }
    }

    /// Keeps the tiles that are in `other` too, which must be of a frame of the same size.
    public mutating func formIntersection(_ other: DamageRegion) {
        precondition(other.size == size, "damage of another frame size")
        for index in words.indices { words[index] &= other.words[index] }
    }

    /// The set tiles as rectangles in pixels, clipped to the frame: runs along a row, joined with an equal run above.
    /// Disjoint, and together exactly the region.
    public func rectangles() -> [PixelRect] {
        var finished: [PixelRect] = []
        var open: [PixelRect] = []  // the runs of the row above, in tiles, still growing downwards
        for row in 0..<rows {
            var next: [PixelRect] = []
            var previous = 0
            for run in runs(row: row) {
                while previous < open.count, open[previous].x < run.lowerBound {
                    finished.append(open[previous])
                    previous += 1
                }
                if previous < open.count, open[previous].x == run.lowerBound, open[previous].width == run.count {
                    open[previous].height += 1
                    next.append(open[previous])
                    previous += 1
                } else {
                    next.append(PixelRect(x: run.lowerBound, y: row, width: run.count, height: 1))
                }
            }
            finished.append(contentsOf: open[previous...])
            open = next
        }
        finished.append(contentsOf: open)
        let bounds = PixelRect(size: size)
        return finished.map {
            PixelRect(
                x: $0.x * Self.tileSide, y: $0.y * Self.tileSide, width: $0.width * Self.tileSide,
                height: $0.height * Self.tileSide
            ).intersection(bounds)
        }
    }

    /// The runs of set tiles in one row of tiles, left to right.
    public func runs(row: Int) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var column = 0
        while let start = nextTile(in: row, from: column, set: true) {
            let end = nextTile(in: row, from: start, set: false) ?? columns
            result.append(start..<end)
            column = end
        }
        return result
    }

    private func nextTile(in row: Int, from column: Int, set: Bool) -> Int? {
        guard column < columns else { return nil }
        var index = column >> 6
        var word = words[row * wordsPerRow + index]
        if !set { word = ~word }
        word &= ~UInt64(0) << UInt64(column & 63)
        while word == 0 {
            index += 1
            guard index < wordsPerRow else { return nil }
            word = words[row * wordsPerRow + index]
            if !set { word = ~word }
        }
        let found = index << 6 + word.trailingZeroBitCount
        return found < columns ? found : nil
    }
}
