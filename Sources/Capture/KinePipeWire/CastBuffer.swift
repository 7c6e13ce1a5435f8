// A buffer of a screen cast, as the compositor describes it, unchecked: `CastFrames` and `CastCursor` check it.
import CPipeWire
import KineMedia

/// The format of a cast's frames that was negotiated with the compositor.
struct CastFormat: Equatable, Sendable {
    /// Each name is the order of the components in memory; `x` is unused.
    enum Pixels: CaseIterable, Sendable {
        case bgrx, bgra, rgbx, rgba, bgr, rgb

        var bytes: Int {
            switch self {
            case .bgrx, .bgra, .rgbx, .rgba: 4
            case .bgr, .rgb: 3
            }
        }

        /// Whether the format equals `PixelFormat.bgra`.
        var isBGRA: Bool { self == .bgrx || self == .bgra }
    }

    /// Counts formats.
    var serial: UInt32
    var size: PixelSize
    var pixels: Pixels
}

/// The description of a buffer.
struct CastBuffer: Equatable, Sendable {
    struct Header: Equatable, Sendable {
        /// Counts the compositor's frames; some compositors do not count.
        var sequence: UInt64
        /// Nanoseconds of CLOCK_MONOTONIC, or any other value.
        var presentationTime: Int64
    }

    /// The format for which the buffer was made.
    var formatSerial: UInt32
    /// The readable bytes; 0: none.
    var capacity: Int
    /// The offset of the pixels in them.
    var offset: Int
    /// The bytes of the pixels; nil: this kind of memory has no such number.
    var byteCount: Int?
    /// Bytes from one row to the next; 0: rows are packed.
    var stride: Int
    /// The pixels must be ignored.
    var isCorrupted: Bool
    var header: Header?
    /// The valid part of the picture, in pixels.
    var crop: PixelRect?
    /// The changes since the previous buffer, in the picture's pixels; nil: unknown, or too many.
    var damage: [PixelRect]?
    var transform: UInt32?
}

extension CastBuffer {
    init(_ buffer: kine_cast_buffer) {
        formatSerial = buffer.format_serial
        capacity = Int(buffer.capacity)
        offset = Int(buffer.offset)
        byteCount = buffer.has_no_size ? nil : Int(buffer.size)
        stride = Int(buffer.stride)
        isCorrupted = buffer.is_corrupted
        header =
            buffer.has_header
            ? Header(sequence: buffer.sequence, presentationTime: buffer.presentation_time) : nil
        crop = buffer.has_crop ? PixelRect(buffer.crop) : nil
        transform = buffer.has_transform ? buffer.transform : nil
        damage = Self.damage(buffer)
    }

    private static func damage(_ buffer: kine_cast_buffer) -> [PixelRect]? {
        guard buffer.has_damage, buffer.damage_count <= KINE_CAST_MOST_DAMAGE else { return nil }
        return withUnsafeBytes(of: buffer.damage) { bytes in
            bytes.bindMemory(to: kine_cast_rect.self).prefix(Int(buffer.damage_count)).map(PixelRect.init)
        }
    }
}

extension PixelRect {
    fileprivate init(_ rect: kine_cast_rect) {
        self.init(x: Int(rect.x), y: Int(rect.y), width: Int(rect.width), height: Int(rect.height))
    }
}
