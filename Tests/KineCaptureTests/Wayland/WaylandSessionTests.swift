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

    @Test func `outputs are joined at the highest density for which an encoder has room`() throws {
        func output(
            _ name: String, _ bounds: PixelRect, density: Double, orientation: Orientation = .up
        ) -> WaylandOutput {
            var output = WaylandOutput()
            (output.name, output.bounds, output.orientation) = (name, bounds, orientation)
            output.pixelSize = orientation.turned(
                PixelSize(
                    width: Int((Double(bounds.width) * density).rounded()),
                    height: Int((Double(bounds.height) * density).rounded())))
            return output
        }
        let left = output("A", PixelRect(x: -1000, y: 100, width: 1000, height: 600), density: 1)
        let turned = output("B", PixelRect(x: 0, y: 0, width: 600, height: 1000), density: 1.5, orientation: .left)
        let join = try WaylandLayout.join([left, turned])
        #expect(join.size == PixelSize(width: 2400, height: 1500))
        #expect(join.places["A"] == PixelRect(x: 0, y: 150, width: 1500, height: 900))
        #expect(join.places["B"] == PixelRect(x: 1500, y: 0, width: 900, height: 1500))
        let wide = output("C", PixelRect(x: 0, y: 0, width: 10000, height: 1000), density: 1)
        let dense = output("D", PixelRect(x: 10000, y: 0, width: 2000, height: 1000), density: 2)
        #expect(try WaylandLayout.join([wide, dense]).size.width == 16384, "less dense than the densest")
        let wider = output("E", PixelRect(x: 12000, y: 0, width: 10000, height: 1000), density: 1)
        #expect(throws: VideoSourceError.monitorsTooLarge(["C", "E"])) { try WaylandLayout.join([wide, wider]) }
    }
}
