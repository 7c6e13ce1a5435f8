// Follows the outputs of a compositor, their positions and their changes.
import CWayland
import KineCapture
import KineMedia
import KinePlatform

/// The outputs of one connection. Used on its thread.
final class WaylandOutputs: CallbackTarget {
    private final class Entry {
        let proxy: OpaquePointer
        var logical: OpaquePointer?
        var output = WaylandOutput()
        /// The compositor has sent the logical position; otherwise it follows from the mode and the scale.
        var isPlaced = false
        /// The compositor has sent all properties.
        var isComplete = false
        var scale = 1

        init(proxy: OpaquePointer) { self.proxy = proxy }
    }

    private let connection: WaylandConnection
    private var entries: [UInt32: Entry] = [:]
    private var layout: OpaquePointer?
    /// An output has changed since this was set to false.
    var hasChanged = false

    private let outputListener = Listener(
        wl_output_add_listener,
        wl_output_listener(
            geometry: { context, proxy, x, y, _, _, _, make, model, transform in
                WaylandOutputs.change(context, proxy) { entry in
                    if !entry.isPlaced { (entry.output.bounds.x, entry.output.bounds.y) = (Int(x), Int(y)) }
                    entry.output.orientation = Orientation(undoingWaylandTransform: transform)
                    guard entry.output.description.isEmpty else { return }
                    let words = [make, model].compactMap { $0.map { String(cString: $0) } }
                    entry.output.description = words.joined(separator: " ")
                }
            },
            mode: { context, proxy, flags, width, height, refresh in
                guard flags & WL_OUTPUT_MODE_CURRENT.rawValue != 0, width > 0, height > 0 else { return }
                WaylandOutputs.change(context, proxy) { entry in
                    entry.output.pixelSize = PixelSize(width: Int(width), height: Int(height))
                    entry.output.refresh = max(0, Int(refresh))
                }
            },
            done: { context, proxy in WaylandOutputs.change(context, proxy) { $0.isComplete = true } },
            scale: { context, proxy, factor in
                WaylandOutputs.change(context, proxy) { $0.scale = max(1, Int(factor)) }
            },
            name: { context, proxy, name in
                guard let name else { return }
                WaylandOutputs.change(context, proxy) { $0.output.name = String(cString: name) }
            },
            description: { context, proxy, description in
                guard let description else { return }
                WaylandOutputs.change(context, proxy) { $0.output.description = String(cString: description) }
            }))
    private let logicalListener = Listener(
        zxdg_output_v1_add_listener,
        zxdg_output_v1_listener(
            logical_position: { context, proxy, x, y in
                WaylandOutputs.change(context, proxy) { entry in
                    entry.isPlaced = true
                    (entry.output.bounds.x, entry.output.bounds.y) = (Int(x), Int(y))
                }
            },
            logical_size: { context, proxy, width, height in
                WaylandOutputs.change(context, proxy) { entry in
                    (entry.output.bounds.width, entry.output.bounds.height) = (Int(width), Int(height))
                }
            },
            done: { _, _ in },
            name: { context, proxy, name in
                guard let name else { return }
                WaylandOutputs.change(context, proxy) { $0.output.name = String(cString: name) }
            },
            description: { context, proxy, description in
                guard let description else { return }
                WaylandOutputs.change(context, proxy) { $0.output.description = String(cString: description) }
            }))

    init(_ connection: WaylandConnection) { self.connection = connection }

    deinit {
        for entry in entries.values { release(entry) }
        if let layout { wl_proxy_destroy(layout) }
    }

    /// The current outputs, from left to right and from top to bottom.
    var all: [WaylandOutput] { ordered.map { Self.placed($0.value) } }

    /// The outputs whose properties have all come. The compositor announces an output before its name and place.
    var complete: [WaylandOutput] { ordered.filter(\.value.isComplete).map { Self.placed($0.value) } }

    /// The outputs that have a place and a size.
    var known: [WaylandOutput] { complete.filter { !$0.bounds.isEmpty && $0.pixelSize.area > 0 } }

    private var ordered: [(key: UInt32, value: Entry)] {
        entries.sorted {
            let (a, b) = ($0.value.output.bounds, $1.value.output.bounds)
            return (a.x, a.y, $0.key) < (b.x, b.y, $1.key)
        }
    }

    /// The proxy of an output for requests; nil once the output has gone.
    func proxy(of name: String) -> OpaquePointer? { entries.values.first { $0.output.name == name }?.proxy }

    func output(named name: String) -> WaylandOutput? { all.first { $0.name == name } }

    /// Handles a global; false: it does not concern outputs.
    func appeared(_ global: WaylandConnection.Global) -> Bool {
        switch global.interface {
        case "wl_output":
            let bound = connection.bind(global, upTo: 4)
            guard let proxy = outputListener.attach(to: bound, callbackData) else { return true }
            let entry = Entry(proxy: proxy)
            // Replaced when the compositor sends the name.
            entry.output.name = "output-\(global.name)"
            entry.isComplete = wl_output_get_version(proxy) < WL_OUTPUT_DONE_SINCE_VERSION
            entries[global.name] = entry
            place(entry)
        case "zxdg_output_manager_v1":
            guard layout == nil else { return true }
            layout = connection.bind(global, upTo: 3)
            for entry in entries.values { place(entry) }
        default: return false
        }
        hasChanged = true
        return true
    }

    func disappeared(_ name: UInt32) {
        guard let entry = entries.removeValue(forKey: name) else { return }
        release(entry)
        hasChanged = true
    }

    private func place(_ entry: Entry) {
        guard let layout, entry.logical == nil else { return }
        entry.logical = logicalListener.attach(
            to: zxdg_output_manager_v1_get_xdg_output(layout, entry.proxy), callbackData)
    }

    private func release(_ entry: Entry) {
        if let logical = entry.logical { zxdg_output_v1_destroy(logical) }
        if wl_output_get_version(entry.proxy) >= WL_OUTPUT_RELEASE_SINCE_VERSION {
            wl_output_release(entry.proxy)
        } else {
            wl_output_destroy(entry.proxy)
        }
    }

    /// Without xdg-output, an output's size follows from its mode and scale.
    private static func placed(_ entry: Entry) -> WaylandOutput {
        var output = entry.output
        guard !entry.isPlaced else { return output }
        let size = output.uprightSize
        output.bounds.width = size.width / entry.scale
        output.bounds.height = size.height / entry.scale
        return output
    }

    /// `proxy` is an output's or a logical output's.
    private static func change(
        _ context: UnsafeMutableRawPointer?, _ proxy: OpaquePointer?, _ body: (Entry) -> Void
    ) {
        guard let proxy else { return }
        let outputs = from(context)
        guard let entry = outputs.entries.values.first(where: { $0.proxy == proxy || $0.logical == proxy }) else {
            return
        }
        body(entry)
        outputs.hasChanged = true
    }
}

/// A monitor of a Wayland session.
public struct WaylandOutput: Equatable, Sendable {
    /// The compositor's name of the output, `DP-1`. Empty if unknown.
    public var name = ""
    /// For display: mostly the maker and the model. May be empty.
    public var description = ""
    /// The rectangle on the desktop, in logical pixels, the units of windows.
    public var bounds = PixelRect(x: 0, y: 0, width: 0, height: 0)
    /// The monitor's pixels, before rotation.
    public var pixelSize = PixelSize(width: 0, height: 0)
    /// Frames in a thousand seconds; 0: unknown.
    public var refresh = 0
    /// The rotation that makes the monitor's picture upright.
    public var orientation = Orientation.up

    /// The monitor's pixels after rotation.
    public var uprightSize: PixelSize { orientation.turned(pixelSize) }
}

/// The outputs of a compositor, and its protocol for copies.
public struct WaylandInventory: Sendable {
    public var outputs: [WaylandOutput]
    /// Nil: this compositor's screens cannot be copied.
    public var copyProtocol: WaylandCopyProtocol?
    /// The compositor, identified by its own protocols; nil: unknown.
    public var compositor: String?

    /// Nanoseconds for the compositor's answers.
    private static let timeout: Int64 = 3_000_000_000

    /// Asks the compositor of that name, and waits for its answers.
    public init(display: String) throws(VideoSourceError) {
        let screen = try WaylandScreen(display: display)
        let deadline = MonotonicClock.now() + Self.timeout
        // First its globals, then its outputs' properties.
        for _ in 0..<2 {
            guard screen.connection.waitForAnswers(until: deadline) else {
                throw screen.connection.isBroken ? .compositorLost : .compositorSilent
            }
        }
        outputs = screen.outputs.all
        copyProtocol = screen.copyProtocol
        compositor = Self.compositor(with: screen.interfaces)
    }

    /// The output of that name; case does not matter. Throws if there is none.
    public func output(named name: String) throws(VideoSourceError) -> WaylandOutput {
        try WaylandLayout.output(named: name, on: outputs)
    }

    /// Protocols have their author as a prefix. wlroots' come last, because other compositors have some of them too.
    static func compositor(with interfaces: Set<String>) -> String? {
        let authors = [
            ("hyprland_", "Hyprland"), ("org_kde_plasma_", "KWin"), ("gtk_shell", "Mutter"), ("mutter_", "Mutter"),
            ("weston_", "Weston"), ("zcosmic_", "cosmic-comp"), ("zwlr_", "a compositor of wlroots"),
        ]
        return authors.first { author in interfaces.contains { $0.hasPrefix(author.0) } }?.1
    }
}
