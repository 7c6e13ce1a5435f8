// Keeps a Wayland compositor's session from being idle, and with it what follows the compositor's idle time: swayidle, and the lockers that
// it starts. idle-inhibit-unstable-v1, request create_inhibitor.
import CWayland
import Glibc
import KinePlatform

/// In force until the last reference goes, or the process ends. A compositor without the protocol, or none, is no error.
public final class WaylandIdleInhibition: Sendable {
    private let end = WakeSignal()
    /// The request was sent.
    let isAsked = Monitor(false)

    /// Asks on a thread of its own, since a compositor may not answer. `display` is called there, and returns the compositor's name; nil:
    /// there is none.
    public init(display: @escaping @Sendable () -> String?) {
        let (end, isAsked) = (end, isAsked)
        _ = try? DedicatedThread(starting: "idle") {
            guard let name = display(), let connection = try? WaylandConnection(display: name) else { return }
            let inhibitor = Inhibitor(connection) { isAsked.signal { $0 = true } }
            while !connection.isBroken {
                var entries = [pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0)]
                connection.handleEvents(or: &entries, until: nil)
                if entries[0].revents != 0 { break }
            }
            withExtendedLifetime(inhibitor) {}
        }
    }

    deinit { end.signal() }
}

/// An inhibitor of a surface without a role: wlroots' compositors know no window that it belongs to, and hold it for visible. KWin and mutter
/// ignore it; they follow what is asked on the bus. Used on one thread.
private final class Inhibitor {
    private let connection: WaylandConnection
    private var compositor: OpaquePointer?
    private var manager: OpaquePointer?
    private var surface: OpaquePointer?
    private var inhibitor: OpaquePointer?
    private let asked: () -> Void

    init(_ connection: WaylandConnection, asked: @escaping () -> Void) {
        (self.connection, self.asked) = (connection, asked)
        connection.appeared = { [unowned self] in found($0) }
    }

    /// The compositor takes the inhibitor away with the connection.
    deinit {
        connection.appeared = nil
        for proxy in [inhibitor, surface, manager, compositor].compactMap(\.self) { wl_proxy_destroy(proxy) }
    }

    private func found(_ global: WaylandConnection.Global) {
        switch global.interface {
        case "wl_compositor": if compositor == nil { compositor = connection.bind(global, upTo: 1) }
        case "zwp_idle_inhibit_manager_v1": if manager == nil { manager = connection.bind(global, upTo: 1) }
        default: return
        }
        guard inhibitor == nil, let compositor, let manager else { return }
        surface = wl_compositor_create_surface(compositor)
        inhibitor = surface.flatMap { zwp_idle_inhibit_manager_v1_create_inhibitor(manager, $0) }
        connection.flush()
        asked()
    }
}
