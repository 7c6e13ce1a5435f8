// Tells a session on Wayland from one on X11. Its X server, Xwayland, has the windows of X11 programs, which can be recorded, but
// its screen is black.
import KinePlatform

/// The kind of session that this process runs in.
public enum WaylandSession {
    /// The compositor's name, as WAYLAND_DISPLAY has it; nil on X11.
    ///
    /// An X server that is no Xwayland is recorded also within a session on Wayland: a program was started there on purpose. To be found
    /// out, that takes a connection to the X server, where there is one.
    public static var compositor: String? {
        guard isNamed(by: ProcessEnvironment.value) else { return nil }
        if let connection = try? X11Connection(display: nil), connection.screenProblem == nil { return nil }
        guard let display = ProcessEnvironment.value("WAYLAND_DISPLAY"), !display.isEmpty else { return "wayland-0" }
        return display
    }

    /// Whether a process with these variables runs in a session on Wayland.
    static func isNamed(by variable: (String) -> String?) -> Bool {
        variable("XDG_SESSION_TYPE") == "wayland" || variable("WAYLAND_DISPLAY")?.isEmpty == false
    }

    /// Xwayland has an extension of its name from 23.1 on. Before, it called its monitors XWAYLAND0, XWAYLAND1 and so on.
    static func isXwayland(hasExtension: Bool, monitors: [String]) -> Bool {
        hasExtension || monitors.contains { $0.hasPrefix("XWAYLAND") }
    }
}
