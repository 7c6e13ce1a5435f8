// The way to a person's screen, where there are several.
import KineCapture
import KineMedia
import KineTake
import KineWayland

/// Who gives the frames of a screen.
enum ScreenBackend: Equatable {
    case x11
    /// A Wayland compositor that lets its clients copy the screen; its name, as WAYLAND_DISPLAY has it.
    case compositor(display: String)
    /// The desktop's portal, which asks the person, and PipeWire.
    case portal

    /// The one that was asked for; without one, what the session runs on. A compositor that can be copied asks nobody and needs no PipeWire,
    /// so it comes before the portal.
    static func find(_ wanted: TakeConfiguration.Backend?) -> ScreenBackend {
        switch wanted {
        case .x11: return .x11
        case .wlr: return .compositor(display: WaylandSession.compositor ?? "wayland-0")
        case .portal: return .portal
        case nil:
            guard let display = WaylandSession.compositor else { return .x11 }
            // One that does not answer is told of by its own sentence.
            let inventory = try? WaylandInventory(display: display)
            if let inventory, inventory.copyProtocol == nil { return .portal }
            return .compositor(display: display)
        }
    }
}

extension SourceRequest {
    /// May ask an X server. Of interest to screens alone.
    var backend: ScreenBackend { .find(wantedBackend) }

    /// Whether the desktop's portal can be asked for a window: also where the compositor's screen can be copied, since that shows none.
    var hasWindowDialog: Bool {
        wantedBackend == .portal || wantedBackend == nil && WaylandSession.compositor != nil
    }
}
