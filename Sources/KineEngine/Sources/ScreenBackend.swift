// The way to a person's screen, where there are several.
import KineCapture
import KineControl

/// Who gives the frames of a screen.
enum ScreenBackend: Equatable {
    case x11
    /// A Wayland compositor that lets its clients copy the screen; its name, as WAYLAND_DISPLAY has it.
    case screencopy(display: String)

    /// The one that was asked for; without one, what the session runs on.
    static func find(_ wanted: TakeConfiguration.Backend?) -> ScreenBackend {
        switch wanted {
        case .x11: .x11
        case .wlr: .screencopy(display: WaylandSession.compositor ?? "wayland-0")
        case nil: WaylandSession.compositor.map { .screencopy(display: $0) } ?? .x11
        }
    }
}

/// A source that a client asks for.
struct SourceRequest {
    var source: TakeConfiguration.Source
    var wantedBackend: TakeConfiguration.Backend?

    init(_ configuration: TakeConfiguration) {
        source = configuration.source
        wantedBackend = configuration.backend
    }

    /// May ask an X server. Of interest to screens alone.
    var backend: ScreenBackend { .find(wantedBackend) }
}
