// The versions of PipeWire, for checks.
import CPipeWire
import KinePlatform

/// The user's daemon and its client library.
public struct PipeWireInventory: Sendable, Equatable {
    /// Debian's package with the library.
    public static let libraryPackage = "libpipewire-0.3-0"

    /// The library's version; nil: not installed.
    public var library: String?
    /// The daemon's version; nil: no answer.
    public var server: String?

    /// Milliseconds for the daemon's answer.
    private static let timeout: Int32 = 3000

    public init(library: String? = nil, server: String? = nil) { (self.library, self.server) = (library, server) }

    /// Whether the library is installed. Does not ask the daemon.
    public static var hasLibrary: Bool { kine_load_pipewire() }

    /// Asks the daemon of the environment, and waits for its answer.
    public static func find() -> PipeWireInventory {
        guard kine_load_pipewire() else { return PipeWireInventory() }
        var inventory = PipeWireInventory(library: String(cString: kine_pipewire_version()))
        var version = [CChar](repeating: 0, count: 64)
        if kine_pipewire_server_version(&version, version.count, timeout) {
            inventory.server = version.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        }
        return inventory
    }
}

/// The user's own daemon, by the environment.
public enum PipeWireDaemon {
    /// The daemon's socket; nil: the environment names no directory (pipewire-client.conf(5), "PIPEWIRE_*").
    static func socket(_ variable: (String) -> String?) -> String? {
        let name = variable("PIPEWIRE_REMOTE").flatMap { $0.isEmpty ? nil : $0 } ?? "pipewire-0"
        if name.hasPrefix("/") { return name }
        let directory = ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR"].lazy.compactMap(variable).first { !$0.isEmpty }
        return directory.map { "\($0)/\(name)" }
    }

    /// Whether it accepts connections now. A sandbox may prevent that although a portal provides one.
    public static var isThere: Bool {
        guard let path = socket(ProcessEnvironment.value) else { return false }
        return UnixSocket.accepts(path)
    }
}
