// The pointer that a compositor describes beside the frames.
import CPipeWire
import KineMedia
import Testing

@testable import KineCapture
@testable import KinePipeWire

@Suite struct CastCursorTests {
    private static let size = PixelSize(width: 320, height: 240)
    private static let image = OverlayImage(
        size: PixelSize(width: 8, height: 6), pixels: Array(repeating: 0xffff_8000, count: 48))

    private func report(
        _ x: Int, _ y: Int, id: UInt32 = 1, bitmap: OverlayImage? = nil, hot: (Int, Int) = (0, 0)
    ) -> CastCursorReport {
        CastCursorReport(
            id: id, position: PixelPoint(x: x, y: y), hotSpot: PixelPoint(x: hot.0, y: hot.1),
            bitmap: bitmap)
    }

    /// The cursor, and the pointer as it is painted by its state.
    private struct Shown {
        private final class Source: VideoSource {
            var pointer: PointerState?
            let size = CastCursorTests.size
            let descriptor: Int32 = -1

            func processEvents() -> Bool { false }
            func addDamage(to damage: inout DamageRegion) {}
            func read(_ region: DamageRegion, into receive: (FramePart) -> Void) -> Bool { true }
        }

        var cursor = CastCursor()
        private let source = Source()
        private let painter: InputPainter

        init(scale: Double = 1) throws {
            var video = TakeConfiguration.Video()
            video.cursorScale = scale
            painter = try #require(InputPainter(video))
        }

        /// The damage of the pointer in a frame that begins there.
        mutating func placed(origin: (x: Int, y: Int) = (0, 0)) -> DamageRegion {
            cursor.place(inFrameAt: origin)
            source.pointer = cursor.state
            var damage = DamageRegion(size: CastCursorTests.size)
            painter.update(source, damage: &damage, at: 0)
            return damage
        }

        /// The part of the pointer that is in the frame; nil: none.
        var rect: PixelRect? {
            let bounds = painter.bounds(in: PixelRect(size: CastCursorTests.size))
            return bounds.isEmpty ? nil : bounds
        }
    }

    private func tiles(_ rects: PixelRect...) -> DamageRegion { DamageRegion.tiles(rects, of: Self.size) }

    /// A pointer that is shown at 100, 80.
    private func shown(scale: Double = 1) throws -> Shown {
        var shown = try Shown(scale: scale)
        shown.cursor.receive(report(100, 80, bitmap: Self.image, hot: (3, 2)))
        #expect(shown.cursor.hasChanged)
        _ = shown.placed()
        #expect(!shown.cursor.hasChanged)
        return shown
    }

    @Test func `the image lies with its hot spot at the place`() throws {
        #expect(try shown().rect == PixelRect(x: 97, y: 78, width: 8, height: 6))
        #expect(try shown(scale: 2).rect == PixelRect(x: 94, y: 76, width: 16, height: 12))
    }

    @Test func `a position alone moves the image that was there, whose hot spot stays`() throws {
        var shown = try shown()
        shown.cursor.receive(report(200, 150))
        #expect(shown.cursor.hasChanged)
        let (old, new) = (PixelRect(x: 97, y: 78, width: 8, height: 6), PixelRect(x: 197, y: 148, width: 8, height: 6))
        #expect(shown.placed() == tiles(old, new))
        #expect(shown.rect == new)
    }

    @Test func `the same position again is no change`() throws {
        var shown = try shown()
        shown.cursor.receive(report(100, 80))
        #expect(!shown.cursor.hasChanged && shown.placed().isEmpty)
    }

    @Test func `without an id there is no pointer, whatever else is said`() throws {
        var shown = try shown()
        let old = shown.rect!
        shown.cursor.receive(report(50, 50, id: 0, bitmap: Self.image))
        #expect(shown.cursor.hasChanged && shown.placed() == tiles(old) && shown.rect == nil)
        shown.cursor.receive(report(60, 60, id: 0))
        #expect(!shown.cursor.hasChanged)
        shown.cursor.receive(report(100, 80))
        #expect(shown.placed() == tiles(old) && shown.rect == old, "the image is the one before")
    }

    @Test func `a bitmap without an area hides the pointer until the next`() throws {
        var shown = try shown()
        let old = shown.rect!
        shown.cursor.receive(report(100, 80, bitmap: .empty))
        #expect(shown.placed() == tiles(old) && shown.rect == nil)
        shown.cursor.receive(report(120, 80))
        #expect(shown.placed().isEmpty && shown.rect == nil)
        shown.cursor.receive(report(100, 80, bitmap: Self.image, hot: (3, 2)))
        #expect(shown.placed() == tiles(old))
    }

    @Test func `another image at the same place is damage`() throws {
        var shown = try shown()
        let red = OverlayImage(size: Self.image.size, pixels: Array(repeating: 0xffff_0000, count: 48))
        shown.cursor.receive(report(100, 80, bitmap: red, hot: (3, 2)))
        #expect(shown.placed() == tiles(shown.rect!))
    }

    @Test func `places are in the compositor's picture, of which the frame is a part`() throws {
        var shown = try shown()
        let old = shown.rect!
        #expect(shown.placed(origin: (90, 70)) == tiles(old, PixelRect(x: 7, y: 8, width: 8, height: 6)))
        #expect(shown.placed(origin: (200, 70)) == tiles(PixelRect(x: 7, y: 8, width: 8, height: 6)))
        #expect(shown.rect == nil, "outside of the frame")
    }

    @Test func `no place is too far away`() throws {
        for (x, y) in [(Int(Int32.min), Int(Int32.max)), (Int(Int32.max), Int(Int32.min))] {
            var shown = try Shown(scale: 4)
            shown.cursor.receive(report(x, y, bitmap: Self.image, hot: (x, y)))
            _ = shown.placed(origin: (16_383, 0))
            shown.cursor.receive(report(y, x))
            _ = shown.placed()
            #expect(shown.rect == nil)
        }
    }

    // MARK: Bitmaps

    private func image(
        _ bytes: [UInt8], _ format: kine_bitmap_format, _ width: Int, _ height: Int, stride: Int
    ) -> OverlayImage {
        bytes.withUnsafeBytes {
            OverlayImage(bitmap: $0, format: format, size: PixelSize(width: width, height: height), stride: stride)
        }
    }

    @Test func `every order of components becomes a word of ARGB`() {
        let orders: [(kine_bitmap_format, [UInt8])] = [
            (KINE_BITMAP_RGBA, [1, 2, 3, 4]), (KINE_BITMAP_BGRA, [3, 2, 1, 4]), (KINE_BITMAP_ARGB, [4, 1, 2, 3]),
            (KINE_BITMAP_ABGR, [4, 3, 2, 1]),
        ]
        for (format, bytes) in orders {
            #expect(image(bytes, format, 1, 1, stride: 4).pixels == [0x0401_0203])
        }
    }

    @Test func `rows may be longer than the image, and the last may end with it`() {
        let bytes: [UInt8] = [1, 0, 0, 9, 77, 77, 2, 0, 0, 9]
        let padded = image(bytes, KINE_BITMAP_BGRA, 1, 2, stride: 6)
        #expect(padded.pixels == [0x0900_0001, 0x0900_0002])
        #expect(image([1, 0, 0, 9, 2, 0, 0, 9], KINE_BITMAP_BGRA, 1, 2, stride: 0).pixels == padded.pixels)
    }

    @Test func `what is not all there, too large or unknown is no image`() {
        let bytes = [UInt8](repeating: 255, count: 4096)
        for (format, width, height, stride) in [
            (KINE_BITMAP_RGBA, 0, 0, 0), (KINE_BITMAP_RGBA, 5, 0, 20), (KINE_BITMAP_RGBA, 33, 32, 132),
            (KINE_BITMAP_RGBA, 32, 32, 129), (KINE_BITMAP_RGBA, 32, 32, 127), (KINE_BITMAP_RGBA, 32, 32, -128),
            (KINE_BITMAP_RGBA, 513, 1, 2052), (KINE_BITMAP_RGBA, 1, 513, 4), (KINE_BITMAP_OTHER, 1, 1, 4),
            (KINE_BITMAP_RGBA, Int(UInt32.max), Int(UInt32.max), Int(Int32.max)),
            (KINE_BITMAP_RGBA, 2, 512, Int(Int32.max)),
        ] {
            #expect(image(bytes, format, width, height, stride: stride) == .empty, "\(width)x\(height), \(stride)")
        }
        #expect(image(bytes, KINE_BITMAP_RGBA, 32, 32, stride: 128).size.area == 1024)
        let nothing = OverlayImage(
            bitmap: UnsafeRawBufferPointer(start: nil, count: 0), format: KINE_BITMAP_RGBA,
            size: PixelSize(width: 1, height: 1), stride: 4)
        #expect(nothing == .empty)
    }
}
