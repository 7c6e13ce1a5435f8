// A connection with a Wayland compositor, for one thread that polls: its globals, its events, and the completion of
// requests. Users bind the objects that they need.
import CWayland
import Glibc
import KinePlatform

/// Used on one thread. Objects made by it must be destroyed before it.
package final class WaylandConnection: CallbackTarget {
    package enum Error: Swift.Error, Equatable {
        /// libwayland-client is not installed.
        case noLibrary
        /// No compositor accepts connections at that name.
        case noCompositor
    }

    package struct Global: Equatable {
        /// Its number in the registry.
        package var name: UInt32
        package var interface: String
        /// The newest version that the compositor has.
        package var version: UInt32
    }

    package let display: OpaquePointer
    private var registry: OpaquePointer?
    /// Called for each global, present and future.
    package var appeared: ((Global) -> Void)?
    package var disappeared: ((_ name: UInt32) -> Void)?

    private let globals = Listener(
        wl_registry_add_listener,
        wl_registry_listener(
            global: { context, _, name, interface, version in
                guard let interface else { return }
                WaylandConnection.from(context).appeared?(
                    Global(name: name, interface: String(cString: interface), version: version))
            }, global_remove: { context, _, name in WaylandConnection.from(context).disappeared?(name) }))
    private let callbacks = Listener(
        wl_callback_add_listener,
        wl_callback_listener { context, callback, _ in
            guard let callback else { return }
            wl_proxy_destroy(callback)
            WaylandConnection.from(context).waiting.removeValue(forKey: callback)?()
        })
    private var waiting: [OpaquePointer: () -> Void] = [:]

    /// Connects with the compositor of that name, as in WAYLAND_DISPLAY, and requests its globals.
    package init(display name: String) throws(Error) {
        guard kine_load_wayland() != 0 else { throw .noLibrary }
        guard let display = kine_connect_wayland(name) else { throw .noCompositor }
        self.display = display
        registry = globals.attach(to: wl_display_get_registry(display), callbackData)
    }

    deinit {
        for proxy in Array(waiting.keys) + [registry].compactMap(\.self) { wl_proxy_destroy(proxy) }
        wl_display_disconnect(display)
    }

    /// The connection has ended, or the compositor has refused a request.
    package var isBroken: Bool { wl_display_get_error(display) != 0 }

    /// For poll: readable when there are events.
    package var descriptor: Int32 { wl_display_get_fd(display) }

    /// Makes the object of a global from `appeared`. Nil without memory, or if CWayland lacks its interface.
    ///
    /// - Parameter version: the newest that the caller supports; the compositor's is used if lower.
    package func bind(_ global: Global, upTo version: UInt32) -> OpaquePointer? {
        kine_bind(registry, global.name, global.interface, min(version, global.version))
    }

    /// Calls `body`, during the handling of events, once the compositor has carried out all requests so far.
    package func afterAnswers(_ body: @escaping () -> Void) {
        guard let callback = callbacks.attach(to: wl_display_sync(display), callbackData) else { return }
        waiting[callback] = body
    }

    /// Sends requests, as many as possible without waiting.
    package func flush() { wl_display_flush(display) }

    /// Sends all requests and calls the listeners of available events, without waiting.
    package func handleEvents() {
        // Earlier events come first; a broken connection dispatches none.
        while wl_display_prepare_read(display) != 0 {
            if wl_display_dispatch_pending(display) < 0 { return }
        }
        wl_display_flush(display)
        wl_display_read_events(display)  // does not wait: it is the only reader
        wl_display_dispatch_pending(display)
        wl_display_flush(display)  // the listeners' requests
    }

    /// Sends all requests, then sleeps until there are events, an entry is ready or CLOCK_MONOTONIC reaches `deadline`
    /// (nanoseconds; nil: none), and calls the events' listeners. May return sooner.
    package func handleEvents(or entries: inout [pollfd], until deadline: Int64?) {
        // Earlier events may change the deadline and the entries.
        guard wl_display_prepare_read(display) == 0 else {
            wl_display_dispatch_pending(display)
            return
        }
        let isFull = wl_display_flush(display) < 0 && errno == EAGAIN
        let events = isFull ? POLLIN | POLLOUT : POLLIN
        var all = [pollfd(fd: descriptor, events: Int16(events), revents: 0)] + entries
        WakeSignal.poll(&all, until: deadline)
        entries = Array(all.dropFirst())
        if all[0].revents & ~Int16(POLLOUT) != 0 {
            wl_display_read_events(display)
        } else {
            wl_display_cancel_read(display)
        }
        wl_display_dispatch_pending(display)
    }

    /// Whether the compositor carries out all requests so far before CLOCK_MONOTONIC reaches `deadline` (nanoseconds).
    package func waitForAnswers(until deadline: Int64) -> Bool {
        var isAnswered = false
        afterAnswers { isAnswered = true }
        while !isAnswered, !isBroken, MonotonicClock.now() < deadline {
            var none: [pollfd] = []
            handleEvents(or: &none, until: deadline)
        }
        return isAnswered && !isBroken
    }
}

/// A table of functions at a fixed address, which libwayland keeps. No function may be nil: libwayland ends a process
/// that has none for an event.
package final class Listener<Table> {
    /// An interface's own function: `wl_registry_add_listener` for a table `wl_registry_listener`.
    package typealias Adding = (OpaquePointer?, UnsafePointer<Table>?, UnsafeMutableRawPointer?) -> Int32

    private let add: Adding
    private let table: UnsafeMutablePointer<Table>

    package init(_ add: @escaping Adding, _ table: Table) {
        self.add = add
        self.table = .allocate(capacity: 1)
        self.table.initialize(to: table)
    }

    deinit {
        table.deinitialize(count: 1)
        table.deallocate()
    }

    /// Calls the table's functions with `context` for the events of an object, and returns the object. This listener
    /// and `context` must outlive it. Nil if there was no memory for the object.
    @discardableResult
    package func attach(to object: OpaquePointer?, _ context: UnsafeMutableRawPointer) -> OpaquePointer? {
        if let object { _ = add(object, table, context) }
        return object
    }
}
