// A compositor whose clients can copy its outputs, by one of two protocols.
import CWayland
import KineCapture
import KinePlatform

/// A compositor's protocol for copies of its outputs.
public enum WaylandCopyProtocol: String, Sendable {
    /// wlr-screencopy-unstable-v1, of wlroots and others.
    case screencopy = "wlr-screencopy"
    /// ext-image-copy-capture-v1, with the sources of ext-image-capture-source-v1.
    case imageCapture = "ext-image-copy-capture"
}

/// A connection with its outputs and copy protocols. Used on one thread.
final class WaylandScreen {
    let connection: WaylandConnection
    let outputs: WaylandOutputs
    /// The interfaces of all globals.
    private(set) var interfaces: Set<String> = []
    private var screencopy: OpaquePointer?
    private var captureSessions: OpaquePointer?
    private var captureSources: OpaquePointer?
    private var memory: OpaquePointer?

    /// Connects with the compositor of that name, without waiting for an answer.
    init(display: String) throws(VideoSourceError) {
        connection = try .connection(with: display)
        outputs = WaylandOutputs(connection)
        connection.appeared = { [unowned self] in found($0) }
        connection.disappeared = { [unowned outputs] in outputs.disappeared($0) }
    }

    deinit {
        for object in [screencopy, captureSessions, captureSources, memory].compactMap(\.self) {
            wl_proxy_destroy(object)
        }
    }

    private func found(_ global: WaylandConnection.Global) {
        interfaces.insert(global.interface)
        if outputs.appeared(global) { return }
        switch global.interface {
        case "zwlr_screencopy_manager_v1" where screencopy == nil && global.version >= 3:
            screencopy = connection.bind(global, upTo: 3)
        case "ext_image_copy_capture_manager_v1" where captureSessions == nil:
            captureSessions = connection.bind(global, upTo: 1)
        case "ext_output_image_capture_source_manager_v1" where captureSources == nil:
            captureSources = connection.bind(global, upTo: 1)
        case "wl_shm" where memory == nil: memory = connection.bind(global, upTo: 1)
        default: break
        }
    }

    /// Handles the available events without waiting.
    func handleEvents() throws(VideoSourceError) {
        connection.handleEvents()
        if connection.isBroken { throw .compositorLost }
    }

    /// Updates copiers after changes of their outputs, and sends the requests that are due. Call after `handleEvents`
    /// and before other calls of them: the proxy of an output that has gone is invalid.
    func advance(_ copiers: some Sequence<any OutputCopier>) throws(VideoSourceError) {
        let now = MonotonicClock.now()
        for copier in copiers {
            if outputs.hasChanged { copier.outputsChanged() }
            try copier.advance(to: now)
        }
        outputs.hasChanged = false
        connection.flush()
    }

    /// Nil: this compositor's screens cannot be copied. Known once it has answered.
    var copyProtocol: WaylandCopyProtocol? {
        guard memory != nil else { return nil }
        // wlroots' own protocol has been in use for longer.
        if screencopy != nil { return .screencopy }
        return captureSessions != nil && captureSources != nil ? .imageCapture : nil
    }

    /// Makes a copier of an output; the compositor must have answered. Throws if its screens cannot be copied.
    func copier(
        of subject: OutputCopy.Subject, showsCursor: Bool
    ) throws(VideoSourceError) -> any OutputCopier {
        guard let memory else { throw .noScreencopy }
        let copy = OutputCopy(subject, showsCursor: showsCursor, outputs: outputs, memory: memory, connection)
        if let screencopy { return ScreencopyCopier(copy, manager: screencopy) }
        guard let captureSessions, let captureSources else { throw .noScreencopy }
        return ImageCaptureCopier(
            copy, globals: ImageCaptureCopier.Globals(sessions: captureSessions, sources: captureSources))
    }
}

extension WaylandConnection {
    /// A connection for a video source with the compositor of that name, as in WAYLAND_DISPLAY.
    static func connection(with display: String) throws(VideoSourceError) -> WaylandConnection {
        do throws(WaylandConnection.Error) {
            return try WaylandConnection(display: display)
        } catch {
            switch error {
            case .noLibrary: throw .noWaylandLibrary
            case .noCompositor: throw .noCompositor(display: display)
            }
        }
    }
}
