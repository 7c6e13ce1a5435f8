// What the buffers of a cast mean, however a compositor describes them.
import CoreTesting
import KineMedia
import Testing

@testable import KinePipeWire

@Suite struct CastFramesTests {
    private static let size = PixelSize(width: 200, height: 100)
    private static let whole = PixelRect(size: size)

    private func format(_ serial: UInt32 = 1, _ size: PixelSize = size, _ pixels: CastFormat.Pixels = .bgrx)
        -> CastFormat
    {
        CastFormat(serial: serial, size: size, pixels: pixels)
    }

    /// A complete buffer of BGRx.
    private func buffer(
        _ sequence: UInt64?, damage: [PixelRect]? = [], crop: PixelRect? = nil, transform: UInt32? = nil,
        time: Int64 = 0
    ) -> CastBuffer {
        CastBuffer(
            formatSerial: 1, capacity: 80_000, offset: 0, byteCount: 80_000, stride: 800, isCorrupted: false,
            header: sequence.map { CastBuffer.Header(sequence: $0, presentationTime: time) }, crop: crop,
            damage: damage,
            transform: transform)
    }

    /// A cast whose first frame, number 1, has come and is collected.
    private func begun(_ first: CastBuffer? = nil) -> CastFrames {
        var frames = CastFrames()
        frames.setFormat(format())
        #expect(frames.receive(first ?? buffer(1), at: 10) == .frame)
        var damage = DamageRegion(size: frames.frame?.size ?? Self.size)
        frames.addDamage(to: &damage)
        #expect(damage.isFull && !frames.hasChanged)
        return frames
    }

    private func collected(_ frames: inout CastFrames, _ size: PixelSize = size) -> DamageRegion {
        var damage = DamageRegion(size: size)
        frames.addDamage(to: &damage)
        return damage
    }

    private func tiles(_ rects: PixelRect..., in size: PixelSize = size) -> DamageRegion {
        DamageRegion.tiles(rects, of: size)
    }

    // MARK: Damage

    @Test func `the damage of numbered frames is what was reported, of all that were not collected`() {
        var frames = begun()
        let (first, second) = (
            PixelRect(x: 20, y: 20, width: 4, height: 4), PixelRect(x: 150, y: 80, width: 60, height: 2)
        )
        #expect(frames.receive(buffer(2, damage: [first]), at: 20) == .frame)
        #expect(frames.receive(buffer(3, damage: [second, first]), at: 20) == .frame)
        #expect(frames.hasChanged)
        #expect(collected(&frames) == tiles(first, second))
        #expect(!frames.hasChanged && collected(&frames).isEmpty)
    }

    @Test(arguments: [nil, []] as [[PixelRect]?])
    func `without a list, or with an empty one, all is damaged`(damage: [PixelRect]?) {
        var frames = begun()
        _ = frames.receive(buffer(2, damage: damage), at: 20)
        #expect(collected(&frames).isFull)
    }

    @Test(arguments: [0, 1, 3, 4, .max] as [UInt64])
    func `a number that does not follow the last means that damage was lost`(sequence: UInt64) {
        var frames = begun()
        let spot = PixelRect(x: 0, y: 0, width: 1, height: 1)
        _ = frames.receive(buffer(sequence, damage: [spot]), at: 20)
        #expect(collected(&frames).isFull)
        _ = frames.receive(buffer(sequence &+ 1, damage: [spot]), at: 20)
        #expect(collected(&frames) == tiles(spot))
    }

    @Test(arguments: [nil, 0] as [UInt64?])
    func `the damage of a compositor that does not number its frames counts for nothing`(sequence: UInt64?) {
        var frames = begun(buffer(sequence))
        for _ in 0..<3 {
            _ = frames.receive(buffer(sequence, damage: [PixelRect(x: 0, y: 0, width: 1, height: 1)]), at: 20)
            #expect(collected(&frames).isFull)
        }
    }

    @Test func `rectangles beyond the picture are cut, whatever their numbers`() {
        var frames = begun()
        let rects = [
            PixelRect(x: -10, y: -10, width: 12, height: 12),
            PixelRect(x: 190, y: 90, width: Int(UInt32.max), height: 5),
            PixelRect(x: Int(Int32.min), y: 0, width: 5, height: 5),
            PixelRect(x: Int(Int32.max), y: 0, width: 5, height: 5),
        ]
        _ = frames.receive(buffer(2, damage: rects), at: 20)
        #expect(
            collected(&frames)
                == tiles(PixelRect(x: 0, y: 0, width: 2, height: 2), PixelRect(x: 190, y: 90, width: 10, height: 5)))
    }

    @Test func `a region of another size is replaced by a full one`() {
        var frames = begun()
        var damage = DamageRegion(size: PixelSize(width: 3, height: 3))
        frames.addDamage(to: &damage)
        #expect(damage == .full(size: Self.size))
    }

    @Test func `a frame that could not be read makes the next one whole, and asks for nothing before`() {
        var frames = begun()
        frames.noteLoss()
        #expect(!frames.hasChanged)
        _ = frames.receive(buffer(2, damage: [PixelRect(x: 0, y: 0, width: 1, height: 1)]), at: 20)
        #expect(collected(&frames).isFull)
    }

    // MARK: Buffers without a frame

    @Test(arguments: [true, false])
    func `a buffer for the cursor alone changes no frame, and is counted`(isCorrupted: Bool) {
        var frames = begun()
        let before = frames.frame
        var cursor = buffer(2, damage: [Self.whole], crop: PixelRect(x: 9, y: 9, width: 9, height: 9), transform: 3)
        if isCorrupted { cursor.isCorrupted = true } else { cursor.byteCount = 0 }
        #expect(frames.receive(cursor, at: 20) == .cursorOnly)
        #expect(frames.frame == before && !frames.hasChanged)
        let spot = PixelRect(x: 0, y: 0, width: 1, height: 1)
        _ = frames.receive(buffer(3, damage: [spot]), at: 20)
        #expect(collected(&frames) == tiles(spot))
    }

    @Test func `a loss before a buffer for the cursor is not forgotten`() {
        var frames = begun()
        var cursor = buffer(3)
        cursor.isCorrupted = true
        #expect(frames.receive(cursor, at: 20) == .cursorOnly)
        _ = frames.receive(buffer(4, damage: [PixelRect(x: 0, y: 0, width: 1, height: 1)]), at: 20)
        #expect(collected(&frames).isFull)
    }

    @Test func `pixels that are not all within the memory, or not all there, are no frame`() {
        let changes: [(String, (inout CastBuffer) -> Void)] = [
            ("another format's", { $0.formatSerial = 2 }),
            ("no memory", { $0.capacity = 0 }),
            ("too little memory", { $0.capacity = 79_999 }),
            ("behind the end", { $0.offset = 1 }),
            ("a row that is too short", { $0.stride = 799 }),
            ("a row backwards", { $0.stride = -800 }),
            ("rows that are too long", { $0.stride = 801 }),
            ("the longest rows", { $0.stride = Int(Int32.max) }),
            ("too few bytes", { $0.byteCount = 79_999 }),
        ]
        for (name, change) in changes {
            var frames = begun()
            let before = frames.frame
            var broken = buffer(2)
            change(&broken)
            #expect(frames.receive(broken, at: 20) == .unusable, "\(name)")
            #expect(frames.frame == before && !frames.hasChanged, "\(name)")
            _ = frames.receive(buffer(3, damage: [PixelRect(x: 0, y: 0, width: 1, height: 1)]), at: 20)
            #expect(collected(&frames).isFull, "\(name): what it changed is lost")
        }
    }

    @Test func `nothing is a frame before there is a format`() {
        var frames = CastFrames()
        #expect(frames.receive(buffer(1), at: 10) == .unusable)
        #expect(frames.frame == nil && !frames.hasChanged)
        var damage = DamageRegion(size: Self.size)
        frames.addDamage(to: &damage)
        #expect(damage.isEmpty)
    }

    // MARK: Places

    @Test func `packed rows, longer rows, an offset and a last row without its end are all read where they are`() {
        for (pixels, stride, offset, bytes) in [
            (CastFormat.Pixels.bgrx, 0, 0, 80_000), (.bgrx, 1024, 64, 1024 * 99 + 800), (.rgb, 0, 7, 60_000),
            (.bgr, 601, 0, 601 * 99 + 600),
        ] {
            var frames = CastFrames()
            frames.setFormat(format(1, Self.size, pixels))
            var odd = buffer(1)
            (odd.stride, odd.offset, odd.byteCount, odd.capacity) = (stride, offset, bytes, offset + bytes)
            #expect(frames.receive(odd, at: 10) == .frame)
            #expect(frames.frame?.offset == offset)
            #expect(frames.frame?.stride == (stride == 0 ? 200 * pixels.bytes : stride))
        }
    }

    @Test func `an offset counts modulo the memory's size`() {
        var wrapped = buffer(1)
        wrapped.offset = 80_000
        #expect(begun(wrapped).frame?.offset == 0)
    }

    @Test func `memory that tells no size of its contents is taken as it is`() {
        var frames = CastFrames()
        frames.setFormat(format())
        var graphics = buffer(1)
        graphics.byteCount = nil
        #expect(frames.receive(graphics, at: 10) == .frame)
    }

    @Test func `a crop is the frame, and another one is damage as a whole`() {
        let crop = PixelRect(x: 30, y: 10, width: 100, height: 50)
        var frames = begun(buffer(1, crop: crop))
        #expect(frames.frame?.size == crop.size && frames.frame?.offset == 10 * 800 + 30 * 4)
        _ = frames.receive(buffer(2, damage: [PixelRect(x: 62, y: 26, width: 1, height: 1)], crop: crop), at: 20)
        #expect(
            collected(&frames, crop.size) == tiles(PixelRect(x: 32, y: 16, width: 1, height: 1), in: crop.size),
            "damage is told in the picture's coordinates")
        let moved = crop.offset(x: 1, y: 0)
        let spot = PixelRect(x: 40, y: 20, width: 1, height: 1)
        _ = frames.receive(buffer(3, damage: [spot], crop: moved), at: 20)
        #expect(collected(&frames, crop.size).isFull)
        let smaller = PixelRect(x: 30, y: 10, width: 90, height: 50)
        _ = frames.receive(buffer(4, damage: [spot], crop: smaller), at: 20)
        #expect(collected(&frames, crop.size) == .full(size: smaller.size))
    }

    @Test func `a crop is cut at the picture's edge, and none where nothing is left`() {
        for (crop, area) in [
            (PixelRect(x: -5, y: 90, width: 10, height: 20), PixelRect(x: 0, y: 90, width: 5, height: 10)),
            (PixelRect(x: 0, y: 0, width: Int(UInt32.max), height: Int(UInt32.max)), Self.whole),
            (PixelRect(x: 0, y: 0, width: 0, height: 50), Self.whole),
            (PixelRect(x: 200, y: 0, width: 50, height: 50), Self.whole),
            (PixelRect(x: Int(Int32.min), y: 0, width: 50, height: 50), Self.whole),
        ] {
            #expect(begun(buffer(1, crop: crop)).frame?.area == area)
        }
    }

    @Test func `the orientation undoes the compositor's turn`() {
        for transform in 0..<8 {
            // A mirroring, then so many quarter turns counter-clockwise.
            var turn = transform < 4 ? Orientation.up : .upMirrored
            for _ in 0..<transform % 4 { turn = turn.followed(by: .left) }
            #expect(begun(buffer(1, transform: UInt32(transform))).frame?.orientation == turn.inverse)
        }
        for unknown in [nil, 8, UInt32.max] {
            #expect(begun(buffer(1, transform: unknown)).frame?.orientation == .up)
        }
    }

    @Test func `another turn is damage as a whole, of the same size`() {
        var frames = begun()
        _ = frames.receive(buffer(2, damage: [PixelRect(x: 0, y: 0, width: 1, height: 1)], transform: 1), at: 20)
        #expect(frames.frame?.orientation == .right && frames.frame?.size == Self.size)
        #expect(collected(&frames).isFull)
    }

    @Test func `a new format takes no buffer of the old one, and begins with a whole frame`() {
        var frames = begun()
        let large = PixelSize(width: 300, height: 150)
        frames.setFormat(format(2, large))
        #expect(frames.frame?.size == Self.size && !frames.hasChanged)
        #expect(frames.receive(buffer(2), at: 20) == .unusable)
        var transitional = buffer(3)
        transitional.formatSerial = 2
        transitional.capacity = 180_000
        #expect(frames.receive(transitional, at: 20) == .unusable, "a new buffer, filled by the old format")
        var next = transitional
        (next.stride, next.byteCount, next.header) = (
            1200, 180_000, CastBuffer.Header(sequence: 4, presentationTime: 0)
        )
        next.damage = [PixelRect(x: 0, y: 0, width: 1, height: 1)]
        #expect(frames.receive(next, at: 20) == .frame)
        #expect(collected(&frames) == .full(size: large))
    }

    @Test func `the same format again changes nothing`() {
        var frames = begun()
        frames.setFormat(format())
        let spot = PixelRect(x: 0, y: 0, width: 1, height: 1)
        _ = frames.receive(buffer(2, damage: [spot]), at: 20)
        #expect(collected(&frames) == tiles(spot))
    }

    // MARK: What is awaited

    @Test func `another frame is awaited after a new format, and after the first of a crop's size`() {
        let crop = PixelRect(x: 30, y: 10, width: 100, height: 50)
        var frames = CastFrames()
        frames.setFormat(format())
        #expect(frames.awaited == nil, "of a cast that has given none")
        frames = begun()
        #expect(frames.awaited == nil)
        _ = frames.receive(buffer(2, crop: crop), at: 20)
        #expect(frames.awaited == .secondOfSize(crop.size))
        _ = frames.receive(buffer(3, crop: crop.offset(x: 1, y: 0)), at: 20)
        #expect(frames.awaited == nil)
        let large = PixelSize(width: 300, height: 150)
        frames.setFormat(format(2, large))
        #expect(frames.awaited == .firstOfFormat(large))
        var next = buffer(4)
        (next.formatSerial, next.capacity, next.stride, next.byteCount) = (2, 180_000, 1200, 180_000)
        _ = frames.receive(next, at: 20)
        #expect(frames.awaited == nil, "a format's first frame is as large as it says")
    }

    // MARK: Time

    @Test func `times go forwards and never beyond now`() {
        var frames = begun(buffer(1, time: 5))
        #expect(frames.frame?.presentationTime == 5)
        var sequence: UInt64 = 2
        for (told, now, expected) in [
            (7, 20, 7), (6, 20, 7), (40, 30, 30), (Int64.max, 35, 35), (Int64.min, 36, 35), (-1, 37, 35), (36, 38, 36),
        ] as [(Int64, Int64, Int64)] {
            _ = frames.receive(buffer(sequence, time: told), at: now)
            #expect(frames.frame?.presentationTime == expected)
            sequence += 1
        }
        _ = frames.receive(buffer(nil), at: 50)
        #expect(frames.frame?.presentationTime == 50, "a buffer without a time is of now")
    }

    // MARK: All of it

    @Test func `whatever comes, a frame lies within its buffer and damage within the frame`() {
        var random = SeededGenerator()
        let sides = [0, 1, 2, 16, 17, 100, 4096, 16384]
        let numbers = [Int(Int32.min), -17, -1, 0, 1, 4, 16, 399, 400, 6800, 65536, Int(Int32.max)]
        func rect() -> PixelRect {
            PixelRect(
                x: numbers.randomElement(using: &random)!, y: numbers.randomElement(using: &random)!,
                width: Int(UInt32(truncatingIfNeeded: numbers.randomElement(using: &random)!)),
                height: Int(UInt32(truncatingIfNeeded: numbers.randomElement(using: &random)!)))
        }
        var frames = CastFrames()
        var (format, seen) = (self.format(), 0)
        for _ in 0..<20_000 {
            if Int.random(in: 0..<8, using: &random) == 0 {
                format = CastFormat(
                    serial: UInt32.random(in: 1...3, using: &random),
                    size: PixelSize(
                        width: sides.dropFirst().randomElement(using: &random)!,
                        height: sides.dropFirst().randomElement(using: &random)!),
                    pixels: CastFormat.Pixels.allCases.randomElement(using: &random)!)
                frames.setFormat(format)
            }
            let buffer = CastBuffer(
                formatSerial: UInt32.random(in: 1...3, using: &random),
                capacity: Int(UInt32(truncatingIfNeeded: numbers.randomElement(using: &random)!)),
                offset: Int(UInt32(truncatingIfNeeded: numbers.randomElement(using: &random)!)),
                byteCount: Bool.random(using: &random)
                    ? nil : Int(UInt32(truncatingIfNeeded: numbers.randomElement(using: &random)!)),
                stride: numbers.randomElement(using: &random)!, isCorrupted: Int.random(in: 0..<9, using: &random) == 0,
                header: CastBuffer.Header(sequence: .random(in: 0...2, using: &random), presentationTime: 0),
                crop: Bool.random(using: &random) ? rect() : nil,
                damage: Bool.random(using: &random) ? [rect(), rect()] : nil,
                transform: .random(in: 0...9, using: &random))
            guard frames.receive(buffer, at: 10) == .frame, let frame = frames.frame else { continue }
            seen += 1
            let area = frame.area
            #expect(area.intersection(PixelRect(size: format.size)) == area && !area.isEmpty)
            #expect(frame.offset >= 0)
            #expect(
                frame.offset + frame.stride * (area.height - 1) + area.width * frame.pixels.bytes <= buffer.capacity)
            var damage = DamageRegion(size: frame.size)
            frames.addDamage(to: &damage)
            #expect(damage.size == frame.size && !frames.hasChanged)
        }
        #expect(seen > 100, "chance has to make frames too")
    }
}
