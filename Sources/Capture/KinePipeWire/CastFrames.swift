// Decides what the buffers of a screen cast mean: which of them are frames, where their pixels lie, and what has changed. It believes
// nothing that would lead outside of a buffer's memory. Pure; `PipeWireSource` gives it the buffers.
import KineMedia

/// A frame that a cast should give.
enum AwaitedFrame: Equatable {
    /// In a new format of this size. When a window changes its size, KWin 5.27 agrees upon a new format and sends no frame in it (PipeWire
    /// 0.3.65).
    case firstOfFormat(PixelSize)
    /// After one whose crop has this size for the first time. When a window changes its size, GNOME 51 sends a frame with the new crop, in
    /// which the window is drawn in its old size, and no other until the window's content changes.
    case secondOfSize(PixelSize)
}

/// The newest frame of a cast and the damage that was not collected yet. Compositors report damage badly or not at all: it is a hint,
/// and whatever is doubtful is full damage. That costs a comparison, no frame: `FrameRing` (KineImaging), in which frames are drawn, finds the
/// tiles that are the same as before, so nothing is compared here.
struct CastFrames {
    /// What is to become of a buffer.
    enum Verdict: Equatable {
        /// It is the newest frame, and is kept until the next.
        case frame
        /// Only its cursor is new: its pixels, its crop and its damage are those of an earlier frame.
        case cursorOnly
        /// It has no picture that can be read: it was made for another format, or says what cannot be.
        case unusable
    }

    struct Frame: Equatable, Sendable {
        var pixels: CastFormat.Pixels
        /// The part of the compositor's picture that is meant; its size is the frame's.
        var area: PixelRect
        /// The place of the area's first pixel in the buffer's memory, in bytes.
        var offset: Int
        /// Bytes from one row to the next.
        var stride: Int
        var orientation: Orientation
        /// Nanoseconds of CLOCK_MONOTONIC. Never before that of an earlier frame, never in the future.
        var presentationTime: Int64

        var size: PixelSize { area.size }
    }

    private var format: CastFormat?
    /// The last format that was agreed upon. It stays when `format` becomes nil.
    private var newestFormat: CastFormat?
    private(set) var frame: Frame?
    /// Of the format in which `frame` came.
    private var frameSerial: UInt32?
    /// The frame before `frame` had the same format, and another crop's size.
    private var hasNewSize = false
    /// The number of the newest buffer; nil: it had none.
    private var lastSequence: UInt64?
    /// A frame was lost since `frame`, and what had changed in it is not known.
    private var hasLost = true
    /// Of the frame's size.
    private var damage = DamageRegion(size: PixelSize(width: 0, height: 0))

    init() {}

    /// There is damage that was not collected.
    var hasChanged: Bool { !damage.isEmpty }

    /// The frame that is still missing for a right picture; nil: the newest frame is right.
    var awaited: AwaitedFrame? {
        guard let frameSerial, let frame else { return nil }
        if let newestFormat, newestFormat.serial != frameSerial { return .firstOfFormat(newestFormat.size) }
        return hasNewSize ? .secondOfSize(frame.size) : nil
    }

    /// The buffers that come from now on have this format; nil: there is none for now.
    mutating func setFormat(_ format: CastFormat?) {
        guard format != self.format else { return }
        self.format = format
        newestFormat = format ?? newestFormat
        noteLoss()
    }

    /// A frame was lost, or could not be read: the next one is damaged as a whole.
    mutating func noteLoss() { hasLost = true }

    /// Buffers are to be given in the order in which they came.
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
        // An empty list is one that a compositor has not filled in: a frame without a change is not sent.
        if let rects = buffer.damage, !rects.isEmpty, !isWhole {
            for rect in rects { damage.insert(rect.offset(x: -next.area.x, y: -next.area.y)) }
        } else {
            damage.insertAll()
        }
        return .frame
    }

    /// Damage only says what is new since the buffer before, and buffers are lost where this side is slow. So it counts for nothing
    /// unless the numbers show that none is missing, which compositors that do not number their frames never do.
    private mutating func count(_ header: CastBuffer.Header?) {
        let expected = lastSequence.map { $0 &+ 1 }
        if expected == nil || header?.sequence != expected { noteLoss() }
        lastSequence = header?.sequence
    }

    /// Adds what was not collected yet. If the frame has another size than `region`, a full region of the new size replaces it.
    mutating func addDamage(to region: inout DamageRegion) {
        guard let frame else { return }
        if region.size == frame.size {
            region.formUnion(damage)
        } else {
            region = .full(size: frame.size)
        }
        damage.removeAll()
    }

    // MARK: One buffer

    /// Nil where the picture is not all within the buffer's memory, or not all there: a compositor that is about to change the format may
    /// still fill a buffer by the old one.
    private func place(_ buffer: CastBuffer, in format: CastFormat, at now: Int64) -> Frame? {
        let (width, height, bytes) = (format.size.width, format.size.height, format.pixels.bytes)
        guard width > 0, height > 0, buffer.capacity > 0 else { return nil }
        let stride = buffer.stride == 0 ? width * bytes : buffer.stride
        guard stride >= width * bytes else { return nil }
        // "Taken modulo the data maxsize" (spa/buffer/buffer.h).
        let offset = buffer.offset % buffer.capacity
        // The last row ends with its last pixel. A side and a stride have 32 bits at most, so nothing overflows.
        let count = stride * (height - 1) + width * bytes
        guard offset + count <= buffer.capacity, count <= buffer.byteCount ?? count else { return nil }
        let area = area(buffer.crop, of: format.size)
        return Frame(
            pixels: format.pixels, area: area, offset: offset + area.y * stride + area.x * bytes, stride: stride,
            orientation: Orientation(undoingWaylandTransform: Int32(clamping: buffer.transform ?? 0)),
            presentationTime: time(buffer.header, now))
    }

    /// A crop without an area, or outside of the picture, is none.
    private func area(_ crop: PixelRect?, of size: PixelSize) -> PixelRect {
        let whole = PixelRect(size: size)
        guard let inside = crop?.intersection(whole), !inside.isEmpty else { return whole }
        return inside
    }

    /// A restored session's first frame can be seconds old, and some compositors give no time.
    private func time(_ header: CastBuffer.Header?, _ now: Int64) -> Int64 {
        min(max(header?.presentationTime ?? now, frame?.presentationTime ?? 0), now)
    }
}
