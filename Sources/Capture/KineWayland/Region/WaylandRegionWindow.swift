// The window in which a person draws a region: a still picture of a monitor that covers the monitor.
import CWayland
import KineCapture
import KineMedia
import KinePlatform
import KineText

/// A connection with a compositor, and the window once it is shown. Used on one thread.
final class WaylandRegionWindow: CallbackTarget {
    enum Event: Equatable {
        /// In the picture's pixels.
        case input(RegionSelection.Event)
        /// The person did something else, for example on the keyboard.
        case otherInput
        /// The person, or the desktop, has closed the window.
        case closed
    }

    let connection: WaylandConnection
    private let outputs: WaylandOutputs
    private var compositor: OpaquePointer?
    private var shell: OpaquePointer?
    private var memory: OpaquePointer?
    private var input: WaylandInput?
    private var answers = 0
    private let timeout: Int64
    /// Deadline of the pending roundtrip, if any.
    private(set) var deadline: Int64?

    private var surface: OpaquePointer?
    private var role: OpaquePointer?
    private var toplevel: OpaquePointer?
    private var frame: OpaquePointer?
    private var cursor: (surface: OpaquePointer, buffer: WindowBuffer)?
    private var picture: StillPicture?
    /// The size that the compositor requests, in surface units.
    private var wanted = PixelSize(width: 0, height: 0)
    /// Nil before the compositor has sent the window's size.
    private var canvas: RegionPicture?
    private var buffers: [WindowBuffer] = []
    /// The content at the compositor, and its difference from the dark picture; nil: nothing.
    private var shown: (content: RegionPicture.Content, drawn: PixelRect)?
    private var selection: PixelRect?
    /// The first and the last mouse position, in surface units.
    private var firstPlace: (x: Double, y: Double)?
    private var mouse: (x: Double, y: Double)?
    private var events: [Event] = []
    /// The compositor has removed the window.
    private(set) var isGone = false

    private static let crosshairSide = 25

    private let shellListener = Listener(
        xdg_wm_base_add_listener, xdg_wm_base_listener { _, shell, serial in xdg_wm_base_pong(shell, serial) })
    private let roleListener = Listener(
        xdg_surface_add_listener,
        xdg_surface_listener { context, _, serial in WaylandRegionWindow.from(context).configure(serial) })
    private let toplevelListener = Listener(
        xdg_toplevel_add_listener,
        xdg_toplevel_listener(
            configure: { context, _, width, height, _ in
                WaylandRegionWindow.from(context).wanted = PixelSize(
                    width: max(0, Int(width)), height: max(0, Int(height)))
            },
            close: { context, _ in WaylandRegionWindow.from(context).events.append(.closed) },
            // Later versions send these.
            configure_bounds: { _, _, _, _ in }, wm_capabilities: { _, _, _ in }))
    private let frameListener = Listener(
        wl_callback_add_listener,
        wl_callback_listener { context, callback, _ in
            wl_proxy_destroy(callback)
            WaylandRegionWindow.from(context).frame = nil
        })

    /// Connects with the compositor of that name, as in WAYLAND_DISPLAY, without waiting for an answer.
    ///
    /// - Parameter timeout: nanoseconds for each answer.
    init(display: String, timeout: Int64) throws(VideoSourceError) {
        self.timeout = timeout
        connection = try .connection(with: display)
        outputs = WaylandOutputs(connection)
        connection.appeared = { [unowned self] in found($0) }
        connection.disappeared = { [unowned outputs] in outputs.disappeared($0) }
        deadline = MonotonicClock.now() + timeout
        expectAnswer()
    }

    deinit {
        takeAway()
        input = nil
        for object in [compositor, shell, memory].compactMap(\.self) { wl_proxy_destroy(object) }
        connection.flush()
    }

    private func found(_ global: WaylandConnection.Global) {
        if outputs.appeared(global) { return }
        switch global.interface {
        case "wl_compositor" where compositor == nil && global.version >= WL_SURFACE_DAMAGE_BUFFER_SINCE_VERSION:
            compositor = connection.bind(global, upTo: 4)
        case "xdg_wm_base" where shell == nil:
            shell = shellListener.attach(to: connection.bind(global, upTo: 1), callbackData)
        case "wl_shm" where memory == nil: memory = connection.bind(global, upTo: 1)
        case "wl_seat" where input == nil:
            input = WaylandInput(global, of: connection, cursor: { [unowned self] in crosshair() }) {
                [unowned self] event in receive(event)
            }
        default: break
        }
    }

    /// The compositor sends its globals, then its outputs: two roundtrips.
    private func expectAnswer() {
        connection.afterAnswers { [unowned self] in
            answers += 1
            if answers < 2 { expectAnswer() } else { deadline = nil }
        }
    }

    /// The globals and outputs are known.
    var isReady: Bool { answers >= 2 }

    /// Handles the compositor's events. Returns the person's.
    func processEvents() throws(VideoSourceError) -> [Event] {
        connection.handleEvents()
        if connection.isBroken { throw .compositorLost }
        if let deadline, MonotonicClock.now() >= deadline { throw .compositorSilent }
        try draw()
        connection.flush()
        defer { events = [] }
        return events
    }

    /// Shows a picture that fills a monitor.
    ///
    /// - Parameter position: the monitor's position on the desktop, if known.
    func show(_ picture: StillPicture, at position: (x: Int, y: Int)?) throws(VideoSourceError) {
        guard let compositor, let shell, memory != nil, let surface = wl_compositor_create_surface(compositor) else {
            throw .noRegionWindow
        }
        self.picture = picture
        self.surface = surface
        role = roleListener.attach(to: xdg_wm_base_get_xdg_surface(shell, surface), callbackData)
        toplevel = toplevelListener.attach(to: xdg_surface_get_toplevel(role), callbackData)
        xdg_toplevel_set_title(toplevel, "Kinecast")
        xdg_toplevel_set_app_id(toplevel, "kinecast")
        let output = WaylandLayout.output(at: position, showing: picture.size, on: outputs.all)
        // Without an output, the compositor chooses one.
        xdg_toplevel_set_fullscreen(toplevel, output.flatMap { outputs.proxy(of: $0.name) })
        wl_surface_commit(surface)
        connection.flush()
    }

    /// Replaces the picture, because the monitor has changed.
    func change(to picture: StillPicture) {
        self.picture = picture
        if canvas != nil { renew() }
    }

    /// Shows a part of the picture bright; nil: a hint instead.
    func select(_ rect: PixelRect?) throws(VideoSourceError) {
        selection = rect
        try draw()
        connection.flush()
    }

    /// Removes the window: see `isGone`.
    func hide() {
        takeAway()
        deadline = MonotonicClock.now() + timeout
        connection.afterAnswers { [unowned self] in (isGone, deadline) = (true, nil) }
        connection.flush()
    }

    private func takeAway() {
        if let frame { wl_proxy_destroy(frame) }
        if let toplevel { xdg_toplevel_destroy(toplevel) }
        if let role { xdg_surface_destroy(role) }
        for surface in [surface, cursor?.surface].compactMap(\.self) { wl_surface_destroy(surface) }
        (frame, toplevel, role, surface, cursor) = (nil, nil, nil, nil, nil)
        (picture, canvas, shown, buffers) = (nil, nil, nil, [])
    }

    private func configure(_ serial: UInt32) {
        xdg_surface_ack_configure(role, serial)
        guard let picture else { return }
        // The same size: only the focus has changed.
        if let canvas, canvas.fit == fit(of: picture.size) { return wl_surface_commit(surface) }
        renew()
    }

    private func fit(of picture: PixelSize) -> PictureFit {
        PictureFit(picture, in: wanted.area > 0 ? wanted : picture)
    }

    /// Draws everything again, in the size requested now.
    private func renew() {
        guard let picture else { return }
        canvas = RegionPicture(picture.pixels, fit: fit(of: picture.size))
        (buffers, shown) = ([], nil)
    }

    private func content(in fit: PictureFit) -> RegionPicture.Content {
        if let selection { return .selection(selection) }
        guard let place = firstPlace else {
            return .hint(PixelPoint(x: fit.window.width / 3, y: fit.window.height / 2))
        }
        let scale = Double(fit.scale)
        return .hint(PixelPoint(x: Int(place.x * scale), y: Int(place.y * scale)))
    }

    /// Draws the changes, at the compositor's rate.
    private func draw() throws(VideoSourceError) {
        guard let canvas, let surface, frame == nil else { return }
        let content = content(in: canvas.fit)
        guard shown?.content != content, let buffer = try freeBuffer(of: canvas.fit.window) else { return }
        canvas.draw(content, on: buffer.pixels, over: &buffer.drawn)
        let drawn = buffer.drawn ?? PixelRect(size: canvas.fit.window)
        // The other buffer was shown before.
        let damage = shown.map { $0.drawn.union(drawn) } ?? PixelRect(size: canvas.fit.window)
        shown = (content, drawn)
        buffer.attach(to: surface, scale: canvas.fit.scale)
        wl_surface_damage_buffer(
            surface, Int32(damage.x), Int32(damage.y), Int32(damage.width), Int32(damage.height))
        frame = frameListener.attach(to: wl_surface_frame(surface), callbackData)
        wl_surface_commit(surface)
    }

    /// Nil: the compositor still reads both.
    private func freeBuffer(of size: PixelSize) throws(VideoSourceError) -> WindowBuffer? {
        if let free = buffers.first(where: { !$0.isBusy }) { return free }
        // One is shown, and one is drawn.
        guard buffers.count < 2, let memory else { return nil }
        let buffer = try WindowBuffer(size, .xrgb, memory: memory, connection)
        buffers.append(buffer)
        return buffer
    }

    private func receive(_ event: WaylandInput.Event) {
        guard let fit = canvas?.fit else { return }
        switch event {
        case .moved(let x, let y):
            mouse = (x, y)
            firstPlace = firstPlace ?? mouse
            events.append(.input(.moved(to: fit.point(x: x, y: y))))
        case .pressed(let button):
            events.append(
                mouse.map { .input(.pressed(button: button, at: fit.point(x: $0.x, y: $0.y))) } ?? .otherInput)
        case .released(let button):
            events.append(
                mouse.map { .input(.released(button: button, at: fit.point(x: $0.x, y: $0.y))) } ?? .otherInput)
        case .escaped: events.append(.input(.escaped))
        case .key: events.append(.otherInput)
        }
    }

    /// Made when first needed. Nil without memory; the mouse then keeps its image.
    private func crosshair() -> WaylandInput.Cursor? {
        let hotSpot = (Self.crosshairSide / 2, Self.crosshairSide / 2)
        if let cursor { return WaylandInput.Cursor(surface: cursor.surface, hotSpot: hotSpot) }
        let side = PixelSize(width: Self.crosshairSide, height: Self.crosshairSide)
        guard let memory, let buffer = try? WindowBuffer(side, .argb, memory: memory, connection),
            let surface = wl_compositor_create_surface(compositor)
        else { return nil }
        Self.drawCrosshair(on: buffer)
        buffer.attach(to: surface, scale: 1)
        wl_surface_damage_buffer(surface, 0, 0, Int32(side.width), Int32(side.height))
        wl_surface_commit(surface)
        cursor = (surface, buffer)
        return WaylandInput.Cursor(surface: surface, hotSpot: hotSpot)
    }

    /// White, with a black outline.
    private static func drawCrosshair(on buffer: WindowBuffer) {
        let (side, middle) = (crosshairSide, crosshairSide / 2)
        for y in 0..<side {
            for x in 0..<side {
                let distance = min(abs(x - middle), abs(y - middle))
                buffer.pixels[y * side + x] = distance == 0 ? 0xffff_ffff : distance == 1 ? 0xff00_0000 : 0
            }
        }
    }
}

extension WaylandLayout {
    /// The output that a cast shows, by its reported position, or by its size if only one output has it; nil: unknown.
    static func output(
        at position: (x: Int, y: Int)?, showing picture: PixelSize, on outputs: [WaylandOutput]
    ) -> WaylandOutput? {
        if let position, let output = outputs.first(where: { ($0.bounds.x, $0.bounds.y) == position }) {
            return output
        }
        let fitting = outputs.filter { $0.uprightSize == picture }
        return fitting.count == 1 ? fitting[0] : nil
    }
}
