// The ways to capture a person's screen.
import KineCapture
import KineMedia
import KineTake
import KineWayland

enum ScreenBackend: Equatable {
    case x11
    /// A Wayland compositor that lets its clients copy the screen; its name, as in WAYLAND_DISPLAY.
    case compositor(display: String)
    /// The desktop's portal, which asks the person, and PipeWire.
    case portal

    /// The requested backend, else the session's. A compositor that lets clients copy needs no permission and no
    /// PipeWire, so it is preferred to the portal.
    static func find(_ wanted: TakeConfiguration.Backend?) -> ScreenBackend {
        switch wanted {
        case .x11: return .x11
        case .wlr: return .compositor(display: WaylandSession.compositor ?? "wayland-0")
        case .portal: return .portal
        case nil:
            guard let display = WaylandSession.compositor else { return .x11 }
            // If it does not answer, its own error reports that later.
            let inventory = try? WaylandInventory(display: display)
            if let inventory, inventory.copyProtocol == nil { return .portal }
            return .compositor(display: display)
        }
    }
}

extension SourceRequest {
    /// Only for screens. May ask an X server.
    var backend: ScreenBackend { .find(wantedBackend) }

    /// Whether the portal can offer windows, also if the compositor's screen can be copied: copies show no windows.
    var hasWindowDialog: Bool {
        wantedBackend == .portal || wantedBackend == nil && WaylandSession.compositor != nil
    }
}
