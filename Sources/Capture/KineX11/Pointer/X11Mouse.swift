// The mouse of an X server, as frames show it: where the pointer is, how it looks, and which buttons are pressed.
import CXCB
import KineCapture
import KineInput
import KineMedia
import KinePlatform

/// Used by the capture thread.
final class X11Mouse {
    private let connection: X11Connection
    private let position: X11Pointer
    /// Nil: the server does not report mouse events.
    private let input: X11Input?
    /// Nil: the pointer's image is not wanted.
    private let cursor: X11Cursor?
    /// Nil: clicks are not wanted.
    private var clicks: X11Clicks?
    private(set) var pointer: PointerState?
    /// Nil: the pointer is not recorded.
    private var log: PointerLog?

    /// - Parameters:
    ///   - reportsPointer: say where the pointer is, and its image.
    ///   - reportsClicks: say when a button is pressed and released, and where the pointer is meanwhile.
    ///   - recordsPointer: report where it is seen.
    ///   - isPrivate: the screen belongs to the take and has no mouse; the pointer has an image once it has moved.
    init(
        reportsPointer: Bool, reportsClicks: Bool, recordsPointer: Bool, isPrivate: Bool, connection: X11Connection
    ) throws(VideoSourceError) {
        self.connection = connection
        input = X11Input(connection: connection)
        cursor = reportsPointer && connection.hasFixes ? X11Cursor(connection: connection) : nil
        log = recordsPointer && cursor != nil ? PointerLog() : nil
        clicks = reportsClicks ? X11Clicks() : nil
        if reportsClicks, input == nil { throw .noInputEvents }
        position = X11Pointer(connection: connection, isPrivate: isPrivate, isShown: cursor != nil || clicks != nil)
    }

    /// Whether the pointer's image is painted, or a ring that follows it.
    private var needsPosition: Bool { cursor != nil || clicks?.needsPosition ?? false }

    var deadline: Int64? { needsPosition ? position.deadline : nil }

    var hasChanged: Bool { needsPosition && position.mayHaveMoved || cursor?.mayHaveChanged ?? false }

    /// Subscribes only to relevant events: a mouse may move a thousand times a second.
    func selectEvents() {
        var events: X11Input.Events = []
        if needsPosition { events.formUnion([.motion, .buttons]) }
        if clicks != nil { events.insert(.buttons) }
        input?.select(events)
    }

    func note(_ event: X11Event) {
        switch event.kind {
        case connection.fixesEvent + UInt8(XCB_XFIXES_CURSOR_NOTIFY): cursor?.noteImage()
        case UInt8(XCB_GE_GENERIC):
            switch input?.read(event) {
            case .motion: position.noteMotion()
            case .press(let button): note(.pressed(button))
            case .release(let button): note(.released(button))
            case .scroll, .key, nil: break
            }
        case position.activityEvent: position.noteActivity()
        case UInt8(XCB_MAPPING_NOTIFY): input?.noteMapping()
        default: break
        }
    }

    private func note(_ action: InputAction) {
        position.noteActivity()
        // A ring begins and ends where the pointer is then.
        if clicks != nil { position.noteMotion() }
        clicks?.receive(InputEvent(action, at: MonotonicClock.now()))
    }

    /// The frame is elsewhere on the screen, and the pointer elsewhere in the frame.
    func noteMotion() { position.noteMotion() }

    /// As `X11Pointer.check`, if the position is needed.
    func check(at now: Int64) -> Bool { needsPosition && position.check(at: now) }

    /// Sends a request for the pointer's place in `window`, for `collect`; nil: it is not needed now.
    ///
    /// - Parameter hasChanged: a frame is read anyway.
    func ask(window: UInt32, hasChanged: Bool) -> X11Pointer.Question? {
        // Without XI2, no event reports motion.
        guard needsPosition, hasChanged || input == nil else { return nil }
        return X11Pointer.Question(in: window, connection, withTop: log != nil)
    }

    /// - Parameters:
    ///   - origin: of the frame in the window that was asked about.
    ///   - isSeen: whether this child of the root window is seen in the frame.
    func collect(_ question: X11Pointer.Question, origin: (x: Int, y: Int), isSeen: (UInt32) -> Bool) {
        let answer = position.newest(question)
        let place = answer?.place.offset(x: -origin.x, y: -origin.y)
        pointer = PointerState(image: position.hasMoved ? cursor?.current() : nil, place: place)
        clicks?.placed()
        let isSeen = log != nil && answer.map { isSeen($0.top) } == true
        log?.note(PointerState(image: pointer?.image, place: isSeen ? place : nil), at: MonotonicClock.now())
    }

    /// Removes and returns where the pointer was seen since the last call, and how it looked.
    func takePointer() -> [InputEvent] { log?.take() ?? [] }

    func reportPointerAnew() {
        guard log != nil else { return }
        log = PointerLog()
        position.noteMotion()
    }

    func takeClicks() -> [InputEvent] { clicks?.take() ?? [] }
}
