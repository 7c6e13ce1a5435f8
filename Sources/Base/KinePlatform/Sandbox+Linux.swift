// The sandbox of a process: prepared before the fork and entered by the child before it runs its program, or entered by a process itself.
// Linux.
import CSandbox
import Glibc
import SystemPackage

/// A sandbox for one process and all that it starts. Each layer holds by itself. Those that the kernel does not have are left
/// out; `layers` are the others.
public final class Sandbox: @unchecked Sendable {
    // Sendable: nothing in it changes; the child writes into its own copy of the filter only.

    /// docs/confinement.md explains them.
    public enum Layer: String, Codable, Sendable, CaseIterable {
        /// Paths, TCP ports, signals and abstract sockets.
        case landlock
        /// System calls.
        case seccomp
        /// The rights that root has beyond a user's.
        case capabilities
        /// Processes and a /proc of its own: it has no number for any other process.
        case namespaces
    }

    /// The paths and sockets that may be reached. A path that is not there is left out.
    public struct Rules: Sendable {
        /// Files, and directories with all below them: to read and to execute.
        public var readable: [String] = []
        /// Directories, with all below them: to read, to write and to remove in, not to execute from.
        public var writable: [String] = []
        /// Files that are there, to read and to write.
        public var devices: [String] = []
        /// Sockets of its own, to connect with.
        public var mayConnect = false
        /// Whether it may call `listen` for the sockets that it is given, which listen already.
        public var mayListen = false
        /// Whether it may bind sockets for UDP to addresses of its choice. Needs `mayConnect`.
        public var mayBindUDP = false
        /// Whether it may watch directories by inotify: any, for Landlock has no rule for that.
        public var mayWatch = false
        /// Whether it may set the modes of files that it has open. Otherwise the call does nothing.
        public var maySetModes = false
        /// Memory files and shared memory without a file: once given back, such memory is counted for no process.
        public var mayHideMemory = false

        public init() {}
    }

    public let layers: Set<Layer>
    /// -1: none.
    let ruleset: Int32
    let filter: UnsafeMutablePointer<kine_filter>?
    let namespaces: kine_namespaces

    /// Throws the kernel's error if it has a layer and refuses to make it.
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

    /// The layers that this kernel, and the container that this process may be in, give.
    public static var available: Set<Layer> { Set(Layer.allCases.filter(isAvailable)) }

    private static func isAvailable(_ layer: Layer) -> Bool {
        switch layer {
        case .landlock: landlockVersion > 0
        case .seccomp: kine_filter_is_available() != 0
        case .capabilities: true
        case .namespaces: ownNamespaces != KINE_NO_NAMESPACES
        }
    }

    /// Confines the calling thread and all that it starts from now on, for good: a process, where it has no other thread. Only Landlock and
    /// the filter of system calls are entered.
    public func enter() throws(Errno) {
        // The filter gets this process's number, and others may use this one.
        let result =
            if var own = filter?.pointee { kine_confine_self(ruleset, &own) } else { kine_confine_self(ruleset, nil) }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    /// Tried once only, since it takes a process.
    private static let ownNamespaces = kine_namespaces_available()

    /// The kernel's version of Landlock; 0: none. TCP from 4 on, signals and abstract sockets from 6 on.
    public static var landlockVersion: Int { Int(kine_landlock_version()) }

    /// From now on neither this process nor its children can execute a program, if the kernel can forbid it.
    public static func forbidExecution() { _ = kine_forbid_execution() }

    private static func ruleset(_ rules: Rules) throws(Errno) -> Int32 {
        let ruleset = kine_landlock_create(rules.mayConnect ? 1 : 0)
        guard ruleset >= 0 else { throw Errno(rawValue: errno) }
        let allowed =
            rules.readable.map { ($0, KINE_READ) } + rules.writable.map { ($0, KINE_WRITE) }
            + rules.devices.map { ($0, KINE_DEVICE) }
        for (path, access) in allowed where kine_landlock_allow(ruleset, path.cString, Int32(access.rawValue)) != 0 {
            // A path that is not there, or not for this user, is not for the child either.
            guard [ENOENT, EACCES, ENOTDIR, ELOOP].contains(errno) else {
                let failure = Errno(rawValue: errno)
                close(ruleset)
                throw failure
            }
        }
        return ruleset
    }
}
