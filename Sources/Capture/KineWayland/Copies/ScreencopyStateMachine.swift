// The copies of one output, one after another (wlr-screencopy-unstable-v1). It makes no request and has no clock; `ScreencopyCopier`
// carries out its answers.
import KineMedia

/// Instants are nanoseconds of CLOCK_MONOTONIC.
///
/// There are two buffers: one holds the frame that is read, the other the one that the compositor draws. The compositor is asked for the
/// first frame as it is, and for each later one as soon as something has changed: asked for damage first, a screen that stands still would
/// never give a frame.
struct ScreencopyStateMachine {
    typealias Layout = CopyBuffer.Layout

    enum Request: Equatable {
        /// Ask for a frame: its layout is told then.
        case capture
        /// Have it copied into the buffer that is not being read, which is to have this layout.
        case copy(Layout, waitsForDamage: Bool)
        /// Give the frame's object up.
        case release
    }

    /// A frame that was copied.
    struct Frame: Equatable {
        var layout: Layout
        /// The rows are from the bottom up.
        var isUpsideDown = false
        /// In pixels of the output; nil: all of it may have changed.
        var damage: [PixelRect]?
    }

    private enum State: Equatable {
        /// At that instant the next frame is asked for.
        case waiting(until: Int64)
        case asked(Layout?)
        case copying(Frame)
        case copied(Frame)
        /// There is no such output now.
        case away
    }

    /// Nanoseconds until a frame is asked for again that could not be copied. An output that has just changed its mode refuses some.
    static let retryInterval: Int64 = 50_000_000

    /// The protocol's version that the compositor has.
    private let version: UInt32
    /// The rectangle of damage that is told is of the frame; otherwise it is not relied upon.
    private let hasDamage: Bool
    private var state = State.waiting(until: .min)
    /// The layout of the frame that was taken last; nil: the next one is another kind of frame, or the first.
    private var known: Layout?

    /// - Parameters:
    ///   - version: of the protocol.
    ///   - hasDamage: the compositor's damage is in the frame's coordinates.
    init(version: UInt32, hasDamage: Bool) {
        self.version = version
        self.hasDamage = hasDamage && version >= 2
    }

    /// The instant at which `advance` is to be called; nil: after the compositor's next event.
    var deadline: Int64? { if case .waiting(let instant) = state { instant } else { nil } }

    /// A frame has been copied and can be taken.
    var hasFrame: Bool { if case .copied = state { true } else { false } }

    /// The frame that can be taken; nil: none.
    var frame: Frame? { if case .copied(let frame) = state { frame } else { nil } }

    mutating func advance(to now: Int64) -> Request? {
        guard case .waiting(let instant) = state, now >= instant else { return nil }
        state = .asked(nil)
        return .capture
    }

    /// The compositor tells what a frame needs, and from version 3 on other kinds of memory after it.
    mutating func described(_ layout: Layout) -> Request? {
        guard case .asked(nil) = state else { return nil }
        state = .asked(layout)
        return version < 3 ? copy() : nil
    }

    mutating func descriptionEnded(at now: Int64) -> Request? {
        switch state {
        case .asked(nil): failed(at: now)  // no memory that is known here
        case .asked: copy()
        default: nil
        }
    }

    private mutating func copy() -> Request? {
        guard case .asked(let layout?) = state else { return nil }
        let waits = known == layout && version >= 2
        state = .copying(Frame(layout: layout, damage: waits && hasDamage ? [] : nil))
        return .copy(layout, waitsForDamage: waits)
    }

    mutating func note(isUpsideDown: Bool) {
        guard case .copying(var frame) = state else { return }
        frame.isUpsideDown = isUpsideDown
        state = .copying(frame)
    }

    mutating func note(damage: PixelRect) {
        guard case .copying(var frame) = state, frame.damage != nil else { return }
        // Compositors tell of one rectangle; with many, their number is no matter of theirs.
        if frame.damage?.count == 64 { frame.damage = nil } else { frame.damage?.append(damage) }
        state = .copying(frame)
    }

    mutating func ready() -> Request? {
        guard case .copying(let frame) = state else { return nil }
        state = .copied(frame)
        return .release
    }

    mutating func failed(at now: Int64) -> Request? {
        switch state {
        case .asked, .copying:
            known = nil
            state = .waiting(until: now + Self.retryInterval)
            return .release
        case .waiting, .copied, .away: return nil
        }
    }

    /// The frame is read from now on, and the buffer that was read before is free. The next frame is asked for at once: while a request is
    /// open, wlroots composes the screen itself. Between requests it may show a window that fills the screen without composing it, and reports
    /// the whole screen as damage each time that it changes from one to the other; a screen that stands still would be copied again and again.
    mutating func taken() -> Request? {
        guard case .copied(let frame) = state else { return nil }
        known = frame.layout
        state = .asked(nil)
        return .capture
    }

    /// The output has gone, or is another one; the frame that was read last stays.
    mutating func outputChanged(isThere: Bool) -> Request? {
        let isOpen =
            switch state {
            case .asked, .copying: true
            case .waiting, .copied, .away: false
            }
        known = nil
        state = isThere ? .waiting(until: .min) : .away
        return isOpen ? .release : nil
    }
}
