// Where the mouse pointer is. XI2 reports what mice do, but no event reports that a program moves the pointer
// (WarpPointer): the server is asked while pointer or keyboard are in use. Its counter IDLETIME (SYNC) says when they are,
// and counts such moves too.
import CXCB

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
    private var last: (x: Int, y: Int)?

    /// The server's initial pointer position on the screen, until the pointer moves; nil: it has moved, or belongs to a
    /// person.
    private var untouched: (x: Int, y: Int)?

    /// - Parameters:
    ///   - isPrivate: the screen belongs to the take and has no mouse.
    ///   - isShown: an image in the frames depends on the position.
    init(connection: X11Connection, isPrivate: Bool, isShown: Bool) {
        self.connection = connection
        // dix places the pointer in the middle (InitializeSprite of the X server).
        if isPrivate { untouched = (connection.initialSize.width / 2, connection.initialSize.height / 2) }
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
        let question = ask(window: connection.root)
        let idleQuestion = idleCounter == 0 ? nil : kine_ask_idle_counter(connection.handle, idleCounter)
        let before = last
        _ = answer(question)
        mayHaveMoved = last?.x != before?.x || last?.y != before?.y
        let milliseconds = idleQuestion.map { kine_read_idle_counter(connection.handle, $0) }
        checks.checked(hasMoved: mayHaveMoved, idleTime: milliseconds.map { $0 * 1_000_000 }, at: now)
        return true
    }

    /// Requests the position in `window`. `place` gets the answer later, in one round trip with other requests.
    func ask(window: UInt32) -> xcb_query_pointer_cookie_t { xcb_query_pointer(connection.handle, window) }

    /// The answer to `question`, for a frame that begins at `origin` of that window; nil: it is on another screen.
    func place(_ question: xcb_query_pointer_cookie_t, origin: (x: Int, y: Int)) -> (x: Int, y: Int)? {
        mayHaveMoved = false
        return answer(question).map { ($0.x - origin.x, $0.y - origin.y) }
    }

    private func answer(_ question: xcb_query_pointer_cookie_t) -> (x: Int, y: Int)? {
        let place = connection.reply(question, xcb_query_pointer_reply) { reply -> (x: Int, y: Int)? in
            let place = (x: Int(reply.pointee.root_x), y: Int(reply.pointee.root_y))
            last = place
            if let untouched, place != untouched { self.untouched = nil }
            guard reply.pointee.same_screen != 0 else { return nil }
            return (Int(reply.pointee.win_x), Int(reply.pointee.win_y))
        }
        return place ?? nil
    }
}
