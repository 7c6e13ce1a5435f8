import KineMedia
import Testing

@testable import KineCapture
// The signs of a session on Wayland.
@testable import KineWayland
@testable import KineX11

@Suite struct WaylandSessionTests {
    @Test(arguments: [nil, "", "x11", "tty", "wayland"], [nil, "", "wayland-0"])
    func `a session on Wayland says so by its type or names its compositor`(type: String?, compositor: String?) {
        let variables = ["XDG_SESSION_TYPE": type, "WAYLAND_DISPLAY": compositor]
        let isWayland = WaylandSession.isNamed { variables[$0] ?? nil }
        #expect(isWayland == (type == "wayland" || compositor == "wayland-0"))
    }

    @Test(
        arguments: [false, true],
        [([], false), (["eDP-1"], false), (["screen"], false), (["XWAYLAND0"], true), (["eDP-1", "XWAYLAND1"], true)]
            as [([String], Bool)])
    func `Xwayland is known by its extension or its monitors' names`(
        hasExtension: Bool, monitors: (names: [String], areXwayland: Bool)
    ) {
        let isXwayland = WaylandSession.isXwayland(hasExtension: hasExtension, monitors: monitors.names)
        #expect(isXwayland == (hasExtension || monitors.areXwayland))
    }

    @Test(arguments: [nil, ""])
    func `without a display the error says whether the session is on Wayland`(display: String?) {
        func error(_ variables: [String: String]) -> VideoSourceError? {
            do throws(VideoSourceError) {
                _ = try X11Connection.serverName(display) { variables[$0] }
                return nil
            } catch {
                return error
            }
        }
        #expect(error([:]) == .noDisplay)
        #expect(error(["XDG_SESSION_TYPE": "x11"]) == .noDisplay)
        #expect(error(["XDG_SESSION_TYPE": "wayland"]) == .waylandSession)
        #expect(error(["WAYLAND_DISPLAY": "wayland-0"]) == .waylandSession)
        #expect(error(["WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"]) == (display == nil ? nil : .waylandSession))
    }

    @Test(
        arguments: [
            (["wl_shm", "zwlr_layer_shell_v1"], "a compositor of wlroots"), (["gtk_shell1", "wl_seat"], "Mutter"),
            (["org_kde_plasma_shell", "zwlr_layer_shell_v1"], "KWin"), (["wl_shm"], nil),
            (["hyprland_focus_grab_manager_v1", "zwlr_screencopy_manager_v1"], "Hyprland"),
        ] as [([String], String?)])
    func `a compositor is known by its own protocols`(interfaces: [String], name: String?) {
        #expect(WaylandInventory.compositor(with: Set(interfaces)) == name)
    }

    @Test func `outputs that are turned, or denser than others, are not joined`() {
        func output(_ name: String, x: Int, width: Int = 100, orientation: Orientation = .up) -> WaylandOutput {
            var output = WaylandOutput()
            output.name = name
            output.bounds = PixelRect(x: x, y: 0, width: width, height: 100)
            output.pixelSize = PixelSize(width: 100, height: 100)
            output.orientation = orientation
            return output
        }
        for other in [output("B", x: 100, orientation: .left), output("B", x: 100, width: 50)] {
            #expect(throws: VideoSourceError.monitorsDiffer(["A", "B"])) {
                try WaylandLayout.pieces(of: .desktop, on: [output("A", x: 0), other])
            }
        }
    }
}
