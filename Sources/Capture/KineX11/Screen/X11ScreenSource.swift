// An X screen, a part of it, or one window. Reads only the damage that the server reports.
import CXCB
import KineCapture
import KineMedia
import KinePlatform

/// A video source on an X server. Created and used by the capture thread.
public final class X11ScreenSource: VideoSource {
    public enum Target: Equatable, Sendable {
        /// The whole screen, or one monitor by its RandR name.
        case screen(monitor: String?)
        /// A rectangle in the screen's coordinates.
        case region(PixelRect)
        /// A window; other windows may cover it.
        case window(WindowChoice)
        /// The whole screen or a monitor, but only one application's windows: those with this WM_CLASS, its menus and
        /// tips. Other windows may cover them. Case does not matter.
        case application(String, monitor: String?)
    }

    /// One of the top-level windows.
    public enum WindowChoice: Equatable, Sendable {
        case id(UInt32)
        /// The window with the focus when the source is opened.
        case focused
        /// The window with exactly this title, or else the one whose title contains it. Case does not matter.
        case titled(String)
    }

    public private(set) var size: PixelSize
    private let connection: X11Connection
    private let reader: X11PixelReader
    private let mouse: X11Mouse
    /// Nil: keys are not wanted.
    private let keyWatch: X11Keys?
    /// Nil: what a person does is not recorded, or the server does not report it.
    private let inputTrack: X11InputTrack?
    /// The take asked for an input track, but the server reports no clicks and keys.
    private let lacksInput: Bool
    /// Nil: every window may be visible.
    private let exclusions: X11Exclusions?
    /// Nil: the target is not an application.
    private let application: X11ApplicationWindows?
    private let target: Target
    /// Nil: the target is no monitor.
    private var monitor: FollowedMonitor?
    /// The drawable to read: the root window, or a window's or an application's off-screen pixmap.
    private var drawable: UInt32
    private let packing: PackedPixels
    /// The frame's origin on the screen, or in a window's pixmap.
    private var origin = (x: 0, y: 0)
    private var windowPixmap: X11WindowPixmap?
    private var rootBounds: PixelRect
    private let damage: UInt32
    private let damagedRegion: UInt32
    private var damageIsPending = false
    private var layoutChanged = false
    private var windowIsGone = false
    /// The monitor is unplugged, or the region lies outside a screen that has become smaller.
    private var targetIsAway = false
    private var everythingIsDamaged = true

    /// Throws if there is no such server or target. A server that stops answering blocks every call of this class.
    ///
    /// - Parameters:
    ///   - target: the source of the frames.
    ///   - reportsPointer: say where the pointer is, and its image.
    ///   - isPrivate: the screen belongs to the take and has no mouse; the pointer has an image once it has moved.
    ///   - reportsClicks: say when a mouse button is pressed and released, and where the pointer is meanwhile.
    ///   - shownKeys: the keys to report, if any.
    ///   - recordsInput: say what a recording's input track has: where the pointer is seen, clicks, and when something is typed.
    ///   - excluded: windows that are not seen in the frames of a screen or a part of it, or left out of an application's.
    ///   - excludeHow: what is seen in their places on a screen.
    ///   - allowsXwayland: record the screen of a server that seems to belong to a session on Wayland, if it can be read.
    ///   - display: the server's name; nil: DISPLAY.
    ///   - cancellation: ends the waits for the server. Afterwards the source cannot be used.
    public init(
        target: Target, reportsPointer: Bool, isPrivate: Bool = false, reportsClicks: Bool = false,
        keys shownKeys: KeyDisplay? = nil, recordsInput: Bool = false, excluding excluded: [X11WindowRule] = [],
        how excludeHow: TakeConfiguration.ExcludeHow = .cover, allowsXwayland: Bool = false, display: String? = nil,
        cancellation: Cancellation? = nil
    ) throws(VideoSourceError) {
        let connection = try X11Connection(display: display, cancellation: cancellation)
        self.connection = connection
        self.target = target
        reader = X11PixelReader(connection: connection)
        rootBounds = PixelRect(size: connection.initialSize)
        var watched = connection.root
        let packing = connection.rootPacking
        if !excluded.isEmpty { try connection.checkForDamage("hiding windows") }
        var monitor: FollowedMonitor?
        switch target {
        case .screen, .region:
            if let problem = connection.screenProblem {
                guard allowsXwayland, problem == .waylandSession, reader.canRead(connection.root) else { throw problem }
            }
            exclusions = excluded.isEmpty ? nil : X11Exclusions(excluded, how: excludeHow, connection: connection)
            application = nil
            if exclusions == nil {
                // Monitors that a person has defined (RRSetMonitor) change with no other event than this one.
                connection.select(UInt32(XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue), of: connection.root)
            }
            let area = try X11Layout.area(of: target, following: &monitor, on: connection, rootBounds: rootBounds)
            drawable = connection.root
            origin = (area.x, area.y)
            size = area.size
        case .application(let name, _):
            guard packing != nil else {
                throw .unsupportedDepth(bits: Int(connection.rootDepth), display: connection.name)
            }
            try connection.checkForDamage("recording an application")
            let area = try X11Layout.area(of: target, following: &monitor, on: connection, rootBounds: rootBounds)
            let windows = try X11ApplicationWindows(
                name, except: excluded, area: area, connection: connection, at: MonotonicClock.now())
            (exclusions, application) = (nil, windows)
            drawable = windows.pixmap
            origin = (area.x, area.y)
            size = area.size
        case .window(let choice):
            let id = try X11Layout.window(choice, on: connection)
            let pixmap = try X11WindowPixmap(window: id, connection: connection)
            // A window's own pixels contain no other window.
            (exclusions, application) = (nil, nil)
            windowPixmap = pixmap
            drawable = pixmap.id
            origin = pixmap.origin
            size = pixmap.size
            watched = id
        }
        self.monitor = monitor
        self.packing = windowPixmap?.packing ?? packing ?? .bgra
        let handle = connection.handle
        damage = xcb_generate_id(handle)
        damagedRegion = xcb_generate_id(handle)
        if connection.reportsDamage { xcb_xfixes_create_region(handle, damagedRegion, 0, nil) }
        // Non-empty: one event, and no more until the damage is collected. Other levels send an event for every
        // rectangle. An application's windows are watched separately.
        if application == nil, connection.reportsDamage {
            xcb_damage_create(handle, damage, watched, UInt8(XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY.rawValue))
        }
        if connection.hasMonitors {
            xcb_randr_select_input(
                handle, connection.root,
                UInt16(XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE.rawValue | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE.rawValue))
        }
        mouse = try X11Mouse(
            reportsPointer: reportsPointer, reportsClicks: reportsClicks, recordsPointer: recordsInput,
            isPrivate: isPrivate, connection: connection)
        let scope = KeyScope(windows: target.ownWindows(windowPixmap), excluded: excluded)
        keyWatch =
            if let shownKeys {
                try X11Keys(
                    shownKeys, in: scope, frameHeight: size.height, connection: connection, display: display,
                    cancellation: cancellation)
            } else { nil }
        // A take is worth more than its input track.
        inputTrack =
            recordsInput
            ? try? X11InputTrack(
                in: scope, window: windowPixmap?.window ?? connection.root, reportsMouse: reportsPointer,
                display: display, cancellation: cancellation) : nil
        lacksInput = recordsInput && inputTrack == nil
        mouse.selectEvents()
        xcb_flush(handle)
    }

    /// What the take lacks on this server, in one sentence for a person; nil: nothing.
    public var shortcoming: String? {
        let sentences = [
            connection.shortcoming, exclusions?.shortcoming, lacksInput ? connection.withoutInput : nil,
        ].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    public var descriptor: Int32 { connection.descriptor }

    public var deadline: Int64? {
        let deadlines = [
            exclusions?.deadline, application?.deadline, mouse.deadline,
        ]
        return deadlines.compactMap(\.self).min()
    }

    public func processEvents() throws(VideoSourceError) -> Bool {
        xcb_flush(connection.handle)  // first: a flush may also read events
        try handleEvents()
        exclusions?.expire(at: MonotonicClock.now())
        application?.expire(at: MonotonicClock.now())
        return hasChanged
    }

    private var hasChanged: Bool {
        damageIsPending || layoutChanged || everythingIsDamaged || exclusions?.hasChanged ?? false
            || application?.hasChanged ?? false || mouse.hasChanged || keyWatch?.hasChanged ?? false
    }

    public var keys: KeyPicture { keyWatch?.picture ?? KeyPicture() }
    public var pointer: PointerState? { mouse.pointer }
    public var screenOrigin: PixelPoint {
        let place = windowPixmap?.place ?? origin
        return PixelPoint(x: place.x, y: place.y)
    }
    public var hiddenPlaces: [PixelRect] { exclusions?.places.map { $0.offset(x: -origin.x, y: -origin.y) } ?? [] }

    public func takeClicks() -> [InputEvent] { mouse.takeClicks() }
    public func reportPointerAnew() { mouse.reportPointerAnew() }

    public func takeInput() -> [InputEvent] {
        let frame = PixelRect(origin: pointerOrigin, size: size)
        let done = inputTrack?.take(in: frame, isWindow: windowPixmap != nil, isSeen: isSeen) ?? []
        return (mouse.takePointer() + done).sorted { $0.instant < $1.instant }
    }

    /// The window in whose pixels the pointer's place is asked for, and the frame's origin there.
    private var pointerWindow: UInt32 { windowPixmap?.window ?? connection.root }
    private var pointerOrigin: (x: Int, y: Int) { windowPixmap == nil ? origin : (0, 0) }

    /// Whether that child of the root window is seen in the frames; 0: the root itself.
    private func isSeen(_ top: UInt32) -> Bool {
        if let application { return application.shows(top) }
        if let windowPixmap { return windowPixmap.isInside(top) }
        return exclusions?.shows(top) ?? true
    }

    /// Handles all available events, including those that came with the reply to another request: the descriptor no
    /// longer shows them.
    private func handleEvents() throws(VideoSourceError) {
        while true {
            connection.forEachEvent { note($0) }
            if connection.isBroken { throw .serverLost }
            if windowIsGone { throw .windowClosed }
            if exclusions?.search(at: MonotonicClock.now()) == true { continue }
            if application?.update(at: MonotonicClock.now()) == true { continue }
            if mouse.check(at: MonotonicClock.now()) { continue }
            guard layoutChanged else { return }
            layoutChanged = false
            try followLayout()
        }
    }

    private func note(_ event: X11Event) {
        if exclusions?.note(event, at: MonotonicClock.now()) == true { return }
        application?.note(event, at: MonotonicClock.now())
        mouse.note(event)
        switch event.kind {
        case connection.damageEvent + UInt8(XCB_DAMAGE_NOTIFY):
            damageIsPending = application == nil
        case connection.randrEvent + UInt8(XCB_RANDR_SCREEN_CHANGE_NOTIFY),
            connection.randrEvent + UInt8(XCB_RANDR_NOTIFY):
            layoutChanged = true
        case UInt8(XCB_CLIENT_MESSAGE): keyWatch?.note()
        case UInt8(XCB_DESTROY_NOTIFY):
            if event.read(xcb_destroy_notify_event_t.self).window == windowPixmap?.window { windowIsGone = true }
        case UInt8(XCB_CONFIGURE_NOTIFY):
            // For a screen, only the root window's: exclusions subscribe to every window's.
            let isRoot = event.read(xcb_configure_notify_event_t.self).window == connection.root
            layoutChanged = layoutChanged || windowPixmap != nil || isRoot
        case UInt8(XCB_MAP_NOTIFY), UInt8(XCB_REPARENT_NOTIFY):
            layoutChanged = layoutChanged || windowPixmap != nil
        default:
            break
        }
    }

    /// The screen or the window has another size or position.
    private func followLayout() throws(VideoSourceError) {
        if let root = connection.geometry(of: connection.root) { rootBounds = PixelRect(size: root.rect.size) }
        if let windowPixmap {
            guard windowPixmap.renew() else { return }
            drawable = windowPixmap.id
            origin = windowPixmap.origin
            size = windowPixmap.size
        } else {
            // If a monitor is unplugged, the frame stays as it is until the monitor returns.
            let area = try? X11Layout.area(of: target, following: &monitor, on: connection, rootBounds: rootBounds)
            let wasAway = targetIsAway
            targetIsAway = area == nil
            if wasAway, !targetIsAway { everythingIsDamaged = true }
            guard let area else { return }
            guard area.size != size || area.x != origin.x || area.y != origin.y else { return }
            origin = (area.x, area.y)
            size = area.size
            if let application {
                application.setArea(area)
                drawable = application.pixmap
            }
        }
        everythingIsDamaged = true
        mouse.noteMotion()  // its position in the frame has changed, even if it has not moved
    }

    public var interruption: SourceInterruption? {
        guard targetIsAway else { return nil }
        return monitor.map { SourceInterruption(.monitorGone, monitor: $0.name) } ?? SourceInterruption(.regionGone)
    }

    /// No limit while a monitor is unplugged.
    public func readLimit(isFirst: Bool) -> ReadLimit? {
        targetIsAway ? nil : ReadLimit(timeout: 10_000_000_000, error: .unreadable(seconds: 10))
    }

    public var exclusionFindings: ExclusionFindings? { exclusions?.findings ?? application?.findings }

    public func addDamage(to region: inout DamageRegion) throws(VideoSourceError) {
        try handleEvents()
        if region.size != size { region = DamageRegion(size: size) }
        mouse.selectEvents()
        let question = mouse.ask(window: pointerWindow, hasChanged: hasChanged)
        if damageIsPending {
            damageIsPending = false
            // A window's damage is in its own coordinates.
            let offset = windowPixmap == nil ? origin : (x: 0, y: 0)
            for rect in connection.takeDamage(damage, through: damagedRegion) {
                region.insert(rect.offset(x: -offset.x, y: -offset.y))
            }
        }
        exclusions?.addDamage(to: &region, origin: origin, at: MonotonicClock.now())
        application?.addDamage(to: &region)
        if everythingIsDamaged {
            // A server that reports no changes is read whole, at the take's rate.
            everythingIsDamaged = !connection.reportsDamage
            region.insertAll()
        }
        if let question { mouse.collect(question, origin: pointerOrigin, isSeen: isSeen) }
        keyWatch?.collect()
    }

    public func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
        let plan = X11ReadPlan(region)
        guard !plan.parts.isEmpty else { return true }
        guard !targetIsAway else { return false }
        let isComplete =
            if exclusions == nil, application == nil {
                reader.read(plan, at: origin, of: drawable, packing: packing) { handOn($1, $2, $0, receive) }
            } else {
                try readAgainUntilKnown(plan, into: receive)
            }
        if !isComplete {
            // The screen or the window changed its size between the event and the request: read all of it again.
            if connection.isBroken { throw .serverLost }
            layoutChanged = true
            everythingIsDamaged = true
        }
        return isComplete
    }

    private func handOn(
        _ pixels: UnsafeMutableRawPointer, _ stride: Int, _ rect: PixelRect, _ receive: (FramePart) -> Void
    ) {
        receive(FramePart(rect: rect, pixels: pixels, stride: stride, isScratch: true))
    }

    /// Reads again until no new window has come during the read that may have to be hidden.
    private func readAgainUntilKnown(
        _ plan: X11ReadPlan, into receive: (FramePart) -> Void
    ) throws(VideoSourceError) -> Bool {
        for _ in 0..<Self.mostAttempts {
            var parts: [(rect: PixelRect, pixels: UnsafeMutableRawPointer, stride: Int)] = []
            let (searches, revision, size, origin) = (exclusions?.searches, application?.revision, size, origin)
            let start = application == nil ? origin : (0, 0)
            let draw = exclusions?.drawing(beneath: plan.parts, of: size, origin: origin)
            let isRead = reader.read(plan, at: start, of: drawable, packing: packing, after: draw) {
                parts.append(($0, $1, $2))
            }
            guard isRead else { return false }
            try handleEvents()
            if exclusions?.lookBeneath(parts.map { $0.rect }, of: size, origin: origin) == true { try handleEvents() }
            guard self.size == size, self.origin == origin else { return false }
            guard exclusions?.searches == searches, application?.revision == revision else {
                application?.redraw()
                continue
            }
            for part in parts {
                exclusions?.cover(part.pixels, stride: part.stride, area: part.rect, origin: origin)
                handOn(part.pixels, part.stride, part.rect, receive)
            }
            return true
        }
        return false
    }

    /// Windows appear less often than a frame takes to read.
    private static let mostAttempts = 8
}
