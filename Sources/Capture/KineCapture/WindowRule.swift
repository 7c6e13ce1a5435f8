// Windows of X11 programs, for takes, sources and errors.
import KineMedia
import KineText

public typealias X11WindowRule = TakeConfiguration.WindowRule

extension X11WindowRule {
    /// Whether the rule matches a window. An empty title or WM_CLASS means that the window has none. `processes` returns the
    /// processes that may own the window.
    package func matches(
        _ window: UInt32, title: String, application: String, processes: @autoclosure () -> [Int32]
    ) -> Bool {
        switch self {
        case .id(let id), .above(let id): window == id
        case .titled(let text): !title.isEmpty && title.lowercased().contains(text.lowercased())
        case .application(let name): !application.isEmpty && application.lowercased() == name.lowercased()
        case .process(let process): processes().contains(process)
        }
    }

    /// Whether the rule also means nameless windows of the same client, which are its menus and tips.
    package var meansClient: Bool {
        switch self {
        case .application, .process: true
        case .id, .above, .titled: false
        }
    }
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
public typealias X11CommandWindow = TakeConfiguration.CommandWindow.Choice

extension X11CommandWindow {
    /// For the middle of a sentence.
    public var words: String {
        switch self {
        case .first: "window"
        case .titled(let title): "window with \"\(title.printable(limit: 100))\" in its title"
        case .application(let name, _): "window of \(name.printable(limit: 100))"
        }
    }
}
