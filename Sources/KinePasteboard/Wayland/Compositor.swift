// The part of a Wayland compositor that the clipboard needs: a seat, and the data control of programs without a window.
import CWayland
import Glibc
import KinePlatform

/// A connection with a compositor that has data control. Used on one thread.
final class Compositor {
    private let place: Clipboard.Place
    private let connection: OpaquePointer
    private let globals = Listener(
        kine_registry_listener(
            global: { context, registry, name, interface, _ in
                guard let registry, let interface else { return }
                Compositor.from(context).found(String(cString: interface), name, in: registry)
            }, global_remove: { _, _, _ in }))
    private let callbacks = Listener(
        kine_callback_listener { context, callback, _ in
            guard let callback else { return }
            wl_proxy_destroy(callback)
            Compositor.from(context).waiting.removeValue(forKey: callback)?()
        })

    private var registry: OpaquePointer?
    private var seat: OpaquePointer?
    private var manager: OpaquePointer?
    private var waiting: [OpaquePointer: () -> Void] = [:]

    /// Nanoseconds that the compositor has to carry out a request.
    static let patience: Int64 = 10_000_000_000

    init(display: String) throws(Clipboard.Error) {
        place = .wayland(display: display)
        guard kine_load_wayland() != 0 else { throw .noLibrary }
        guard let connection = kine_connect_wayland(display) else { throw .noConnection(place) }
        self.connection = connection
        registry = kine_get_registry(connection, globals.table, Unmanaged.passUnretained(self).toOpaque())
        try waitForAnswers()
        guard manager != nil, seat != nil else { throw .notSupported(place) }
    }

    /// The objects made for others have to be gone.
    deinit {
        for proxy in Array(waiting.keys) + [manager, seat, registry].compactMap(\.self) { wl_proxy_destroy(proxy) }
        wl_display_disconnect(connection)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Compositor {
        Unmanaged<Compositor>.fromOpaque(context!).takeUnretainedValue()
    }

    private func found(_ interface: String, _ name: UInt32, in registry: OpaquePointer) {
        switch interface {
        case "wl_seat": if seat == nil { seat = kine_bind_seat(registry, name) }
        case Self.name(KINE_DATA_CONTROL_EXT): bind(KINE_DATA_CONTROL_EXT, name, in: registry)
        case Self.name(KINE_DATA_CONTROL_WLR): if manager == nil { bind(KINE_DATA_CONTROL_WLR, name, in: registry) }
        default: break
        }
    }

    private static func name(_ dataControl: kine_data_control) -> String {
        String(cString: kine_data_control_name(dataControl))
    }

    private func bind(_ dataControl: kine_data_control, _ name: UInt32, in registry: OpaquePointer) {
        if let manager { wl_proxy_destroy(manager) }
        manager = kine_bind_data_control(registry, name, dataControl)
    }

    // MARK: Objects

    /// `listener` and `context` have to outlive this object.
    func makeDevice(
        _ listener: Listener<kine_device_listener>, _ context: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        kine_get_data_device(manager, seat, listener.table, context)
    }

    func makeSource(
        _ listener: Listener<kine_source_listener>, _ context: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        kine_create_source(manager, listener.table, context)
    }

    // MARK: Events

    /// The connection has ended, or the compositor has refused a request.
    var isBroken: Bool { wl_display_get_error(connection) != 0 }

    /// Calls `body` when the compositor has carried out all requests so far.
    func afterAnswers(_ body: @escaping () -> Void) {
        guard let callback = kine_sync(connection, callbacks.table, Unmanaged.passUnretained(self).toOpaque()) else {
            return
        }
        waiting[callback] = body
    }

    /// Returns when the compositor has carried out all requests so far.
    func waitForAnswers() throws(Clipboard.Error) {
        let deadline = MonotonicClock.now() + Self.patience
        var isAnswered = false
        afterAnswers { isAnswered = true }
        while !isAnswered {
            var none: [pollfd] = []
            handleEvents(or: &none, until: deadline)
            if isBroken || !isAnswered && MonotonicClock.now() >= deadline { throw .noConnection(place) }
        }
    }

    /// Sends all requests, sleeps until there are events, one of the entries is ready or CLOCK_MONOTONIC reaches `deadline`
    /// (nanoseconds; nil waits for ever), and has the events' listeners called. It may return sooner.
    func handleEvents(or entries: inout [pollfd], until deadline: Int64?) {
        // Events that were read already may change what is waited for.
        guard wl_display_prepare_read(connection) == 0 else {
            wl_display_dispatch_pending(connection)
            return
        }
        let isFull = wl_display_flush(connection) < 0 && errno == EAGAIN
        let events = isFull ? POLLIN | POLLOUT : POLLIN
        var all = [pollfd(fd: wl_display_get_fd(connection), events: Int16(events), revents: 0)] + entries
        WakeSignal.poll(&all, until: deadline)
        entries = Array(all.dropFirst())
        if all[0].revents & ~Int16(POLLOUT) != 0 {
            wl_display_read_events(connection)
        } else {
            wl_display_cancel_read(connection)
        }
        wl_display_dispatch_pending(connection)
    }
}

/// A table of functions, at a place that does not change: libwayland keeps its address.
final class Listener<Table> {
    let table: UnsafeMutablePointer<Table>

    init(_ table: Table) {
        self.table = .allocate(capacity: 1)
        self.table.initialize(to: table)
    }

    deinit {
        table.deinitialize(count: 1)
        table.deallocate()
    }
}
