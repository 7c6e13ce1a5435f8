// Reads the events of mouse and keyboard for a recording's input track. Of a key's code nothing is kept but whether it is a modifier.
import CXCB
import KineCapture
import KineInput
import KineMedia
import KinePlatform

/// Used on its thread alone.
final class X11InputLoop: X11KeyFollowing {
    private let connection: X11Connection
    private let input: X11Input?
    /// The window in whose pixels places are reported.
    private let window: UInt32
    private let focus: X11KeyFocus
    private let found: X11FoundInput
    private let activeWindow: UInt32
    private var modifiers: Set<UInt8>
    /// A program has the keyboard for itself: a shortcut of the desktop or of Kinecast was pressed, or a menu is open.
    private var isGrabbed = false
    private var focusMayHaveMoved = true
    private var wasPressed = false
    private var nextTyped: Int64 = .min
    /// The window with the focus at the last look, if its keys count.
    private var focused: PixelRect?
    /// No window had the focus then: keys go to the window under the pointer.
    private var isUnderPointer = false

    /// Nanoseconds after a key in which no other is looked at: the track knows half seconds.
    private static let pause: Int64 = 100_000_000

    init(_ scope: KeyScope, _ window: UInt32, _ found: X11FoundInput, _ connection: X11Connection) {
        self.connection = connection
        self.window = window
        self.found = found
        input = X11Input(connection: connection)
        // If no window had the focus before, the server reports a change to the root window alone.
        let rootEvents = XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue | XCB_EVENT_MASK_FOCUS_CHANGE.rawValue
        focus = X11KeyFocus(
            connection: connection, within: scope.windows, excluding: scope.excluded, rootEvents: rootEvents)
        modifiers = Self.modifiers(connection)
        activeWindow = connection.atom("_NET_ACTIVE_WINDOW")
    }

    func run(_ wake: WakeSignal, isEnding: () -> Bool) {
        while !isEnding(), !connection.isBroken {
            repeat {
                connection.forEachEvent { read($0) }
                settle()
            } while connection.forEachEvent { read($0) } || focusMayHaveMoved || wasPressed
            xcb_flush(connection.handle)
            PollLoop.wait(for: wake, ReadableDescriptor(connection.descriptor), until: nil)
        }
    }

    private func read(_ event: X11Event) {
        switch focus.read(event) {
        case .moved(let isGrabbed):
            if !isGrabbed { self.isGrabbed = false }
            noteMove()
        case .grabbed(let isGrabbed):
            self.isGrabbed = isGrabbed
            // It was this key's.
            if isGrabbed { wasPressed = false }
        case .arrived: isGrabbed = false
        case nil: note(event)
        }
    }

    private func note(_ event: X11Event) {
        switch Int32(event.kind) {
        case XCB_PROPERTY_NOTIFY:
            if event.read(xcb_property_notify_event_t.self).atom == activeWindow { noteMove() }
        case XCB_MAPPING_NOTIFY:
            modifiers = Self.modifiers(connection)
            input?.noteMapping()
        case XCB_GE_GENERIC:
            switch input?.read(event) {
            case .key(let code):
                if !isGrabbed, !modifiers.contains(code), MonotonicClock.now() >= nextTyped { wasPressed = true }
            case .press(let button): found.append(.mouse(.pressed(button), pointer()))
            case .release(let button): found.append(.mouse(.released(button), pointer()))
            case .scroll(let x, let y): found.append(.mouse(.scrolled(x: x, y: y), pointer()))
            case .motion, nil: break
            }
        default: break
        }
    }

    private func pointer() -> X11Pointer.Answer? { X11Pointer.Question(in: window, connection).answer }

    /// A key that was pressed before was for the window that had the focus then, if that is known.
    private func noteMove() {
        if wasPressed, !focusMayHaveMoved { noteTyping() }
        (wasPressed, focusMayHaveMoved) = (false, true)
    }

    /// Looks where the keyboard is, if that may have changed or a key was pressed.
    private func settle() {
        guard focusMayHaveMoved || wasPressed else { return }
        focusMayHaveMoved = false
        let look = focus.look()
        let rect = look.isShown ? place(of: look.window) : nil
        isUnderPointer = look.window == 1
        if rect != focused {
            focused = rect
            found.append(.focused(rect))
        }
        // The server has told of a grab by this key before it answered.
        connection.forEachEvent { read($0) }
        guard wasPressed, !focusMayHaveMoved else { return }
        wasPressed = false
        noteTyping()
    }

    private func noteTyping() {
        if let focused {
            found.append(.typed(focused))
            nextTyped = MonotonicClock.now() + Self.pause
        } else if isUnderPointer {
            found.append(.typedUnder(pointer()))
        }
    }

    private func place(of window: UInt32) -> PixelRect? {
        guard let geometry = connection.geometry(of: window),
            let origin = connection.contentOrigin(of: window, in: connection.root)
        else { return nil }
        return PixelRect(origin: origin, size: geometry.rect.size)
    }

    /// The codes of the keys that are modifiers.
    private static func modifiers(_ connection: X11Connection) -> Set<UInt8> {
        let cookie = xcb_get_modifier_mapping(connection.handle)
        let codes = connection.reply(cookie, xcb_get_modifier_mapping_reply) { reply -> [UInt8] in
            let count = Int(xcb_get_modifier_mapping_keycodes_length(reply))
            return Array(UnsafeBufferPointer(start: xcb_get_modifier_mapping_keycodes(reply), count: count))
        }
        return Set(codes ?? [])
    }
}
