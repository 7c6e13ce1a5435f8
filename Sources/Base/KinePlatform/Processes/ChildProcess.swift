// Starts and ends the processes that a take needs: the engine, a private X server, a private audio server, a command.
import CLinux
import CSandbox
import Glibc
import KineText
import Synchronization
import SystemPackage

/// A process that this one started and must reap. It is never signalled later: another process may have its number.
public final class ChildProcess: Sendable {
    public var pid: Int32 { handle.pid }
    /// For poll: readable when the process has ended. As `ProcessHandle.descriptor`.
    public var exitDescriptor: Int32 { handle.descriptor }
    private let handle: ProcessHandle
    private let ending = Mutex<Ending?>(nil)

    public enum Ending: Equatable, Sendable {
        case exited(status: Int32)
        case killed(signal: Int32)

        /// Another part of this process has reaped it, so its status is unknown. Counts as a failure.
        public static let unknown = Ending.exited(status: -1)
    }

    public struct Options: Sendable {
        /// The child's descriptors 0, 1, 2 …; nil is /dev/null. It inherits no others.
        public var descriptors: [FileDescriptor?] = [.standardInput, .standardOutput, .standardError]
        /// The signal the child gets when the *thread* that started it ends: start such a child from a thread that
        /// lives as long as the process. Nil lets the child outlive its parent.
        public var parentDeathSignal: Int32?
        /// A session of its own, so that signals of the terminal do not reach the child.
        public var newSession = false
        public var newProcessGroup = false
        /// The child's ignored signals; the others have their default action, and none is blocked. SIGHUP stays ignored
        /// if this process ignores it, as under nohup.
        public var ignoredSignals = SignalDescriptor.ignored(among: [SIGHUP])
        /// The child's working directory; nil: this process's.
        public var directory: String?
        /// The user ID, and equal group ID, of a child that root starts; nil: this process's.
        public var user: UInt32?
        /// Limits for the child and its own children; nil: those of this process.
        public var confinement: Confinement?

        public init() {}
    }

    /// Limits that a child cannot lift, neither for itself nor for its own children. When it crashes, no core file is written.
    public struct Confinement: Sendable {
        /// `no_new_privs`: the child never gains rights.
        public var noNewPrivileges = true
        /// `RLIMIT_DATA`, hard: bytes of private writable memory, including reserved thread stacks; nil: inherited.
        public var dataLimit: Int64?
        /// `RLIMIT_STACK`, hard: bytes, also of each new thread's stack; nil: inherited.
        public var stackLimit: Int64?
        /// `oom_score_adj`, 0…1000: the higher it is, the sooner the kernel kills the child when memory runs out.
        public var outOfMemoryScore: Int32 = 0
        /// An open `cgroup.procs`: the child enters that cgroup before it runs anything.
        public var cgroupProcesses: FileDescriptor?
        /// `RLIMIT_FSIZE`, hard: the most bytes of a file that the child writes; nil: inherited.
        public var fileLimit: Int64?
        /// Needs `noNewPrivileges`. Without a sandbox the child may reach the same things as this process.
        public var sandbox: Sandbox?

        public init() {}
    }

    /// Starts `executable`, a path; PATH is not searched. All texts are in the form of `String(escaping:)`. Throws the
    /// errno of fork or exec.
    public init(
        executable: String, arguments: [String], environment: [String], options: Options = Options()
    ) throws(Errno) {
        var argv = ([executable] + arguments).map { strdup($0.cString) }
        argv.append(nil)
        var envp = environment.map { strdup($0.cString) }
        envp.append(nil)
        defer {
            for string in argv + envp { free(string) }
        }
        let descriptors = options.descriptors.map { $0?.rawValue ?? -1 }
        let directory = options.directory.map { strdup($0.cString) } ?? nil
        defer { free(directory) }
        let started = descriptors.withUnsafeBufferPointer { fds in
            let confinement = options.confinement
            let sandbox = confinement?.sandbox
            var native = kine_spawn_options(
                fds: fds.baseAddress, fd_count: Int32(fds.count),
                parent_death_signal: options.parentDeathSignal ?? 0, new_session: options.newSession ? 1 : 0,
                new_process_group: options.newProcessGroup ? 1 : 0,
                ignored_signals: options.ignoredSignals.reduce(0) { $0 | 1 << UInt64($1 - 1) },
                directory: UnsafePointer(directory),
                user: options.user ?? 0,
                no_new_privileges: confinement?.noNewPrivileges == true ? 1 : 0,
                no_core_file: confinement == nil ? 0 : 1,
                data_limit: confinement?.dataLimit ?? 0, stack_limit: confinement?.stackLimit ?? 0,
                file_limit: confinement?.fileLimit ?? 0, oom_score_adjustment: confinement?.outOfMemoryScore ?? 0,
                cgroup_processes: confinement?.cgroupProcesses?.rawValue ?? 0,
                no_capabilities: sandbox?.layers.contains(.capabilities) == true ? 1 : 0,
                landlock_ruleset: sandbox?.ruleset ?? -1, filter: sandbox?.filter,
                namespaces: sandbox?.namespaces ?? KINE_NO_NAMESPACES)
            let pid = kine_spawn(executable, argv, envp, &native)
            return pid < 0 ? -errno : pid
        }
        guard started > 0 else { throw Errno(rawValue: -started) }
        // Not reaped yet, so the number is still its own.
        handle = ProcessHandle(pid: started, descriptor: kine_open_process(started))
    }

    public func signal(_ number: Int32) { ending.withLock { if $0 == nil { handle.signal(number) } } }

    /// Signals the process group that the child leads (`newProcessGroup`, `newSession`).
    public func signalGroup(_ number: Int32) { ending.withLock { if $0 == nil { kill(-pid, number) } } }

    /// Kills the child, and the processes that are still in its group. Does nothing once the child is reaped.
    package func killGroup() {
        signalGroup(SIGKILL)
        signal(SIGKILL)
    }

    /// Reaps the child if it has ended; nil while it runs.
    public func poll() -> Ending? {
        ending.withLock { ending in
            if ending == nil { ending = handle.reap() }
            return ending
        }
    }

    /// Waits for the child to end and reaps it.
    public func wait() -> Ending {
        while true {
            if let ending = poll() { return ending }
            handle.waitForEnd()
        }
    }

    /// Waits for the child to end and reaps it; nil if it still runs when CLOCK_MONOTONIC reaches `deadline`
    /// (nanoseconds).
    package func wait(until deadline: Int64) -> Ending? {
        while MonotonicClock.now() < deadline {
            if let ending = poll() { return ending }
            handle.waitForEnd(until: deadline)
        }
        return poll()
    }

    /// Waits until the child has ended or CLOCK_MONOTONIC reaches `deadline` (nanoseconds), then kills it and the processes
    /// that are still in its group. Always reaps.
    package func endGroup(deadline: Int64) -> Ending {
        while MonotonicClock.now() < deadline, !handle.waitForEnd(until: deadline) {}
        // Until the child is reaped, no other group can have its number.
        killGroup()
        return wait()
    }

    /// Signals the child, waits until CLOCK_MONOTONIC reaches `deadline` (nanoseconds), then kills it. Always reaps.
    public func end(signal number: Int32 = SIGTERM, deadline: Int64) -> Ending {
        signal(number)
        if let ending = wait(until: deadline) { return ending }
        signal(SIGKILL)
        return wait()
    }
}
