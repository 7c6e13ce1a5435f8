// Whether the user's PipeWire can be reached. libpipewire would tell too, but makes a connection of threads and memory for it.
import Glibc
import KinePlatform

/// The user's own daemon, as the environment names it.
public enum PipeWireDaemon {
    /// The socket on which it takes connections; nil: the environment names no directory for it. (pipewire-client.conf(5), "PIPEWIRE_*")
    static func socket(_ variable: (String) -> String?) -> String? {
        let name = variable("PIPEWIRE_REMOTE").flatMap { $0.isEmpty ? nil : $0 } ?? "pipewire-0"
        if name.hasPrefix("/") { return name }
        let directory = ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR"].lazy.compactMap(variable).first { !$0.isEmpty }
        return directory.map { "\($0)/\(name)" }
    }

    /// Whether it takes connections now. In a sandbox it may take none though a portal hands one out.
    public static var isThere: Bool {
        guard let path = socket(ProcessEnvironment.value) else { return false }
        return accepts(path)
    }

    private static func accepts(_ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        // A daemon that hangs with a full queue is not waited for.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
