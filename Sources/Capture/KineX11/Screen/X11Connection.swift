// One connection to an X server: its screen, the extensions for capture, and replies as Swift values.
import CXCB
import Glibc
import KineCapture
import KineMedia
import KinePlatform

typealias X11Event = UnsafeMutablePointer<xcb_generic_event_t>

extension X11Event {
    /// The event's type, without the bit that marks events from clients.
    var kind: UInt8 { pointee.response_type & 0x7f }

    /// Reads the event as `type`. The caller has checked that `kind` means this type.
    func read<Event>(_ type: Event.Type) -> Event { UnsafeRawPointer(self).load(as: type) }
}

/// A connection to an X server. Used by one thread.
final class X11Connection {
    /// Owns the connection. If a server no longer answers, every request blocks: cancelling shuts the socket down, and
    /// the request fails with a broken connection.
    private final class Link {
        let handle: OpaquePointer
        private let cancellation: Cancellation?
        private let token: Int?

        init(_ handle: OpaquePointer, _ cancellation: Cancellation?) {
            self.handle = handle
            self.cancellation = cancellation
            let descriptor = xcb_get_file_descriptor(handle)
            // Only for reading, which ends every wait: a write to a socket that is shut down would raise SIGPIPE.
            token = cancellation?.onCancel { shutdown(descriptor, Int32(SHUT_RD)) }
        }

        deinit {
            if let token { cancellation?.remove(token) }
            xcb_disconnect(handle)
        }
    }

    private let link: Link
    let handle: OpaquePointer
    let root: UInt32
    let rootVisual: UInt32
    let rootDepth: UInt8
    /// All visuals by their IDs.
    let visuals: [UInt32: X11Visual]
    /// The server's name.
    let name: String
    /// The screen's number on the server, from 0.
    let screenNumber: Int
    /// The root window's size when the connection was made; it may change later.
    let initialSize: PixelSize
    /// First event numbers of the extensions; `noEvent` where the server lacks one.
    let damageEvent: UInt8
    let fixesEvent: UInt8
    let randrEvent: UInt8
    /// Nil: the server has no Shape extension; all windows are rectangles.
    let shapeEvent: UInt8?
    let inputOpcode: UInt8?
    /// The server takes memory by its descriptor (MIT-SHM 1.2).
    private(set) var sharesMemory = false
    let hasComposite: Bool
    let hasRender: Bool

    /// `display` is the server's name; nil: DISPLAY. `cancellation` ends every wait for the server once the connection
    /// is made.
    init(display: String? = nil, cancellation: Cancellation? = nil) throws(VideoSourceError) {
        var screenNumber: Int32 = 0
        let name = try Self.serverName(display)
        let connection = xcb_connect(name, &screenNumber)
        let code = xcb_connection_has_error(connection)
        guard let connection, code == 0 else {
            xcb_disconnect(connection)
            throw .noConnection(display: name, code: code)
        }
        link = Link(connection, cancellation)
        handle = connection
        self.name = name
        visuals = X11Visual.all(of: connection)
        var screens = xcb_setup_roots_iterator(xcb_get_setup(connection))
        for _ in 0..<max(0, screenNumber) where screens.rem > 1 { xcb_screen_next(&screens) }
        let screen = screens.data.pointee
        (root, rootVisual, rootDepth) = (screen.root, screen.root_visual, screen.root_depth)
        self.screenNumber = Int(screenNumber)
        initialSize = PixelSize(width: Int(screen.width_in_pixels), height: Int(screen.height_in_pixels))

        func present(_ reply: UnsafePointer<xcb_query_extension_reply_t>?) -> xcb_query_extension_reply_t? {
            guard let extensionData = reply?.pointee, extensionData.present != 0 else { return nil }
            return extensionData
        }
        damageEvent = present(kine_damage_extension(connection))?.first_event ?? Self.noEvent
        fixesEvent = present(kine_xfixes_extension(connection))?.first_event ?? Self.noEvent
        randrEvent = present(kine_randr_extension(connection))?.first_event ?? Self.noEvent
        shapeEvent = present(kine_shape_extension(connection))?.first_event
        inputOpcode = present(kine_input_extension(connection))?.major_opcode
        let hasSharedMemory = present(kine_shm_extension(connection)) != nil
        hasComposite = present(kine_composite_extension(connection)) != nil
        hasRender = present(kine_render_extension(connection)) != nil
        negotiateVersions()
        if hasSharedMemory {
            let version = reply(xcb_shm_query_version(connection), xcb_shm_query_version_reply) {
                (Int($0.pointee.major_version), Int($0.pointee.minor_version))
            }
            sharesMemory = version.map { $0 >= (1, 2) } ?? false
        }
        if cancellation?.isCancelled == true { throw .serverGivenUp }
    }

    /// Events have seven bits.
    private static let noEvent: UInt8 = 128

    /// The server has the pointer's image, and regions (XFIXES).
    var hasFixes: Bool { fixesEvent != Self.noEvent }
    /// The server lists monitors, and reports their changes (RANDR).
    var hasMonitors: Bool { randrEvent != Self.noEvent }
    /// The server reports what has changed on its screen (DAMAGE, in regions of XFIXES).
    var reportsDamage: Bool { damageEvent != Self.noEvent && hasFixes }

    /// Throws if the server does not report its changes, which `feature` needs, a word or two for the middle of a sentence.
    func checkForDamage(_ feature: String) throws(VideoSourceError) {
        guard reportsDamage else { throw .missingExtensions(display: name, feature: feature) }
    }

    /// What a take of this server's screen lacks, in one sentence; nil: nothing.
    var shortcoming: String? {
        var (names, effects): ([String], [String]) = ([], [])
        if damageEvent == Self.noEvent { names.append("DAMAGE") }
        if !hasFixes { names.append("XFIXES") }
        if !reportsDamage { effects.append("the whole screen is read for each frame, which costs more") }
        if !hasFixes { effects.append("the pointer is not shown") }
        if !hasMonitors {
            names.append("RANDR")
            effects.append("its monitors are not known")
        }
        guard !names.isEmpty else { return nil }
        return "The X server \(name) lacks \(Quantity.list(names)): \(effects.joined(separator: "; "))."
    }

    /// Why a recording's input track lacks clicks and typing, in one sentence.
    var withoutInput: String {
        "The X server \(name) does not tell of clicks and keys, which takes XInput 2 and one more connection: the recording's input track "
            + "has none."
    }

    /// Why hidden windows are covered although what lies beneath them is wanted, in one sentence.
    var withoutComposite: String {
        "The X server \(name) lacks COMPOSITE, RENDER or SHAPE: what lies beneath a hidden window is not known, so such a "
            + "window is painted over."
    }

    /// `display`, or DISPLAY's value if that is nil.
    static func serverName(
        _ display: String?, _ variable: (String) -> String? = ProcessEnvironment.value
    ) throws(VideoSourceError) -> String {
        if let name = display ?? variable("DISPLAY"), !name.isEmpty { return name }
        throw WaylandSession.isNamed(by: variable) ? .waylandSession : .noDisplay
    }

    /// Why the server's screen cannot be recorded, although its windows can; nil: it can.
    var screenProblem: VideoSourceError? {
        if rootPacking == nil { return .unsupportedDepth(bits: Int(rootDepth), display: name) }
        guard WaylandSession.isNamed(by: ProcessEnvironment.value) else { return nil }
        let name = "XWAYLAND"
        let hasExtension =
            reply(xcb_query_extension(handle, UInt16(name.utf8.count), name), xcb_query_extension_reply) {
                $0.pointee.present != 0
            } ?? false
        let monitors = X11Layout.monitors(self).map(\.name)
        return WaylandSession.isXwayland(hasExtension: hasExtension, monitors: monitors) ? .waylandSession : nil
    }

    /// The packing of the screen's pixels; nil: they cannot be converted.
    var rootPacking: PackedPixels? { visuals[rootVisual]?.packing }

    private var atoms: [String: UInt32] = [:]

    var descriptor: Int32 { xcb_get_file_descriptor(handle) }
    var isBroken: Bool { xcb_connection_has_error(handle) != 0 }

    /// Whether the connection is a unix socket, which can carry descriptors. The server may still be remote.
    var isLocal: Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return result == 0 && address.ss_family == sa_family_t(AF_UNIX)
    }

    /// Extensions refuse other requests until the client has sent its version.
    private func negotiateVersions() {
        if damageEvent != Self.noEvent {
            free(xcb_damage_query_version_reply(handle, xcb_damage_query_version(handle, 1, 1), nil))
        }
        if hasFixes { free(xcb_xfixes_query_version_reply(handle, xcb_xfixes_query_version(handle, 5, 0), nil)) }
        if hasMonitors { free(xcb_randr_query_version_reply(handle, xcb_randr_query_version(handle, 1, 5), nil)) }
        if hasComposite {
            free(xcb_composite_query_version_reply(handle, xcb_composite_query_version(handle, 0, 4), nil))
        }
        if hasRender { free(xcb_render_query_version_reply(handle, xcb_render_query_version(handle, 0, 11), nil)) }
        if inputOpcode != nil {
            free(xcb_input_xi_query_version_reply(handle, xcb_input_xi_query_version(handle, 2, 2), nil))
        }
    }

    /// Handles all events that are there. Returns whether there was one.
    @discardableResult
    func forEachEvent(_ body: (X11Event) -> Void) -> Bool {
        var wasThere = false
        while let event = xcb_poll_for_event(handle) {
            wasThere = true
            body(event)
            free(event)
        }
        return wasThere
    }

    /// Waits for a reply, passes it to `body` and frees it. Nil if the server answered with an error.
    func reply<Cookie, Reply, Result>(
        _ cookie: Cookie,
        _ fetch: (
            OpaquePointer?, Cookie, UnsafeMutablePointer<UnsafeMutablePointer<xcb_generic_error_t>?>?
        ) -> UnsafeMutablePointer<Reply>?,
        _ body: (UnsafeMutablePointer<Reply>) -> Result
    ) -> Result? {
        var error: UnsafeMutablePointer<xcb_generic_error_t>?
        let answer = fetch(handle, cookie, &error)
        defer {
            free(answer)
            free(error)
        }
        return answer.map(body)
    }

    /// Whether a checked request succeeded.
    func succeeded(_ cookie: xcb_void_cookie_t) -> Bool {
        let error = xcb_request_check(handle, cookie)
        free(error)
        return error == nil
    }

    /// The atom of a name. Requested only once.
    func atom(_ name: String) -> UInt32 {
        if let known = atoms[name] { return known }
        let cookie = xcb_intern_atom(handle, 0, UInt16(name.utf8.count), name)
        let atom = reply(cookie, xcb_intern_atom_reply) { $0.pointee.atom } ?? 0
        atoms[name] = atom
        return atom
    }

    /// Subscribes to these events of a window, and to no others.
    func select(_ events: UInt32, of window: UInt32) {
        var mask = events
        xcb_change_window_attributes(handle, window, UInt32(XCB_CW_EVENT_MASK.rawValue), &mask)
    }

    /// The windows inside a window, from the lowest to the highest.
    func children(of window: UInt32) -> [UInt32] {
        reply(xcb_query_tree(handle, window), xcb_query_tree_reply) { reply in
            let count = Int(xcb_query_tree_children_length(reply))
            return Array(UnsafeBufferPointer(start: xcb_query_tree_children(reply), count: count))
        } ?? []
    }

    /// Nil: there is no such window.
    func attributes(of window: UInt32) -> xcb_get_window_attributes_reply_t? {
        reply(xcb_get_window_attributes(handle, window), xcb_get_window_attributes_reply) { $0.pointee }
    }

    /// A new name of a window's current pixmap; nil: it has none.
    func namePixmap(of window: UInt32) -> UInt32? {
        let pixmap = xcb_generate_id(handle)
        return succeeded(xcb_composite_name_window_pixmap_checked(handle, window, pixmap)) ? pixmap : nil
    }

    func parent(of window: UInt32) -> UInt32? {
        reply(xcb_query_tree(handle, window), xcb_query_tree_reply) { $0.pointee.parent }
    }

    /// Identifies the client of a window: the ID's bits that the server assigns to each client.
    func client(of window: UInt32) -> UInt32 { window & ~xcb_get_setup(handle).pointee.resource_id_mask }

    /// Whether this connection has made a window.
    func isOwn(_ window: UInt32) -> Bool { client(of: window) == xcb_get_setup(handle).pointee.resource_id_base }

    func contentOrigin(of window: UInt32, in other: UInt32) -> (x: Int, y: Int)? {
        reply(xcb_translate_coordinates(handle, window, other, 0, 0), xcb_translate_coordinates_reply) {
            (Int($0.pointee.dst_x), Int($0.pointee.dst_y))
        }
    }

    func geometry(of drawable: UInt32) -> (rect: PixelRect, border: Int)? {
        reply(xcb_get_geometry(handle, drawable), xcb_get_geometry_reply) {
            let g = $0.pointee
            return (
                PixelRect(x: Int(g.x), y: Int(g.y), width: Int(g.width), height: Int(g.height)), Int(g.border_width)
            )
        }
    }
}

extension X11Connection {
    /// The rectangles that have changed since the last call, in the coordinates of what `damage` watches.
    ///
    /// - Parameter region: a region of XFIXES, which is overwritten.
    func takeDamage(_ damage: UInt32, through region: UInt32) -> [PixelRect] {
        xcb_damage_subtract(handle, damage, 0, region)
        return rectangles(xcb_xfixes_fetch_region(handle, region))
    }

    /// Waits for the reply to a FetchRegion request, and returns its rectangles.
    func rectangles(_ question: xcb_xfixes_fetch_region_cookie_t) -> [PixelRect] {
        reply(question, xcb_xfixes_fetch_region_reply) { reply in
            let count = Int(xcb_xfixes_fetch_region_rectangles_length(reply))
            return UnsafeBufferPointer(start: xcb_xfixes_fetch_region_rectangles(reply), count: count).map {
                PixelRect(x: Int($0.x), y: Int($0.y), width: Int($0.width), height: Int($0.height))
            }
        } ?? []
    }
}

extension WaylandSession {
    /// The compositor's name, as in WAYLAND_DISPLAY; nil on X11.
    ///
    /// An X server other than Xwayland is recorded even in a Wayland session: a program was started there on purpose.
    /// Finding that out takes a connection to the X server, if there is one.
    public static var compositor: String? {
        guard isNamed(by: ProcessEnvironment.value) else { return nil }
        if let connection = try? X11Connection(display: nil), connection.screenProblem == nil { return nil }
        guard let display = ProcessEnvironment.value("WAYLAND_DISPLAY"), !display.isEmpty else { return "wayland-0" }
        return display
    }
}
