// The mouse pointer of a screen cast, if the compositor sends it beside the frames. Pure.
import CPipeWire
import KineCapture
import KineMedia

/// A buffer's report of the pointer.
struct CastCursorReport: Equatable, Sendable {
    /// 0: there is no pointer, and the other fields are invalid.
    var id: UInt32
    /// The pointer's position, in pixels of the compositor's picture.
    var position: PixelPoint
    /// The bitmap's pixel at that position. Compositors set it only with a bitmap.
    var hotSpot: PixelPoint
    /// Nil: the last bitmap is still valid.
    var bitmap: OverlayImage?
}

struct CastCursor {
    private var image: PointerState.Image?
    /// Nil: there is no pointer.
    private var position: PixelPoint?
    /// A possible change was reported but not collected yet.
    private(set) var hasChanged = false
    /// As of the last `place`.
    private(set) var state = PointerState()

    /// Call with all reports in order: a bitmap comes once.
    mutating func receive(_ report: CastCursorReport) {
        let next = report.id == 0 ? nil : report.position
        if next != position { hasChanged = true }
        position = next
        guard report.id != 0, let bitmap = report.bitmap else { return }
        image = PointerState.Image(bitmap, hotSpot: (report.hotSpot.x, report.hotSpot.y))
        hasChanged = true
    }

    /// Places the pointer in a frame that begins at `origin` of the compositor's picture.
    mutating func place(inFrameAt origin: (x: Int, y: Int)) {
        hasChanged = false
        state = PointerState(image: image, place: position.map { PixelPoint(x: $0.x - origin.x, y: $0.y - origin.y) })
    }
}

extension CastCursorReport {
    /// Nil if the buffer has no report of a pointer.
    init?(_ buffer: kine_cast_buffer) {
        guard buffer.has_cursor else { return nil }
        id = buffer.cursor_id
        position = PixelPoint(x: Int(buffer.cursor_x), y: Int(buffer.cursor_y))
        hotSpot = PixelPoint(x: Int(buffer.hot_spot_x), y: Int(buffer.hot_spot_y))
        guard buffer.has_bitmap, id != 0 else { return }
        bitmap = OverlayImage(
            bitmap: UnsafeRawBufferPointer(start: buffer.bitmap, count: Int(buffer.bitmap_size)),
            format: buffer.bitmap_format,
            size: PixelSize(width: Int(buffer.bitmap_width), height: Int(buffer.bitmap_height)),
            stride: Int(buffer.bitmap_stride))
    }
}

extension OverlayImage {
    /// The image in `bytes`, premultiplied. Empty if it has no area, which hides the pointer, or if it is larger than
    /// requested, of an unknown format, or not completely in `bytes`.
    package init(bitmap bytes: UnsafeRawBufferPointer, format: kine_bitmap_format, size: PixelSize, stride: Int) {
        let sides = 1...Int(KINE_CAST_LARGEST_CURSOR)
        guard sides.contains(size.width), sides.contains(size.height), let shifts = Self.shifts(format) else {
            self = .empty
            return
        }
        let stride = stride == 0 ? size.width * 4 : stride
        guard stride >= size.width * 4, stride * (size.height - 1) + size.width * 4 <= bytes.count else {
            self = .empty
            return
        }
        let pixels = [UInt32](unsafeUninitializedCapacity: size.area) { pixels, count in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    var pixel: UInt32 = 0
                    for byte in 0..<4 { pixel |= UInt32(bytes[y * stride + x * 4 + byte]) << shifts[byte] }
                    pixels[y * size.width + x] = pixel
                }
            }
            count = size.area
        }
        self.init(size: size, pixels: pixels)
    }

    /// The position of each byte of a pixel in a word of ARGB.
    private static func shifts(_ format: kine_bitmap_format) -> [UInt32]? {
        switch format {
        case KINE_BITMAP_RGBA: [16, 8, 0, 24]
        case KINE_BITMAP_BGRA: [0, 8, 16, 24]
        case KINE_BITMAP_ARGB: [24, 16, 8, 0]
        case KINE_BITMAP_ABGR: [24, 0, 8, 16]
        default: nil
        }
    }
}
