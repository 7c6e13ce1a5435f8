// A take that is known beforehand, byte for byte: both ends of a stream compute it, so that a reader can tell whether it got
// exactly what was sent.
import KineMedia
import KineRings

/// Frames of tiles, each filled with the number of the frame that last changed it; encoded samples whose bytes follow from their
/// number.
public struct StampedTake: Sendable {
    public static let layout = FrameSlotLayout(
        pixelFormat: .i420, visibleSize: PixelSize(width: 319, height: 179), slotCount: 3)

    public init() {}

    /// The tiles that frame `number`, from 1, changes: the first always, and up to five others.
    public static func changedTiles(_ number: UInt64) -> [(column: Int, row: Int)] {
        let region = DamageRegion(size: layout.size)
        if number == 1 {
            return (0..<region.rows).flatMap { row in (0..<region.columns).map { (column: $0, row: row) } }
        }
        var random = Stamp(number)
        let others = (0..<Int(random.next() % 6)).map { _ in
            (column: Int(random.next() % UInt64(region.columns)), row: Int(random.next() % UInt64(region.rows)))
        }
        return [(0, 0)] + others
    }

    public static func presentationTime(_ number: UInt64) -> MediaTime {
        MediaTime(nanoseconds: Int64(bitPattern: number &* 16_666_667) - 5)
    }

    /// Every tile's stamp after frame `number`.
    public struct Tiles: Equatable {
        public private(set) var number: UInt64 = 0
        public private(set) var stamps: [UInt64]
        let columns: Int

        public init() {
            let region = DamageRegion(size: layout.size)
            columns = region.columns
            stamps = [UInt64](repeating: 0, count: region.columns * region.rows)
        }

        public mutating func advance(to number: UInt64) {
            while self.number < number {
                self.number += 1
                for tile in changedTiles(self.number) { stamps[tile.row * columns + tile.column] = self.number }
            }
        }

        /// Fills a tile's part of a plane with its stamp.
        func draw(_ tile: Int, in base: UnsafeMutableRawPointer) {
            forEachRow(of: tile) { offset, count in
                var value = Stamp(stamps[tile])
                for index in 0..<count { (base + offset + index).storeBytes(of: value.byte(), as: UInt8.self) }
            }
        }

        /// Whether a tile's part of every plane holds its stamp, and nothing else.
        func isWhole(_ tile: Int, in base: UnsafeRawPointer) -> Bool {
            var result = true
            forEachRow(of: tile) { offset, count in
                var value = Stamp(stamps[tile])
                for index in 0..<count where (base + offset + index).load(as: UInt8.self) != value.byte() {
                    result = false
                }
            }
            return result
        }

        private func forEachRow(of tile: Int, _ body: (_ offset: Int, _ count: Int) -> Void) {
            let (column, row) = (tile % columns, tile / columns)
            for (plane, extent) in layout.planeExtents.enumerated() {
                let side = plane == 0 ? 16 : 8
                let first = column * side
                for line in row * side..<min(row * side + side, extent.rows) {
                    let count = min(side, extent.rowBytes - first)
                    body(layout.planeOffsets[plane] + line * layout.planeStrides[plane] + first, count)
                }
            }
        }
    }

    /// Sample `number`, from 1, of a stream in the ring. Every thirtieth frame is a keyframe.
    public static func sample(_ type: SampleType, _ number: UInt64, isKeyframe: Bool) -> EncodedSample {
        var random = Stamp(number &* 3 &+ (type == .video ? 0 : type == .audioApp ? 1 : 2))
        let size = 16 + Int(random.next() % (isKeyframe && type == .video ? 20_000 : 900))
        var data = [UInt8](repeating: 0, count: size)
        for index in data.indices { data[index] = random.byte() }
        for index in 0..<8 { data[index] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))) }
        return EncodedSample(
            type: type, presentationTime: presentationTime(number), duration: .milliseconds(16), isKeyframe: isKeyframe,
            data: data)
    }
}

/// Numbers that follow from one (SplitMix64, Steele and others, 2014).
public struct Stamp {
    private var state: UInt64
    public init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }

    mutating func byte() -> UInt8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
    }
}
