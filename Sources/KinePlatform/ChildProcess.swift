// Starting and ending the processes a take needs: the engine, a private X server, a private sound server, a command.
import CLinux
import Glibc
import SystemPackage

/// A process this one started and must reap.
public struct ChildProcess: Sendable {
    public let pid: Int32

    /// How a process ended.
    public enum Ending: Equatable, Sendable {
        case exited(status: Int32)
        case killed(signal: Int32)
    }

    public struct Options: Sendable {
        /// What becomes the child's descriptors 0, 1, 2 …; nil is /dev/null. Nothing else is inherited.
        public var descriptors: [FileDescriptor?] = [.standardInput, .standardOutput, .standardError]
        /// The signal the child gets when the *thread* that started it ends: start such a child from a thread that
        /// lives as long as the process. Nil lets the child outlive its parent.
        public var parentDeathSignal: Int32?
        /// A session of its own, away from the terminal's signals.
        public var newSession = false
        public var newProcessGroup = false
        /// The child's working directory; nil keeps this process's.
        public var directory: String?
        /// What the child and its own children may not do; nil: nothing beyond this process.
        public var confinement: Confinement?

        public init() {}
    }

    /// Limits that a child cannot shed, nor pass on less of.
    public struct Confinement: Sendable {
        /// Never more rights than it has: `no_new_privs`.
        public var noNewPrivileges = true
        /// No file with its memory when it crashes.
        public var noCoreFile = true
        /// `RLIMIT_DATA`, hard: bytes of private writable memory, reserved stacks of threads among them. Nil: as here.
        public var dataLimit: Int64?
        /// `RLIMIT_STACK`, hard: bytes, also of each new thread's stack. Nil: as here.
        public var stackLimit: Int64?
        /// 0…1000: how much sooner the kernel kills it for want of memory.
        public var outOfMemoryScore: Int32 = 0
        /// An open `cgroup.procs`: the child enters that cgroup before it runs anything.
        public var cgroupProcesses: FileDescriptor?

        public init() {}
    }

    /// Starts `executable` (a path; the search path is not consulted). Throws the errno of fork or of exec.
    public init(
        executable: String, arguments: [String], environment: [String], options: Options = Options()
    ) throws(Errno) {
        var argv = ([executable] + arguments).map { strdup($0) }
        argv.append(nil)
        var envp = environment.map { strdup($0) }
        envp.append(nil)
        defer {
            for string in argv + envp { free(string) }
        }
        let descriptors = options.descriptors.map { $0?.rawValue ?? -1 }
        let directory = options.directory.map { strdup($0) } ?? nil
        defer { free(directory) }
        let started = descriptors.withUnsafeBufferPointer { fds in
            var native = kine_spawn_options(
                fds: fds.baseAddress, fd_count: Int32(fds.count),
                parent_death_signal: options.parentDeathSignal ?? 0, new_session: options.newSession ? 1 : 0,
                new_process_group: options.newProcessGroup ? 1 : 0, directory: UnsafePointer(directory),
                no_new_privileges: options.confinement?.noNewPrivileges == true ? 1 : 0,
                no_core_file: options.confinement?.noCoreFile == true ? 1 : 0,
                data_limit: options.confinement?.dataLimit ?? 0, stack_limit: options.confinement?.stackLimit ?? 0,
                oom_score_adjustment: options.confinement?.outOfMemoryScore ?? 0,
                cgroup_processes: options.confinement?.cgroupProcesses?.rawValue ?? 0)
            let pid = kine_spawn(executable, argv, envp, &native)
            return pid < 0 ? -errno : pid
        }
        guard started > 0 else { throw Errno(rawValue: -started) }
        pid = started
    }

    public func signal(_ number: Int32) { kill(pid, number) }

    /// Reaps the child if it has ended; nil while it runs.
    public func poll() -> Ending? { reap(WNOHANG) }

    /// Waits for the child to end and reaps it.
    public func wait() -> Ending { reap(0) ?? .exited(status: 0) }

    /// Waits until CLOCK_MONOTONIC reaches `deadline` (nanoseconds), then kills. Always reaps.
    public func end(signal number: Int32 = SIGTERM, deadline: Int64) -> Ending {
        signal(number)
        while MonotonicClock.now() < deadline {
            if let ending = poll() { return ending }
            // There is no descriptor to wait on for a child's end before Linux 5.3's pidfd; 5 ms is short of what a person notices.
            var pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)
            nanosleep(&pause, nil)
        }
        signal(SIGKILL)
        return wait()
    }

    private func reap(_ flags: Int32) -> Ending? {
        var status: Int32 = 0
        var result: pid_t
        repeat { result = waitpid(pid, &status, flags) } while result < 0 && errno == EINTR
        if result == 0 { return nil }
        if result < 0 { return .exited(status: 0) }  // already reaped: nothing more is known
        return status & 0x7f == 0 ? .exited(status: (status >> 8) & 0xff) : .killed(signal: status & 0x7f)
    }
}
