// Tells a session on Wayland from one on X11. Its X server, Xwayland, has the windows of X11 programs, which can be recorded, but
// its screen is black. Pure: `X11Connection` asks the server.

enum WaylandSession {
    /// Whether a process with these variables runs in a session on Wayland.
    static func isNamed(by variable: (String) -> String?) -> Bool {
        variable("XDG_SESSION_TYPE") == "wayland" || variable("WAYLAND_DISPLAY")?.isEmpty == false
    }

    /// Xwayland has an extension of its name from 23.1 on. Before, it called its monitors XWAYLAND0, XWAYLAND1 and so on.
    static func isXwayland(hasExtension: Bool, monitors: [String]) -> Bool {
        hasExtension || monitors.contains { $0.hasPrefix("XWAYLAND") }
    }
}
