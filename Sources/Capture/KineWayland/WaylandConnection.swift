// A connection with a Wayland compositor, for one thread that polls: what the compositor offers, its events, and when requests have been
// carried out. Its users bind the objects that they need.
import CWayland
import Glibc
import KinePlatform

/// Used on one thread. Objects that were made through it have to be destroyed before it goes.
package final class WaylandConnection {
    package enum Error: Swift.Error, Equatable {
        /// libwayland-client is not installed.
        case noLibrary
        /// No compositor takes connections under that name.
        case noCompositor
    }

    /// An object that every client may bind.
    package struct Global: Equatable {
        /// Its number in the registry.
        package var name: UInt32
        package var interface: String
        /// The newest version that the compositor has.
        package var version: UInt32
    }

    package let display: OpaquePointer
    private var registry: OpaquePointer?
    /// Called for each global, those that are there at first and later ones.
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

    /// Connects with the compositor of that name, as WAYLAND_DISPLAY has it, and asks for its globals.
    package init(display name: String) throws(Error) {
        guard kine_load_wayland() != 0 else { throw .noLibrary }
        guard let display = kine_connect_wayland(name) else { throw .noCompositor }
        self.display = display
        registry = globals.attach(to: wl_display_get_registry(display), context)
    }

    deinit {
        for proxy in Array(waiting.keys) + [registry].compactMap(\.self) { wl_proxy_destroy(proxy) }
        wl_display_disconnect(display)
    }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func from(_ context: UnsafeMutableRawPointer?) -> WaylandConnection {
        Unmanaged<WaylandConnection>.fromOpaque(context!).takeUnretainedValue()
    }

    /// The connection has ended, or the compositor has refused a request.
    package var isBroken: Bool { wl_display_get_error(display) != 0 }

    /// For poll: readable when there are events.
    package var descriptor: Int32 { wl_display_get_fd(display) }

    /// Makes the object of a global that `appeared` was called with. Nil without memory, or if CWayland does not have
    /// its interface.
    ///
    /// - Parameter version: the newest one that the caller knows. The object has the compositor's where that is lower.
    package func bind(_ global: Global, upTo version: UInt32) -> OpaquePointer? {
        kine_bind(registry, global.name, global.interface, min(version, global.version))
    }

    /// Calls `body` when the compositor has carried out all requests so far, while events are handled.
    package func afterAnswers(_ body: @escaping () -> Void) {
        guard let callback = callbacks.attach(to: wl_display_sync(display), context) else { return }
        waiting[callback] = body
    }

    /// Sends all requests that there is room for.
    package func flush() { wl_display_flush(display) }

    /// Sends all requests and has the listeners of the events called that are there, without waiting for any.
    package func handleEvents() {
        // Events that were read already come first; a broken connection hands none on.
        while wl_display_prepare_read(display) != 0 {
            if wl_display_dispatch_pending(display) < 0 { return }
        }
        wl_display_flush(display)
        wl_display_read_events(display)  // does not wait: it is the only reader
        wl_display_dispatch_pending(display)
        wl_display_flush(display)  // what the listeners have requested
    }

    /// Sends all requests, sleeps until there are events, one of the entries is ready or CLOCK_MONOTONIC reaches `deadline`
    /// (nanoseconds; nil waits for ever), and has the events' listeners called. It may return sooner.
    package func handleEvents(or entries: inout [pollfd], until deadline: Int64?) {
        // Events that were read already may change what is waited for.
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

    /// Returns whether the compositor has carried out all requests so far before CLOCK_MONOTONIC reaches `deadline` (nanoseconds).
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

/// A table of functions, at a place that does not change: libwayland keeps its address. None of them may be nil:
/// libwayland ends a process that has no function for an event.
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

    /// Calls the table's functions with `context` for the events of an object of the interface. This listener and
    /// `context` have to outlive the object, which is returned. It is nil where there was no memory for it.
    @discardableResult
    package func attach(to object: OpaquePointer?, _ context: UnsafeMutableRawPointer) -> OpaquePointer? {
        if let object { _ = add(object, table, context) }
        return object
    }
}
