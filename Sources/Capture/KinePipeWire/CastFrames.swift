// Interprets the buffers of a screen cast: which are frames, where their pixels are, and what has changed. Checks every
// value that could lead outside a buffer's memory. Pure; `PipeWireSource` passes the buffers.
import KineMedia

/// A frame that a cast should send.
enum AwaitedFrame: Equatable {
    /// The first frame in a new format of this size. When a window changes its size, KWin 5.27 negotiates a new format
    /// but sends no frame in it (PipeWire 0.3.65).
    case firstOfFormat(PixelSize)
    /// The second frame with a crop of this size. When a window changes its size, GNOME 51 sends one frame with the new
    /// crop, still with the old window, and no other until the window's content changes.
    case secondOfSize(PixelSize)
}

/// The newest frame of a cast and its uncollected damage. Compositors report damage badly or not at all: it is a hint,
/// and anything doubtful counts as full damage. That costs only a comparison, because `FrameRing` (KineImaging) finds
/// the unchanged tiles.
struct CastFrames {
    /// The use of a buffer.
    enum Verdict: Equatable {
        /// The newest frame, kept until the next one.
        case frame
        /// Only its cursor is new: its pixels, crop and damage belong to an earlier frame.
        case cursorOnly
        /// It has no readable picture: it was made for another format, or its description is impossible.
        case unusable
    }

    struct Frame: Equatable, Sendable {
        var pixels: CastFormat.Pixels
        /// The part of the compositor's picture in the frame; its size is the frame's.
        var area: PixelRect
        /// The offset of the area's first pixel in the buffer's memory, in bytes.
        var offset: Int
        /// Bytes from one row to the next.
        var stride: Int
        var orientation: Orientation
        /// Nanoseconds of CLOCK_MONOTONIC. Never before an earlier frame's, never in the future.
        var presentationTime: Int64

        var size: PixelSize { area.size }
    }

    private var format: CastFormat?
    /// The last negotiated format. Kept when `format` becomes nil.
    private var newestFormat: CastFormat?
    private(set) var frame: Frame?
    /// The format of `frame`.
    private var frameSerial: UInt32?
    /// The frame before `frame` had the same format, but a crop of another size.
    private var hasNewSize = false
    /// The number of the newest buffer, if it had one.
    private var lastSequence: UInt64?
    /// A frame was lost since `frame`, and its changes are unknown.
    private var hasLost = true
    /// Its size is the frame's.
    private var damage = DamageRegion(size: PixelSize(width: 0, height: 0))

    init() {}

    /// There is uncollected damage.
    var hasChanged: Bool { !damage.isEmpty }

    /// The frame that is missing for a correct picture; nil: the newest frame is correct.
    var awaited: AwaitedFrame? {
        guard let frameSerial, let frame else { return nil }
        if let newestFormat, newestFormat.serial != frameSerial { return .firstOfFormat(newestFormat.size) }
        return hasNewSize ? .secondOfSize(frame.size) : nil
    }

    /// Sets the format of later buffers; nil: there is none for now.
    mutating func setFormat(_ format: CastFormat?) {
        guard format != self.format else { return }
        self.format = format
        newestFormat = format ?? newestFormat
        noteLoss()
    }

    /// A frame was lost or not readable: the next one is fully damaged.
    mutating func noteLoss() { hasLost = true }

    /// Call with all buffers in order.
    mutating func receive(_ buffer: CastBuffer, at now: Int64) -> Verdict {
        count(buffer.header)
        if buffer.isCorrupted || buffer.byteCount == 0 { return .cursorOnly }
        guard let format, buffer.formatSerial == format.serial, let next = place(buffer, in: format, at: now) else {
            noteLoss()
            return .unusable
        }
        let isWhole = hasLost || next.area != frame?.area || next.orientation != frame?.orientation
        hasLost = false
        if damage.size != next.size { damage = DamageRegion(size: next.size) }
        hasNewSize = frameSerial == format.serial && next.size != frame?.size
        frame = next
        frameSerial = format.serial
        // The compositor did not fill in an empty list: it sends no frame without a change.
        if let rects = buffer.damage, !rects.isEmpty, !isWhole {
            for rect in rects { damage.insert(rect.offset(x: -next.area.x, y: -next.area.y)) }
        } else {
            damage.insertAll()
        }
        return .frame
    }

    /// Damage refers to the previous buffer, and slow readers lose buffers. It counts only if the numbers prove that
    /// none is missing; some compositors do not number their frames.
    private mutating func count(_ header: CastBuffer.Header?) {
        let expected = lastSequence.map { $0 &+ 1 }
        if expected == nil || header?.sequence != expected { noteLoss() }
        lastSequence = header?.sequence
    }

    /// Adds the uncollected damage. If the frame's size differs from `region`'s, a full new region replaces it.
    mutating func addDamage(to region: inout DamageRegion) {
        guard let frame else { return }
        if region.size == frame.size {
            region.formUnion(damage)
        } else {
            region = .full(size: frame.size)
        }
        damage.removeAll()
    }

    /// Nil if the picture is not completely inside the buffer's memory, or not complete: before a change of the format,
    /// a compositor may still fill a buffer in the old one.
    private func place(_ buffer: CastBuffer, in format: CastFormat, at now: Int64) -> Frame? {
        let (width, height, bytes) = (format.size.width, format.size.height, format.pixels.bytes)
        guard width > 0, height > 0, buffer.capacity > 0 else { return nil }
        let stride = buffer.stride == 0 ? width * bytes : buffer.stride
        guard stride >= width * bytes else { return nil }
        // "Taken modulo the data maxsize" (spa/buffer/buffer.h).
        let offset = buffer.offset % buffer.capacity
        // The last row ends with its last pixel. Sides and strides have at most 32 bits, so nothing overflows.
        let count = stride * (height - 1) + width * bytes
        guard offset + count <= buffer.capacity, count <= buffer.byteCount ?? count else { return nil }
        let area = area(buffer.crop, of: format.size)
        return Frame(
            pixels: format.pixels, area: area, offset: offset + area.y * stride + area.x * bytes, stride: stride,
            orientation: Orientation(undoingWaylandTransform: Int32(clamping: buffer.transform ?? 0)),
            presentationTime: time(buffer.header, now))
    }

    /// Ignores a crop without an area, or outside the picture.
    private func area(_ crop: PixelRect?, of size: PixelSize) -> PixelRect {
        let whole = PixelRect(size: size)
        guard let inside = crop?.intersection(whole), !inside.isEmpty else { return whole }
        return inside
    }

    /// A restored session's first frame can be seconds old, and some compositors send no time.
    private func time(_ header: CastBuffer.Header?, _ now: Int64) -> Int64 {
        min(max(header?.presentationTime ?? now, frame?.presentationTime ?? 0), now)
    }
}
