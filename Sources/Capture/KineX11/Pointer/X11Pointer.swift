// Where the mouse pointer is. XI2 reports what mice do, but no event reports that a program moves the pointer
// (WarpPointer): the server is asked while pointer or keyboard are in use. Its counter IDLETIME (SYNC) says when they are,
// and counts such moves too.
import CXCB
import KineMedia

/// When to ask for the position. Instants are nanoseconds of CLOCK_MONOTONIC.
struct PointerChecks {
    /// The time between two checks while the screen is in use.
    let interval: Int64
    /// The time between two checks while a program moves the pointer: one a frame.
    static let movingInterval: Int64 = 16_000_000
    /// The time of the next check; nil: none before the next `noteActivity`.
    private(set) var deadline: Int64? = 0
    private var movedAt: Int64?

    init(interval: Int64) { self.interval = interval }

    /// The screen is in use again: the pointer may have moved.
    mutating func noteActivity() { deadline = 0 }

    func isDue(at now: Int64) -> Bool { deadline.map { $0 <= now } ?? false }

    /// - Parameters:
    ///   - hasMoved: the check found another position.
    ///   - idleTime: nanoseconds since the screen was last in use; nil: the server does not say.
    mutating func checked(hasMoved: Bool, idleTime: Int64?, at now: Int64) {
        if hasMoved { movedAt = now }
        deadline =
            if let movedAt, now - movedAt < 2 * interval {
                now + Self.movingInterval
            } else if let idleTime, idleTime >= interval { nil } else { now + interval }
    }
}

/// The pointer's position. Used by the capture thread.
final class X11Pointer {
    private let connection: X11Connection
    /// 0: the server does not say when it was last in use.
    private let idleCounter: UInt32
    /// The number of the event that reports use after a pause; 128, which no event has: the server has none.
    let activityEvent: UInt8
    private var checks: PointerChecks
    /// Whether it may have moved since the last `place`.
    private(set) var mayHaveMoved = true
    /// The last answer, on the server's screen.
    private var last: PixelPoint?

    /// The server's initial pointer position on the screen, until the pointer moves; nil: it has moved, or belongs to a
    /// person.
    private var untouched: PixelPoint?

    /// - Parameters:
    ///   - isPrivate: the screen belongs to the take and has no mouse.
    ///   - isShown: an image in the frames depends on the position.
    init(connection: X11Connection, isPrivate: Bool, isShown: Bool) {
        self.connection = connection
        // dix places the pointer in the middle (InitializeSprite of the X server).
        if isPrivate {
            untouched = PixelPoint(x: connection.initialSize.width / 2, y: connection.initialSize.height / 2)
        }
        checks = PointerChecks(interval: isPrivate ? 100_000_000 : 250_000_000)
        let sync = isShown ? kine_sync_extension(connection.handle)?.pointee : nil
        guard let sync, sync.present != 0 else {
            (idleCounter, activityEvent) = (0, 128)
            return
        }
        activityEvent = sync.first_event + 1  // AlarmNotify
        idleCounter = kine_find_idle_counter(connection.handle)
        if idleCounter != 0 { kine_watch_idle_counter(connection.handle, idleCounter, Self.pause) }
    }

    /// Milliseconds without use after which the next use is reported. Less than the intervals of the checks, so that
    /// use after the last check is always reported.
    private static let pause: UInt32 = 50

    /// Whether a program or a person moved the pointer. Up to date after `place`.
    var hasMoved: Bool { untouched == nil }

    /// A mouse moved it, or the frame is elsewhere on the screen.
    func noteMotion() { mayHaveMoved = true }

    /// Pointer or keyboard were used: a program may have moved the pointer.
    func noteActivity() { checks.noteActivity() }

    /// When to call `check` without an event (CLOCK_MONOTONIC); nil: never.
    var deadline: Int64? { checks.deadline }

    /// If a check is due, asks whether the pointer has moved: a frame is read only if it has. Returns whether it asked;
    /// events may have come with the answer.
    func check(at now: Int64) -> Bool {
        guard !mayHaveMoved, checks.isDue(at: now) else { return false }
        let question = Question(in: connection.root, connection)
        let idleQuestion = idleCounter == 0 ? nil : kine_ask_idle_counter(connection.handle, idleCounter)
        let before = last
        _ = take(question)
        mayHaveMoved = last != before
        let milliseconds = idleQuestion.map { kine_read_idle_counter(connection.handle, $0) }
        checks.checked(hasMoved: mayHaveMoved, idleTime: milliseconds.map { $0 * 1_000_000 }, at: now)
        return true
    }

    struct Answer {
        /// In the window that was asked about.
        var place: PixelPoint
        /// The root's child at that place; 0: none.
        var top: UInt32
        fileprivate var rootPlace: PixelPoint
    }

    /// A request for the position in a window, which was sent.
    struct Question {
        private let connection: X11Connection
        private let own: xcb_query_pointer_cookie_t
        /// Nil: `own` is about the root window, or its child is not wanted.
        private let root: xcb_query_pointer_cookie_t?

        /// - Parameter withTop: also ask for the root's child there.
        init(in window: UInt32, _ connection: X11Connection, withTop: Bool = true) {
            self.connection = connection
            own = xcb_query_pointer(connection.handle, window)
            let asksRoot = withTop && window != connection.root
            root = asksRoot ? xcb_query_pointer(connection.handle, connection.root) : nil
        }

        /// Waits for the answer, with which events may come; nil: the pointer is on another screen. Call once.
        var answer: Answer? {
            var answer = read(own)
            if let root { answer?.top = read(root)?.top ?? 0 }
            return answer
        }

        private func read(_ cookie: xcb_query_pointer_cookie_t) -> Answer? {
            let answer = connection.reply(cookie, xcb_query_pointer_reply) { reply -> Answer? in
                guard reply.pointee.same_screen != 0 else { return nil }
                return Answer(
                    place: PixelPoint(x: Int(reply.pointee.win_x), y: Int(reply.pointee.win_y)),
                    top: reply.pointee.child,
                    rootPlace: PixelPoint(x: Int(reply.pointee.root_x), y: Int(reply.pointee.root_y)))
            }
            return answer ?? nil
        }
    }

    /// The answer for a frame; nil: the pointer is on another screen.
    func newest(_ question: Question) -> Answer? {
        mayHaveMoved = false
        return take(question)
    }

    private func take(_ question: Question) -> Answer? {
        let answer = question.answer
        last = answer?.rootPlace
        if let untouched, last != untouched { self.untouched = nil }
        return answer
    }
}
