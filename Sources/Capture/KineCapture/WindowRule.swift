// Windows of X11 programs, for takes, sources and errors.

/// A window, or several.
public enum X11WindowRule: Hashable, Sendable {
    case id(UInt32)
    /// Every window whose title contains this text. Case does not matter.
    case titled(String)
    /// Every window of the application with this WM_CLASS, and its menus and tips, often without one. Ignores case.
    case application(String)

    /// Whether the rule matches a window with this title and this WM_CLASS; empty: it has none.
    package func matches(_ window: UInt32, title: String, application: String) -> Bool {
        switch self {
        case .id(let id): window == id
        case .titled(let text): !title.isEmpty && title.lowercased().contains(text.lowercased())
        case .application(let name): !application.isEmpty && application.lowercased() == name.lowercased()
        }
    }

    package var isApplication: Bool { if case .application = self { true } else { false } }
    package var isTitle: Bool { if case .titled = self { true } else { false } }
}

/// The result of a search for excluded windows.
public struct ExclusionFindings: Equatable, Sendable {
    /// Rules that match no window now, shown or not. A window that matches later will be hidden.
    public var unmatched: [X11WindowRule] = []
    /// Windows with unreadable titles, if a rule contains a title.
    public var unreadable: [UInt32] = []

    public init() {}
}

/// A window of a program that is started while the take waits for the window.
public enum X11CommandWindow: Equatable, Sendable {
    /// The first window of that program, or of a process that it has started.
    case first
    /// As `X11ScreenSource.WindowChoice.titled`.
    case titled(String)
    /// As `X11ScreenSource.Target.application`, once one of its windows exists.
    case application(String, monitor: String?)

    /// For the middle of a sentence.
    public var words: String {
        switch self {
        case .first: "window"
        case .titled(let title): "window with \"\(title.printable(limit: 100))\" in its title"
        case .application(let name, _): "window of \(name.printable(limit: 100))"
        }
    }
}
