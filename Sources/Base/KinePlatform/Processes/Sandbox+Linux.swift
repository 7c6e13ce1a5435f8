// The sandbox of a process. It is made before the fork, and the child enters it before it runs its program; or a
// process enters it itself. Linux.
import CSandbox
import Glibc
import KineText
import SystemPackage

/// A sandbox for one process and its descendants. Each layer works without the others. `layers` are those that this
/// kernel has; the rest is left out.
public final class Sandbox: @unchecked Sendable {
    // Sendable: immutable; the child writes only into its own copy of the filter.

    /// docs/confinement.md explains the layers.
    public enum Layer: String, Codable, Sendable, CaseIterable {
        /// Paths, TCP ports, signals and abstract sockets.
        case landlock
        /// System calls.
        case seccomp
        /// The rights of root that other users do not have.
        case capabilities
        /// Its own process numbers and /proc: it has no number for any other process.
        case namespaces
    }

    /// The paths and sockets that it may reach. A path that does not exist is left out.
    public struct Rules: Sendable {
        /// Files, and directories with their contents: to read and to execute.
        public var readable: [String] = []
        /// Directories with their contents: to read, to write and to remove in, not to execute from.
        public var writable: [String] = []
        /// Existing files, to read and to write.
        public var devices: [String] = []
        /// Sockets that it opens itself, to connect with.
        public var mayConnect = false
        /// Whether it may call `listen` on the sockets that it is given, which listen already.
        public var mayListen = false
        /// Whether it may bind UDP sockets to addresses of its choice. Needs `mayConnect`.
        public var mayBindUDP = false
        /// Whether it may watch directories by inotify: all of them, since Landlock has no rule for it.
        public var mayWatch = false
        /// Whether it may set the modes of its open files. Otherwise the call has no effect.
        public var maySetModes = false
        /// Memory files and shared memory without a file. After their release, such memory counts for no process.
        public var mayHideMemory = false

        public init() {}
    }

    public let layers: Set<Layer>
    /// -1: no Landlock.
    let ruleset: Int32
    let filter: UnsafeMutablePointer<kine_filter>?
    let namespaces: kine_namespaces

    /// Throws the kernel's error if it has a layer but refuses to create it.
    public init(_ rules: Rules, leavingOut: Set<Layer> = []) throws(Errno) {
        let layers = Set(Layer.allCases).subtracting(leavingOut).filter(Self.isAvailable)
        self.layers = layers
        namespaces = layers.contains(.namespaces) ? Self.ownNamespaces : KINE_NO_NAMESPACES
        ruleset = layers.contains(.landlock) ? try Self.ruleset(rules) : -1
        guard layers.contains(.seccomp) else {
            filter = nil
            return
        }
        var policy = kine_filter_policy(
            may_use_sockets: rules.mayConnect ? 1 : 0, may_listen: rules.mayListen ? 1 : 0,
            may_bind: rules.mayBindUDP ? 1 : 0,
            may_signal: layers.contains(.landlock) && Self.landlockVersion >= 6 ? 1 : 0,
            may_watch: rules.mayWatch ? 1 : 0, may_set_modes: rules.maySetModes ? 1 : 0,
            may_hide_memory: rules.mayHideMemory ? 1 : 0)
        let filter = UnsafeMutablePointer<kine_filter>.allocate(capacity: 1)
        filter.initialize(to: kine_filter())
        self.filter = filter
        guard kine_filter_build(filter, &policy) == 0 else { throw .invalidArgument }
    }

    deinit {
        filter?.deallocate()
        if ruleset >= 0 { close(ruleset) }
    }

    /// The layers that this kernel, or this container, has.
    public static var available: Set<Layer> { Set(Layer.allCases.filter(isAvailable)) }

    private static func isAvailable(_ layer: Layer) -> Bool {
        switch layer {
        case .landlock: landlockVersion > 0
        case .seccomp: kine_filter_is_available() != 0
        case .capabilities: true
        case .namespaces: ownNamespaces != KINE_NO_NAMESPACES
        }
    }

    /// Confines the calling thread and its later descendants for good; with a single thread, the whole process. Enters
    /// only Landlock and the filter of system calls.
    public func enter() throws(Errno) {
        // Fills in this process's number in a copy, because other processes may enter the same filter.
        let result =
            if var own = filter?.pointee { kine_confine_self(ruleset, &own) } else { kine_confine_self(ruleset, nil) }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    /// Checked once, because the check starts a process.
    private static let ownNamespaces = kine_namespaces_available()

    /// The kernel's version of Landlock; 0: none. TCP since 4, signals and abstract sockets since 6.
    public static var landlockVersion: Int { Int(kine_landlock_version()) }

    /// Forbids this process and its children to execute programs, if the kernel can.
    public static func forbidExecution() { _ = kine_forbid_execution() }

    private static func ruleset(_ rules: Rules) throws(Errno) -> Int32 {
        let ruleset = kine_landlock_create(rules.mayConnect ? 1 : 0)
        guard ruleset >= 0 else { throw Errno(rawValue: errno) }
        let allowed =
            rules.readable.map { ($0, KINE_READ) } + rules.writable.map { ($0, KINE_WRITE) }
            + rules.devices.map { ($0, KINE_DEVICE) }
        for (path, access) in allowed where kine_landlock_allow(ruleset, path.cString, Int32(access.rawValue)) != 0 {
            // The child cannot reach a path that does not exist or that this user may not reach.
            guard [ENOENT, EACCES, ENOTDIR, ELOOP].contains(errno) else {
                let failure = Errno(rawValue: errno)
                close(ruleset)
                throw failure
            }
        }
        return ruleset
    }
}
