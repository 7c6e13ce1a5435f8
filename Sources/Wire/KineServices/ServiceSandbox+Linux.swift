// The rules of the sandbox for a service's executable, from its manifest. docs/confinement.md explains them. Linux.
import Glibc
import KinePlatform
import KineText
import SystemPackage

public enum ServiceSandbox {
    /// Files that every program needs.
    package static let libraries = [
        "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/dev/urandom", "/dev/random",
        "/sys/devices/system/cpu", "/etc/localtime", "/usr/share/zoneinfo", "/usr/share/locale",
    ]

    /// Files for name resolution. Landlock treats a replaced file as another file, so this includes the directories in
    /// which network services put a new resolv.conf.
    private static let resolver = [
        "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services",
        "/etc/protocols", "/run/systemd/resolve", "/run/resolvconf", "/run/connman",
    ]

    private static let certificates = [
        "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted",
        "/usr/share/ca-certificates", "/usr/local/share/ca-certificates",
    ]

    /// Bytes of private memory beyond the memory limit: stacks, the allocator's reserve, tables of libraries. A fast
    /// leak then reaches the memory limit first, which names the cause; at this hard limit a process only crashes.
    private static let dataSlack: Int64 = 128 << 20
    /// Bytes of a thread's stack, four times Darwin's default. With the usual 8 MB, a pool with one thread for each
    /// core would use up the limit on data.
    private static let stackBytes: Int64 = 2 << 20

    /// The limits of a process of the service; the sandbox is left to the caller.
    ///
    /// - Parameter isCounted: whether a cgroup counts its memory.
    package static func limits(of service: Service, isCounted: Bool) -> ChildProcess.Confinement {
        var confinement = ChildProcess.Confinement()
        let limit = Int64(service.manifest.memoryLimit)
        if !isCounted { confinement.fileLimit = limit }
        let threads = Int64(sysconf(Int32(_SC_NPROCESSORS_ONLN))) + 16
        confinement.dataLimit = limit + dataSlack + threads * stackBytes
        confinement.stackLimit = stackBytes
        confinement.outOfMemoryScore = 500
        return confinement
    }

    /// Throws if the manifest names a path that no service may read.
    ///
    /// - Parameters:
    ///   - data: the extension's data directory.
    ///   - groups: the directories of its groups.
    ///   - isCounted: whether a cgroup counts its memory.
    ///   - environment: the person's environment, as `NAME=value`.
    public static func rules(
        for service: Service, data: FilePath?, groups: [FilePath] = [], isCounted: Bool, environment: [String],
        user: uid_t = getuid()
    ) throws(ServiceManifest.Problem) -> Sandbox.Rules {
        var rules = Sandbox.Rules()
        let paths = ReadablePaths(user: user) { ProcessEnvironment.value($0, in: environment) }
        rules.readable = libraries + toolchain + [service.executable.escaped]
        rules.readable += try paths.resolve(service.manifest.readable)
        if let bundle = service.bundle { rules.readable.append(bundle.escaped) }
        if service.manifest.network == .connect {
            rules.readable += resolver + certificates
            // Some network services replace their resolv.conf. Only root could read secrets beside it.
            rules.readable += user != 0 ? ["/etc", "/run/NetworkManager"] : ["/run/NetworkManager/resolv.conf"]
        }
        rules.writable = (data.map { [$0.escaped] } ?? []) + groups.map(\.escaped)
        rules.devices = ["/dev/null"]
        rules.mayConnect = service.manifest.network == .connect
        rules.mayListen = service.manifest.listen != nil
        rules.mayBindUDP = service.manifest.bindsUDP
        // Members of a group watch its directory.
        rules.mayWatch = !groups.isEmpty
        rules.mayHideMemory = isCounted
        return rules
    }

    /// The directories of Swift's libraries for this program and those built with it; empty if linked statically.
    private static let toolchain: [String] = {
        let text = String(decoding: FilePath("/proc/self/maps").start(limit: 16 << 20) ?? [], as: UTF8.self)
        // A process maps hundreds of files, so they are compared as text: a debug build takes long to split a path.
        let directories = text.split(separator: "\n").compactMap { line -> Substring? in
            guard let start = line.firstIndex(of: "/"), let name = line.lastIndex(of: "/"),
                line[name...].hasPrefix("/libswift")
            else { return nil }
            return line[start...name]
        }
        return Set(directories).map { FilePath(escaped: String($0)).escaped }.sorted()
    }()

    /// The directory that a service may write to, created if missing; nil for built-in services, and without a home.
    public static func dataDirectory(of service: Service, environment: [String]) -> FilePath? {
        guard service.origin != .builtIn else { return nil }
        return try? UserDataDirectory.make(["data", service.id], environment: environment)
    }
}
