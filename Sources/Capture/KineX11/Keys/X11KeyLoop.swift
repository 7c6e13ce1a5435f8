// Decides which keys are shown, and passes their badges to the capture thread.
import CXCB
import KineCapture
import KineMedia
import KinePlatform

/// Passes the newest badge from the keys' thread to the capture thread.
final class LatestBadge: Sendable {
    /// A window whose owner gets an event with each new picture.
    let window: UInt32
    private let shown = Monitor(KeyPicture())

    init(window: UInt32) { self.window = window }

    var picture: KeyPicture {
        get { shown.withLock { $0 } }
        set { shown.withLock { $0 = newValue } }
    }
}

/// Used on the keys' thread.
final class X11KeyLoop: X11KeyFollowing {
    private let connection: X11Connection
    private let keyboard: X11Keyboard
    private let focus: X11KeyFocus
    private let inspector: (any FocusInspector)?
    private let badge: KeyBadge
    private let latest: LatestBadge
    /// Nanoseconds for which a badge is opaque.
    private let hold: Int64
    private var machine: KeyDisplayStateMachine
    private var shown: KeyDisplayStateMachine.Badge?
    /// Questions to ask.
    private var questions: [Int] = []

    /// - Parameters:
    ///   - keys: the keys to show.
    ///   - scope: the windows whose keys are shown.
    ///   - badge: draws the keys.
    ///   - latest: gets each new badge; its window then gets an event.
    ///   - connection: used by this thread alone.
    init(
        _ keys: KeyDisplay, in scope: KeyScope, badge: KeyBadge, latest: LatestBadge, connection: X11Connection
    ) throws(VideoSourceError) {
        self.connection = connection
        self.badge = badge
        self.latest = latest
        hold = keys.hold
        keyboard = try X11Keyboard(connection: connection)
        focus = X11KeyFocus(connection: connection, within: scope.windows, excluding: scope.excluded)
        inspector = keys.keys == .all ? keys.inspector() : nil
        machine = KeyDisplayStateMachine(inspector == nil ? .shortcuts : keys.keys)
        inspector?.focusMoved = { [weak self] in self?.ask(self?.machine.moveFocus(at: MonotonicClock.now())) }
    }

    /// Returns after `end`, or when the server has gone.
    func run(_ wake: WakeSignal, isEnding: () -> Bool) {
        ask(machine.moveFocus(at: MonotonicClock.now()))
        while !isEnding(), !connection.isBroken {
            inspector?.process()
            // A reply may bring events, and an answer may bring questions.
            repeat {
                connection.forEachEvent { read($0) }
                questions += machine.advance(to: MonotonicClock.now())
                while !questions.isEmpty { put(questions.removeFirst()) }
                inspector?.process()
            } while connection.forEachEvent { read($0) } || !questions.isEmpty
            publish()
            xcb_flush(connection.handle)
            PollLoop.wait(
                for: wake, ReadableDescriptor(connection.descriptor), inspector, until: machine.deadline)
        }
    }

    private func ask(_ question: Int?) { if let question { questions.append(question) } }

    private func read(_ event: X11Event) {
        guard !keyboard.note(event) else { return }
        let now = MonotonicClock.now()
        switch focus.read(event) {
        case .moved:
            // Always, even if nothing is asked: the focused window's events report when the keyboard is released.
            _ = focus.look()
            return ask(machine.moveFocus(at: now))
        case .arrived:
            if machine.isGrabbed { ask(machine.setGrabbed(false, at: now)) }
            return
        case .grabbed(let isGrabbed): return ask(machine.setGrabbed(isGrabbed, at: now))
        case nil: break
        }
        guard event.kind == UInt8(XCB_GE_GENERIC) else { return }
        // Presses are the only extended events that were requested.
        let key = event.read(xcb_input_raw_key_press_event_t.self).detail
        guard let stroke = keyboard.stroke(of: key) else { return }
        if case .shortcut = stroke, focus.isRestricted {
            let look = focus.look()
            if look.isOther { ask(machine.moveFocus(at: now)) }
            guard look.isShown else { return }
        }
        ask(machine.press(stroke, at: now))
    }

    /// Asks for the focused object: first the server, then the program.
    private func put(_ question: Int) {
        let look = focus.look()
        let now = MonotonicClock.now()
        if look.isOther {
            // Its events are received from now on; a new question follows.
            return ask(machine.moveFocus(at: now))
        }
        guard let owner = look.owner, let inspector else { return machine.answer(question, nil, at: now) }
        inspector.ask(process: owner.process) { [weak self] object in
            self?.machine.answer(question, object.map { "\(owner.window) \($0)" }, at: MonotonicClock.now())
        }
    }

    private func publish() {
        guard machine.badge != shown, let new = machine.badge else { return }
        shown = new
        guard let image = badge.image(of: new.text) else { return }
        latest.picture = KeyPicture(image, since: new.since, hold: hold)
        var message = xcb_client_message_event_t()
        message.response_type = UInt8(XCB_CLIENT_MESSAGE)
        message.format = 32
        message.window = latest.window
        withUnsafeBytes(of: &message) { bytes in
            _ = xcb_send_event(connection.handle, 0, latest.window, 0, bytes.bindMemory(to: CChar.self).baseAddress)
        }
    }
}
