// A compositor whose outputs can be copied by any of its clients: those of wlroots, and others that have its protocol.
import CWayland
import KineMedia
import KineWayland

/// A connection with its outputs and with screencopy. Used on one thread.
final class WaylandScreen {
    let connection: WaylandConnection
    let outputs: WaylandOutputs
    /// Of everything that the compositor offers.
    private(set) var interfaces: Set<String> = []
    private var screencopy: (object: OpaquePointer, version: UInt32)?
    private var memory: OpaquePointer?

    /// Connects with WAYLAND_DISPLAY's compositor, or another, without waiting for an answer.
    init(display: String) throws(VideoSourceError) {
        do throws(WaylandConnection.Error) {
            connection = try WaylandConnection(display: display)
        } catch {
            switch error {
            case .noLibrary: throw .noWaylandLibrary
            case .noCompositor: throw .noCompositor(display: display)
            }
        }
        outputs = WaylandOutputs(connection)
        connection.appeared = { [unowned self] in found($0) }
        connection.disappeared = { [unowned outputs] in outputs.disappeared($0) }
    }

    deinit {
        for object in [screencopy?.object, memory].compactMap(\.self) { wl_proxy_destroy(object) }
    }

    private func found(_ global: WaylandConnection.Global) {
        interfaces.insert(global.interface)
        if outputs.appeared(global) { return }
        switch global.interface {
        case "zwlr_screencopy_manager_v1" where screencopy == nil:
            let version = min(global.version, UInt32(KINE_SCREENCOPY_VERSION))
            screencopy = kine_bind_screencopy(connection.registry, global.name, version).map { ($0, version) }
        case "wl_shm" where memory == nil: memory = kine_bind_memory(connection.registry, global.name)
        default: break
        }
    }

    /// Nil where the compositor does not have both; known once it has answered.
    var globals: OutputCopier.Globals? {
        guard let screencopy, let memory else { return nil }
        return OutputCopier.Globals(
            screencopy: screencopy.object, version: screencopy.version, memory: memory, connection: connection)
    }
}
