// The session in which a compositor captures one output, frame by frame (ext-image-copy-capture-v1). No requests, no
// clock: `ImageCaptureCopier` sends the requests.
import KineCapture
import KineMedia

/// Instants are nanoseconds of CLOCK_MONOTONIC.
///
/// There are two buffers: one holds the current frame, the compositor draws into the other. A session gives its first
/// frame at once, and each later one after a change. The compositor captures whole outputs, so a part is cropped here,
/// and frames without a change in it are skipped.
struct ImageCaptureStateMachine {
    enum Request: Equatable {
        /// Begin a session, and close the current one, if any.
        case open
        /// Close the session, and destroy its frame.
        case close
        /// Destroy the frame's object, if any, and request a new frame into the buffer that is not current, with this
        /// layout. `missing`: the changes since that buffer was filled; nil: all of it.
        case capture(CopyBuffer.Layout, missing: [PixelRect]?)
        /// Destroy the frame's object.
        case release
        /// No frame of this compositor can be read.
        case fail(VideoSourceError)
    }

    struct Frame: Equatable {
        var layout: CopyBuffer.Layout
        /// The part of the buffer with the frame.
        var part: PixelRect
        /// The rotation that makes it upright.
        var orientation: Orientation
        /// In pixels of the part; nil: all of it may have changed.
        var damage: [PixelRect]?
    }

    enum Failure { case unknown, constraints, stopped }

    /// The session's buffer constraints received since the last `done`.
    private struct Offer {
        var size: PixelSize?
        /// The format that is cheapest to read; nil: none is known here.
        var best: (format: UInt32, packing: PackedPixels)?
        /// The first unknown format.
        var unknown: UInt32?
    }

    /// A frame that the compositor is filling.
    private struct Filling: Equatable {
        var layout: CopyBuffer.Layout
        var orientation = Orientation.up
        var damage: DamageList?
    }

    private enum State: Equatable {
        /// There is no session; one begins at this instant.
        case waiting(until: Int64)
        /// The session has not sent its constraints yet; after this instant another one begins.
        case asked(until: Int64)
        case capturing(Filling)
        case captured(Frame)
        /// There is no such output now.
        case away
    }

    /// Nanoseconds until another session after a failure. An output that has just changed its mode refuses some frames.
    static let retryInterval: Int64 = 50_000_000
    /// Nanoseconds until another session after the compositor has ended one while its output remains.
    static let stopInterval: Int64 = 500_000_000
    /// Nanoseconds for a compositor that refuses a buffer to send its new constraints.
    static let constraintTimeout: Int64 = 1_000_000_000
    private static let largestSide = 32768

    /// The part of the output, in logical pixels from its corner; nil: all of it.
    private let part: PixelRect?
    private var state = State.waiting(until: .min)
    private var offer = Offer()
    /// The buffers' layout in this session, once known.
    private var layout: CopyBuffer.Layout?
    /// The last taken frame, without its damage; nil: all of the next one is new.
    private var known: Frame?
    /// The changes since the two buffers were filled: the next one, and the current one. Nil: all of it.
    private var missing: (next: DamageList?, current: DamageList?)

    init(part: PixelRect?) { self.part = part }

    /// The latest time to call `advance`; nil: after the compositor's next event.
    var deadline: Int64? {
        switch state {
        case .waiting(let instant), .asked(let instant): instant == .max ? nil : instant
        case .capturing, .captured, .away: nil
        }
    }

    var hasFrame: Bool { frame != nil }

    /// The frame that can be taken, if any.
    var frame: Frame? { if case .captured(let frame) = state { frame } else { nil } }

    mutating func advance(to now: Int64) -> Request? {
        switch state {
        case .waiting(let instant) where now >= instant, .asked(let instant) where now >= instant:
            (state, offer, layout) = (.asked(until: .max), Offer(), nil)
            forgetBuffers()
            return .open
        default: return nil
        }
    }

    private mutating func forgetBuffers() {
        known = nil
        missing = (nil, nil)
    }

    mutating func note(size: PixelSize) { offer.size = size }

    mutating func note(format: UInt32) {
        guard let packing = PackedPixels(shmFormat: format) else {
            offer.unknown = offer.unknown ?? format
            return
        }
        if let best = offer.best, best.packing.cost <= packing.cost { return }
        offer.best = (format, packing)
    }

    /// The session has sent all its constraints. It may send new ones at any time.
    mutating func constraintsEnded() -> Request? {
        defer { offer = Offer() }
        let isOpen =
            switch state {
            case .waiting, .away: false
            case .asked, .capturing, .captured: true
            }
        // An output that is off may temporarily have no size.
        guard isOpen, let size = offer.size, !PixelRect(size: size).isEmpty else { return nil }
        guard let (format, packing) = offer.best else {
            return .fail(offer.unknown.map { .unsupportedPixels(format: $0) } ?? .noFramesInMemory)
        }
        guard size.width <= Self.largestSide, size.height <= Self.largestSide else {
            return .fail(.unsupportedPixels(format: format))
        }
        // Rows begin on whole words, for graphics libraries.
        let wanted = CopyBuffer.Layout(
            format: format, size: size, stride: (size.width * packing.bytesPerPixel + 3) & ~3)
        let isSame = wanted == layout
        layout = wanted
        if !isSame { forgetBuffers() }
        switch state {
        case .asked: return capture()
        // The compositor would refuse its current buffer.
        case .capturing where !isSame: return capture()
        case .capturing, .captured, .waiting, .away: return nil
        }
    }

    /// The session has ended. If its output has gone too, `startAgain` follows.
    mutating func stopped(at now: Int64) -> Request? {
        switch state {
        case .waiting, .away: return nil
        case .asked, .capturing, .captured:
            state = .waiting(until: now + Self.stopInterval)
            return .close
        }
    }

    private mutating func capture() -> Request? {
        guard let layout else {
            state = .asked(until: .max)
            return nil
        }
        state = .capturing(Filling(layout: layout))
        return .capture(layout, missing: missing.next?.rects)
    }

    mutating func note(orientation: Orientation) {
        guard case .capturing(var filling) = state else { return }
        filling.orientation = orientation
        state = .capturing(filling)
    }

    mutating func note(damage: PixelRect) {
        guard case .capturing(var filling) = state else { return }
        filling.damage = filling.damage ?? DamageList()
        filling.damage?.insert(damage.intersection(PixelRect(size: filling.layout.size)))
        state = .capturing(filling)
    }

    /// `desktop` is the size of the output in logical pixels.
    mutating func ready(desktop: PixelSize) -> Request? {
        guard case .capturing(let filling) = state else { return nil }
        // Without reported damage, the whole frame may have changed.
        missing.next = DamageList()
        if let damage = filling.damage { missing.current?.insert(damage) } else { missing.current = nil }
        let part = place(in: filling, desktop: desktop)
        guard !part.isEmpty else { return capture() }
        var frame = Frame(layout: filling.layout, part: part, orientation: filling.orientation)
        if frame == known, let damage = filling.damage {
            let seen = damage.rects.map { $0.intersection(part).offset(x: -part.x, y: -part.y) }.filter { !$0.isEmpty }
            guard !seen.isEmpty else { return capture() }
            frame.damage = seen
        }
        state = .captured(frame)
        return .release
    }

    /// The buffer's pixels of the part; empty if the output no longer contains it.
    private func place(in frame: Filling, desktop: PixelSize) -> PixelRect {
        let size = frame.layout.size
        guard let part else { return PixelRect(size: size) }
        let upright = frame.orientation.turned(size)
        guard desktop.width > 0, desktop.height > 0 else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        // A logical pixel may not be a whole number of the output's pixels: includes all that it touches.
        let (left, right) = (part.x * upright.width / desktop.width, part.maxX * upright.width)
        let (top, bottom) = (part.y * upright.height / desktop.height, part.maxY * upright.height)
        let touched = PixelRect(
            x: left, y: top, width: (right + desktop.width - 1) / desktop.width - left,
            height: (bottom + desktop.height - 1) / desktop.height - top)
        return frame.orientation.turnedBack(touched.intersection(PixelRect(size: upright)), of: size)
    }

    mutating func failed(_ failure: Failure, at now: Int64) -> Request? {
        guard case .capturing = state else { return nil }
        switch failure {
        case .stopped: return stopped(at: now)
        case .constraints:
            // The new constraints will follow.
            state = .asked(until: now + Self.constraintTimeout)
            forgetBuffers()
            return .release
        case .unknown:
            // A new session gives its first frame at once; this one might wait for a change.
            state = .waiting(until: now + Self.retryInterval)
            return .close
        }
    }

    /// The frame is current now, and the previous frame's buffer is free. The next frame is requested at once.
    mutating func taken() -> Request? {
        guard case .captured(var frame) = state else { return nil }
        missing = (missing.current, missing.next)
        if frame.layout == layout {
            frame.damage = nil
            known = frame
        }
        return capture()
    }

    /// The output has gone or was replaced; or only frames captured from now on are valid.
    mutating func startAgain(isThere: Bool) -> Request? {
        let isOpen =
            switch state {
            case .asked, .capturing, .captured: true
            case .waiting, .away: false
            }
        state = isThere ? .waiting(until: .min) : .away
        return isOpen ? .close : nil
    }
}

extension PackedPixels {
    /// Orders a compositor's formats by the cost of reading: first the frames' own, then those with a byte per colour.
    fileprivate var cost: Int {
        switch self {
        case .bgra: 0
        case .rgba: 1
        case .bgr, .rgb: 2
        case .bgr30, .rgb30: 3
        case .bgr565: 4
        }
    }
}
