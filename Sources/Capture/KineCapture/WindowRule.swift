// Windows of X11 programs, as takes, sources and errors name them.

/// A window, or several.
public enum X11WindowRule: Hashable, Sendable {
    case id(UInt32)
    /// Every window whose title holds this text. Case does not matter.
    case titled(String)
    /// Every window of the application with this WM_CLASS, and its menus and tips, which often have none. Case does not matter.
    case application(String)

    /// Whether the rule means a window with this title and this WM_CLASS; empty: it has none.
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
    /// Rules that no window matches now, shown or not. One may come later, and is hidden then.
    public var unmatched: [X11WindowRule] = []
    /// Windows whose titles cannot be read, where a rule names a title.
    public var unreadable: [UInt32] = []

    public init() {}
}

/// A window that a program opens which is started while it is waited for.
public enum X11CommandWindow: Equatable, Sendable {
    /// The first one of that program, or of a process that it has started.
    case first
    /// As `X11ScreenSource.WindowChoice.titled`.
    case titled(String)
    /// As `X11ScreenSource.Target.application`, as soon as one of its windows is there.
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
