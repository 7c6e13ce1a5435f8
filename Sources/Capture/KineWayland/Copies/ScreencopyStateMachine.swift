// The copies of one output, one after another (wlr-screencopy-unstable-v1). No requests, no clock: `ScreencopyCopier`
// sends the requests.
import KineMedia

/// Instants are nanoseconds of CLOCK_MONOTONIC.
///
/// There are two buffers: one holds the current frame, the compositor draws into the other. The first frame is
/// requested at once, each later one after a change: a first request for a change would never be answered on a still
/// screen.
struct ScreencopyStateMachine {
    typealias Layout = CopyBuffer.Layout

    enum Request: Equatable {
        /// Request a frame. Its layout follows.
        case capture
        /// Request its copy into the buffer that is not current, with this layout.
        case copy(Layout, waitsForDamage: Bool)
        /// Destroy the frame's object.
        case release
    }

    /// A copied frame.
    struct Frame: Equatable {
        var layout: Layout
        /// The rows are stored from the bottom up.
        var isUpsideDown = false
        /// In pixels of the output; nil: all of it may have changed.
        var damage: [PixelRect]?
    }

    private enum State: Equatable {
        /// The next frame is requested at this instant.
        case waiting(until: Int64)
        case asked(Layout?)
        case copying(Frame)
        case copied(Frame)
        /// There is no such output now.
        case away
    }

    /// Nanoseconds until a failed copy is requested again. An output that has just changed its mode refuses some.
    static let retryInterval: Int64 = 50_000_000

    /// The compositor's damage refers to the frame; otherwise it is ignored.
    private let hasDamage: Bool
    private var state = State.waiting(until: .min)
    /// The layout of the last taken frame; nil: the next one is a different frame, or the first.
    private var known: Layout?

    init(hasDamage: Bool) { self.hasDamage = hasDamage }

    /// The latest time to call `advance`; nil: after the compositor's next event.
    var deadline: Int64? { if case .waiting(let instant) = state { instant } else { nil } }

    var hasFrame: Bool { if case .copied = state { true } else { false } }

    /// The frame that can be taken, if any.
    var frame: Frame? { if case .copied(let frame) = state { frame } else { nil } }

    mutating func advance(to now: Int64) -> Request? {
        guard case .waiting(let instant) = state, now >= instant else { return nil }
        state = .asked(nil)
        return .capture
    }

    /// The compositor describes the frame's memory. Other kinds of memory may follow.
    mutating func note(layout: Layout) { if case .asked(nil) = state { state = .asked(layout) } }

    mutating func descriptionEnded(at now: Int64) -> Request? {
        guard case .asked(let described) = state else { return nil }
        guard let layout = described else { return failed(at: now) }  // no memory that is known here
        let waits = known == layout
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
        // Compositors report one rectangle. After many, all of the frame counts as damaged.
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

    /// The frame is current now, and the previous frame's buffer is free. Requests the next frame at once: while a
    /// request is open, wlroots composes the screen itself. Otherwise it may show a full-screen window directly, and
    /// reports the whole screen as damage with each switch: a still screen would be copied repeatedly.
    mutating func taken() -> Request? {
        guard case .copied(let frame) = state else { return nil }
        known = frame.layout
        state = .asked(nil)
        return .capture
    }

    /// The output has gone or was replaced. The current frame stays.
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
