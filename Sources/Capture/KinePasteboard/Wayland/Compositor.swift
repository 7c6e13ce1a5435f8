// The requests to a Wayland compositor for the clipboard: a seat, and data control for programs without a window.
import CWayland
import Glibc
import KinePlatform
import KineWayland

/// A connection with a compositor that has data control. Used on one thread.
final class Compositor {
    private let place: Clipboard.Place
    private let connection: WaylandConnection
    private var seat: OpaquePointer?
    private var manager: OpaquePointer?

    /// Nanoseconds for the compositor to carry out a request.
    static let timeout: Int64 = 10_000_000_000

    init(display: String) throws(Clipboard.Error) {
        place = .wayland(display: display)
        do throws(WaylandConnection.Error) {
            connection = try WaylandConnection(display: display)
        } catch {
            throw error == .noLibrary ? .noLibrary : .noConnection(place)
        }
        connection.appeared = { [unowned self] in found($0) }
        try waitForAnswers()
        guard manager != nil, seat != nil else { throw .notSupported(place) }
    }

    /// Destroy the device and the sources first.
    deinit {
        for proxy in [manager, seat].compactMap(\.self) { wl_proxy_destroy(proxy) }
    }

    private func found(_ global: WaylandConnection.Global) {
        switch global.interface {
        case "wl_seat": if seat == nil { seat = connection.bind(global, upTo: 1) }
        // Version 1 of the older protocol has the same requests and events.
        case "zwlr_data_control_manager_v1": if manager == nil { manager = connection.bind(global, upTo: 1) }
        case "ext_data_control_manager_v1":
            if let manager { wl_proxy_destroy(manager) }
            manager = connection.bind(global, upTo: 1)
        default: break
        }
    }

    /// `listener` and `context` must outlive this object.
    func makeDevice(
        _ listener: Listener<ext_data_control_device_v1_listener>, _ context: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        listener.attach(to: ext_data_control_manager_v1_get_data_device(manager, seat), context)
    }

    func makeSource(
        _ listener: Listener<ext_data_control_source_v1_listener>, _ context: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        listener.attach(to: ext_data_control_manager_v1_create_data_source(manager), context)
    }

    /// The connection has ended, or the compositor has refused a request.
    var isBroken: Bool { connection.isBroken }

    /// Calls `body` when the compositor has carried out all requests so far.
    func afterAnswers(_ body: @escaping () -> Void) { connection.afterAnswers(body) }

    /// Returns when the compositor has carried out all requests so far.
    func waitForAnswers() throws(Clipboard.Error) {
        guard connection.waitForAnswers(until: MonotonicClock.now() + Self.timeout) else { throw .noConnection(place) }
    }

    /// As `WaylandConnection.handleEvents(or:until:)`.
    func handleEvents(or entries: inout [pollfd], until deadline: Int64?) {
        connection.handleEvents(or: &entries, until: deadline)
    }
}
