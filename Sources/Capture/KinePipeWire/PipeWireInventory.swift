// The versions of PipeWire, for checks.
import CPipeWire
import Glibc
import SystemPackage

/// The user's daemon and the library that talks with it.
public struct PipeWireInventory: Sendable, Equatable {
    /// Debian's package with the library.
    public static let libraryPackage = "libpipewire-0.3-0"

    /// The library's version; nil: it is not installed.
    public var library: String?
    /// The daemon's version; nil: none answers.
    public var server: String?

    /// Milliseconds that the daemon has for its answer.
    private static let patience: Int32 = 3000

    public init(library: String? = nil, server: String? = nil) { (self.library, self.server) = (library, server) }

    /// Whether the library is installed. No daemon is asked.
    public static var hasLibrary: Bool { kine_load_pipewire() }

    /// Asks the daemon that the environment names, and waits for its answer.
    public static func find() -> PipeWireInventory {
        guard kine_load_pipewire() else { return PipeWireInventory() }
        var inventory = PipeWireInventory(library: String(cString: kine_pipewire_version()))
        var version = [CChar](repeating: 0, count: 64)
        if kine_pipewire_server_version(&version, version.count, patience) {
            inventory.server = version.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        }
        return inventory
    }
}
