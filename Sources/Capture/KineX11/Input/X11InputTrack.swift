// What a recording's input track has from an X server: clicks where they happened, when something was typed, and which window has
// the keyboard.
import KineCapture
import KineInput
import KineMedia
import KinePlatform

/// Follows mouse and keyboard. Used by the capture thread; a thread of its own reads the events at once, since a pointer is soon elsewhere.
final class X11InputTrack {
    private let found = X11FoundInput()
    private let watch: X11KeyWatch

    /// - Parameters:
    ///   - scope: the windows whose keys count.
    ///   - window: the window in whose pixels places are wanted.
    ///   - reportsMouse: report presses and scrolling too.
    ///   - display: the name of the server.
    ///   - cancellation: ends waits for the server.
    init(
        in scope: KeyScope, window: UInt32, reportsMouse: Bool, display: String?, cancellation: Cancellation?
    ) throws(VideoSourceError) {
        let events: X11Input.Events = reportsMouse ? [.keys, .buttons] : .keys
        watch = try X11KeyWatch("input", events, display: display, cancellation: cancellation) { [found] connection in
            X11InputLoop(scope, window, found, connection)
        }
    }

    deinit { watch.end() }

    /// Removes and returns what happened since the last call. Presses outside the frame, or over something hidden, have no place.
    ///
    /// - Parameters:
    ///   - frame: the frame's place in the pixels of `window`.
    ///   - isWindow: the frame shows a single window, the only one whose keys count.
    ///   - isSeen: whether that child of the root window is seen in the frame.
    func take(in frame: PixelRect, isWindow: Bool, isSeen: (UInt32) -> Bool) -> [InputEvent] {
        func place(_ pointer: X11Pointer.Answer?) -> PixelPoint? {
            guard let pointer, isSeen(pointer.top) else { return nil }
            return pointer.place.offset(x: -frame.x, y: -frame.y)
        }
        func part(_ window: PixelRect?) -> PixelRect? {
            guard let window else { return nil }
            if isWindow { return PixelRect(size: frame.size) }
            let common = window.intersection(frame)
            // A window that only reaches into the frame is elsewhere.
            guard 2 * common.size.area >= min(window.size.area, frame.size.area), !common.isEmpty else { return nil }
            return common.offset(x: -frame.x, y: -frame.y)
        }
        return found.take().flatMap { event, instant -> [InputEvent] in
            switch event {
            case .mouse(let action, let pointer):
                return [InputEvent(.pointer(place(pointer)), at: instant), InputEvent(action, at: instant)]
            case .focused(let window): return [InputEvent(.focused(part(window)), at: instant)]
            case .typed(let window): return part(window) == nil ? [] : [InputEvent(.typed, at: instant)]
            case .typedUnder(let pointer):
                let isInside = place(pointer).map { PixelRect(size: frame.size).contains($0) } == true
                return isInside ? [InputEvent(.typed, at: instant)] : []
            }
        }
    }
}

/// Passes on what the thread has found, with the instants (CLOCK_MONOTONIC).
final class X11FoundInput: Sendable {
    enum Event: Sendable {
        /// A press, a release or steps of the wheel, and where the pointer was; nil: on another screen.
        case mouse(InputAction, X11Pointer.Answer?)
        /// That rectangle of the screen is the window with the keyboard; nil: it is none whose keys count.
        case focused(PixelRect?)
        /// Something was typed in that window.
        case typed(PixelRect)
        /// Something was typed where no window had the focus: it went to the one under the pointer.
        case typedUnder(X11Pointer.Answer?)
    }

    private let events = Monitor<[(event: Event, instant: Int64)]>([])

    func append(_ event: Event) { events.withLock { $0.append((event, MonotonicClock.now())) } }

    func take() -> [(event: Event, instant: Int64)] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
