// Decides which of a display's windows the started program has opened, and when it can be captured. No I/O:
// `X11CommandWindowOpening` passes the windows.
import KineCapture

/// Instants are nanoseconds of CLOCK_MONOTONIC.
struct CommandWindowStateMachine {
    /// A shown window.
    struct Window: Equatable {
        enum Role {
            case main
            /// Shown only while the program starts (EWMH, `_NET_WM_WINDOW_TYPE_SPLASH`).
            case splash
            /// Bypasses the window manager (override-redirect), as menus and tips do.
            case unmanaged
        }

        var window: X11Inventory.Window
        var role: Role
    }

    enum Step: Equatable {
        /// Wait until this instant, or until a change.
        case wait(until: Int64?)
        /// Watch whether the program paints this window; then call `painted`.
        case watch(UInt32)
        case open(UInt32)
        /// The window has not appeared.
        case giveUp
    }

    private enum State {
        case searching
        /// The window is shown but not painted. At this instant it counts as painted.
        case painting(UInt32, until: Int64)
    }

    /// Nanoseconds for a program to paint a window that it has opened.
    static let paintingTime = X11ComposedWindow.paintingTime

    private let choice: X11CommandWindow
    private let limit: Int64
    private let isPrivate: Bool
    private let belongs: (_ process: Int32, _ command: Int32) -> Bool
    /// The windows from before the program; nil before the first search.
    private var known: Set<UInt32>?
    private var command: (process: Int32, deadline: Int64)?
    private var state = State.searching

    /// - Parameters:
    ///   - limit: nanoseconds after the program's start within which the window must appear.
    ///   - isPrivate: only the program and its descendants open windows on this display. On other displays the window's
    ///     process identifies the first window.
    ///   - belongs: whether a process is the program, or was started by it.
    init(
        _ choice: X11CommandWindow, limit: Int64, isPrivate: Bool,
        belongs: @escaping (_ process: Int32, _ command: Int32) -> Bool
    ) {
        self.choice = choice
        self.limit = limit
        self.isPrivate = isPrivate
        self.belongs = belongs
    }

    /// The program has not been started.
    var awaitsCommand: Bool { command == nil }

    mutating func commandStarted(_ process: Int32, at now: Int64) { command = (process, now + limit) }

    /// The program has painted the watched window.
    mutating func painted() {
        if case .painting(let window, _) = state { state = .painting(window, until: .min) }
    }

    /// The window to open does not exist any more.
    mutating func lost() { state = .searching }

    /// - Parameter windows: the shown windows in the window manager's order, the oldest first; without one, from the
    ///   lowest to the highest.
    mutating func step(_ windows: [Window], at now: Int64) -> Step {
        if known == nil { known = Set(windows.map(\.window.id)) }
        if case .painting(let window, let end) = state {
            if windows.contains(where: { $0.window.id == window }) {
                return now < end ? .wait(until: end) : .open(window)
            }
            state = .searching
        }
        if let command, now >= command.deadline { return .giveUp }
        guard let window = chosen(among: windows) else { return .wait(until: command?.deadline) }
        state = .painting(window, until: now + Self.paintingTime)
        return .watch(window)
    }

    private func chosen(among windows: [Window]) -> UInt32? {
        switch choice {
        case .titled(let text):
            let lasting = windows.filter { $0.role != .splash }.map(\.window)
            return X11Properties.windows(titled: text, in: lasting).first?.id
        case .application(let name, _):
            return windows.first { $0.window.application.lowercased() == name.lowercased() }?.window.id
        case .first:
            guard let command else { return nil }
            let isOwn = { (window: X11Inventory.Window) in
                isPrivate || window.processID.map { belongs($0, command.process) } ?? false
            }
            return windows.first {
                $0.role == .main && known?.contains($0.window.id) == false && isOwn($0.window)
            }?.window.id
        }
    }
}
