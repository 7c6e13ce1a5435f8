// Lets a person draw the region of the screen to capture, and opens it.
import CXCB
import Glibc
import KineCapture
import KineMedia
import KinePlatform
import KineText

/// Waits for the person. The connection grabs mouse and keyboard; the server releases them with the connection.
public final class X11RegionOpening: VideoSourceOpening {
    private enum State {
        /// Other clients may hold the mouse or keyboard briefly, as a desktop does while a shortcut's key is down.
        case grabbing(until: Int64)
        case drawing(X11RegionOverlay, RegionSelection, until: Int64)
        /// The overlay is hidden; the windows below repaint. Ends at `quiet`, or else at `until`.
        case settling(Result<PixelRect, VideoSourceError>, quiet: Int64, until: Int64)
        case over
    }

    private static let grabTimeout: Int64 = 1_000_000_000
    private static let grabInterval: Int64 = 50_000_000
    private static let quietTime: Int64 = 150_000_000
    private static let settlingLimit: Int64 = 1_000_000_000

    private let connection: X11Connection
    private let cancellation: Cancellation?
    private let timeout: Int64
    private let open: (PixelRect) throws(VideoSourceError) -> any VideoSource
    private let cursor: UInt32
    private let escapeKeys: Set<UInt8>
    private let damage: UInt32
    private var state: State
    public private(set) var deadline: Int64?

    /// `display` is the server's name; nil: DISPLAY. Throws without such a server, or if its screen cannot be captured.
    /// - Parameters:
    ///   - timeout: nanoseconds without input that end the drawing. A screen saver cannot lock the screen meanwhile.
    ///   - allowsXwayland: as `X11ScreenSource`'s.
    ///   - open: opens the drawn region, in the screen's coordinates.
    public init(
        display: String? = nil, allowsXwayland: Bool = false, cancellation: Cancellation? = nil,
        timeout: Int64 = 60_000_000_000,
        open: @escaping (PixelRect) throws(VideoSourceError) -> any VideoSource
    ) throws(VideoSourceError) {
        connection = try X11Connection(display: display, cancellation: cancellation)
        if let problem = connection.screenProblem, !allowsXwayland || problem != .waylandSession { throw problem }
        try connection.checkForDamage("drawing a region")
        self.cancellation = cancellation
        self.timeout = timeout
        self.open = open
        cursor = Self.crosshair(connection)
        escapeKeys = Self.keys(of: Self.escape, connection)
        damage = xcb_generate_id(connection.handle)
        state = .grabbing(until: MonotonicClock.now() + Self.grabTimeout)
    }

    public var descriptor: Int32 { connection.descriptor }

    public var coversScreen: Bool {
        switch state {
        case .grabbing, .over: false
        case .drawing, .settling: true
        }
    }

    public func processEvents() throws(VideoSourceError) -> (any VideoSource)? {
        let now = MonotonicClock.now()
        if case .grabbing(let end) = state { try grab(until: end, now) }
        repeat {
            connection.forEachEvent { handle($0, at: now) }
        } while showSelection()
        if connection.isBroken { throw cancellation?.isCancelled == true ? .serverGivenUp : .serverLost }
        if case .drawing(let overlay, _, let end) = state, now >= end {
            settle(.failure(.regionNotDrawn), hiding: overlay, now)
        }
        if case .settling(let result, let quiet, let end) = state, now >= min(quiet, end) {
            state = .over
            deadline = nil
            return try open(try result.get())
        }
        deadline =
            switch state {
            case .grabbing: now + Self.grabInterval
            case .drawing(_, _, let end): end
            case .settling(_, let quiet, let end): min(quiet, end)
            case .over: nil
            }
        return nil
    }

    public func giveUp() {
        let now = MonotonicClock.now()
        switch state {
        case .grabbing: state = .settling(.failure(.regionCancelled), quiet: now, until: now)
        case .drawing(let overlay, _, _): settle(.failure(.regionCancelled), hiding: overlay, now)
        case .settling(.success, let quiet, let end):
            state = .settling(.failure(.regionCancelled), quiet: quiet, until: end)
        case .settling(.failure, _, _), .over: break
        }
    }

    private func grab(until end: Int64, _ now: Int64) throws(VideoSourceError) {
        let handle = connection.handle
        let mask =
            XCB_EVENT_MASK_BUTTON_PRESS.rawValue | XCB_EVENT_MASK_BUTTON_RELEASE.rawValue
            | XCB_EVENT_MASK_POINTER_MOTION.rawValue
        let mode = UInt8(XCB_GRAB_MODE_ASYNC.rawValue)
        let pointer = xcb_grab_pointer(
            handle, 0, connection.root, UInt16(mask), mode, mode, 0, cursor, UInt32(XCB_CURRENT_TIME))
        let keyboard = xcb_grab_keyboard(handle, 0, connection.root, UInt32(XCB_CURRENT_TIME), mode, mode)
        let success = UInt8(XCB_GRAB_STATUS_SUCCESS.rawValue)
        let hasPointer = connection.reply(pointer, xcb_grab_pointer_reply) { $0.pointee.status == success } ?? false
        let hasKeyboard = connection.reply(keyboard, xcb_grab_keyboard_reply) { $0.pointee.status == success } ?? false
        guard hasPointer, hasKeyboard else {
            release()
            if now >= end, !connection.isBroken { throw .inputGrabbed }
            return
        }
        let overlay = try X11RegionOverlay(connection, cursor: cursor)
        overlay.show("Drag over the part to capture. Escape cancels.", beside: pointerPosition)
        state = .drawing(overlay, RegionSelection(screen: overlay.screen), until: now + timeout)
    }

    private func release() {
        xcb_ungrab_pointer(connection.handle, UInt32(XCB_CURRENT_TIME))
        xcb_ungrab_keyboard(connection.handle, UInt32(XCB_CURRENT_TIME))
        xcb_flush(connection.handle)
    }

    private var pointerPosition: PixelPoint {
        connection.reply(xcb_query_pointer(connection.handle, connection.root), xcb_query_pointer_reply) {
            PixelPoint(x: Int($0.pointee.root_x), y: Int($0.pointee.root_y))
        } ?? PixelPoint(x: 0, y: 0)
    }

    private func handle(_ event: X11Event, at now: Int64) {
        switch state {
        case .drawing(let overlay, let selection, _):
            if event.kind == UInt8(XCB_EXPOSE) { return overlay.repaint() }
            guard let input = input(event) else { return }
            draw(input, on: overlay, selection, now)
        case .settling(let result, _, let end):
            guard event.kind == connection.damageEvent + UInt8(XCB_DAMAGE_NOTIFY) else { return }
            xcb_damage_subtract(connection.handle, damage, 0, 0)
            xcb_flush(connection.handle)
            state = .settling(result, quiet: now + Self.quietTime, until: end)
        case .grabbing, .over: break
        }
    }

    private func input(_ event: X11Event) -> RegionSelection.Event? {
        // Presses, releases and motion have the same fields.
        let fields = event.read(xcb_button_press_event_t.self)
        let point = PixelPoint(x: Int(fields.root_x), y: Int(fields.root_y))
        return switch event.kind {
        case UInt8(XCB_BUTTON_PRESS): .pressed(button: Int(fields.detail), at: point)
        case UInt8(XCB_BUTTON_RELEASE): .released(button: Int(fields.detail), at: point)
        case UInt8(XCB_MOTION_NOTIFY): .moved(to: point)
        case UInt8(XCB_KEY_PRESS) where escapeKeys.contains(fields.detail): .escaped
        default: nil
        }
    }

    private func draw(
        _ input: RegionSelection.Event, on overlay: X11RegionOverlay, _ selection: RegionSelection, _ now: Int64
    ) {
        var selection = selection
        selection.handle(input)
        state = .drawing(overlay, selection, until: now + timeout)
        switch selection.state {
        case .drawn(let rect): settle(.success(rect), hiding: overlay, now)
        case .cancelled: settle(.failure(.regionCancelled), hiding: overlay, now)
        case .waiting, .drawing: break
        }
    }

    /// Shows the current selection, and waits for the server: a mouse moves more often than a screen is drawn. Returns
    /// whether it waited: events may then have come that the descriptor does not show.
    private func showSelection() -> Bool {
        guard case .drawing(let overlay, let selection, _) = state, let rect = selection.rect, rect != overlay.shown
        else { return false }
        overlay.show(rect)
        return waitForServer()
    }

    /// Hides the overlay, and waits until the screen below is repainted.
    private func settle(
        _ result: Result<PixelRect, VideoSourceError>, hiding overlay: X11RegionOverlay, _ now: Int64
    ) {
        xcb_damage_create(
            connection.handle, damage, connection.root, UInt8(XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY.rawValue))
        overlay.hide()
        state = .settling(result, quiet: now + Self.quietTime, until: now + Self.settlingLimit)
        release()
        _ = waitForServer()
    }

    /// The server answers requests in order, so the answer proves that earlier ones are done. False without an answer.
    private func waitForServer() -> Bool {
        connection.reply(xcb_get_input_focus(connection.handle), xcb_get_input_focus_reply) { _ in true } ?? false
    }

    /// XK_Escape.
    private static let escape: UInt32 = 0xff1b

    /// The keys that have a symbol, on any level.
    private static func keys(of symbol: UInt32, _ connection: X11Connection) -> Set<UInt8> {
        guard let setup = xcb_get_setup(connection.handle) else { return [] }
        let (first, last) = (setup.pointee.min_keycode, setup.pointee.max_keycode)
        return connection.reply(
            xcb_get_keyboard_mapping(connection.handle, first, last - first + 1), xcb_get_keyboard_mapping_reply
        ) { reply in
            let perKey = Int(reply.pointee.keysyms_per_keycode)
            let symbols = UnsafeBufferPointer(
                start: xcb_get_keyboard_mapping_keysyms(reply),
                count: Int(xcb_get_keyboard_mapping_keysyms_length(reply)))
            return Set(symbols.indices.filter { symbols[$0] == symbol }.map { first + UInt8($0 / max(1, perKey)) })
        } ?? []
    }

    /// The crosshair of X11's cursor font (X11/cursorfont.h), white on black.
    private static func crosshair(_ connection: X11Connection) -> UInt32 {
        let (font, cursor) = (xcb_generate_id(connection.handle), xcb_generate_id(connection.handle))
        let (name, glyph) = ("cursor", UInt16(34))
        xcb_open_font(connection.handle, font, UInt16(name.utf8.count), name)
        xcb_create_glyph_cursor(
            connection.handle, cursor, font, font, glyph, glyph + 1, .max, .max, .max, 0, 0, 0)
        xcb_close_font(connection.handle, font)
        return cursor
    }
}
