// Distinguishes Wayland sessions from X11. Their X server, Xwayland, has the windows of X11 programs, which can be
// recorded, but its screen is black.
import KineMedia

/// The kind of session that this process runs in.
public enum WaylandSession {
    /// Whether a process with these variables runs in a session on Wayland.
    package static func isNamed(by variable: (String) -> String?) -> Bool {
        variable("XDG_SESSION_TYPE") == "wayland" || variable("WAYLAND_DISPLAY")?.isEmpty == false
    }

    /// Xwayland has an extension of that name since 23.1. Before, its monitors were XWAYLAND0, XWAYLAND1 and so on.
    package static func isXwayland(hasExtension: Bool, monitors: [String]) -> Bool {
        hasExtension || monitors.contains { $0.hasPrefix("XWAYLAND") }
    }
}

extension Orientation {
    /// The orientation that undoes wl_output.transform, which turns to the left, or mirrors left and right first from 4
    /// on. `up` for unknown values. PipeWire has the same values (spa/buffer/meta.h, spa_meta_videotransform_value).
    package init(undoingWaylandTransform transform: Int32) {
        self =
            switch transform {
            case 1: .right
            case 2: .down
            case 3: .left
            case 4: .upMirrored
            case 5: .leftMirrored
            case 6: .downMirrored
            case 7: .rightMirrored
            default: .up
            }
    }
}
