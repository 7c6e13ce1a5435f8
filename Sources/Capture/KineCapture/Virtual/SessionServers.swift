// Starts the servers of a private session, and waits for them.
import Glibc
import KinePlatform
import SystemPackage

/// The screen of a private session, or its audio.
protocol SessionServer: Sendable {
    /// `NAME=value` for its clients.
    var environment: [String] { get }
    func end(deadline: Int64)
}

/// Starts servers. The kernel ends a server when its starting thread ends; the session's watcher ends the others.
struct SessionServers {
    let watcher: SessionWatcher
    let cancellation: Cancellation

    /// Starts a server, with `descriptor` as 3 and /dev/null as its standard streams. `user`: its user if this is root.
    func start(
        _ program: String, _ arguments: [String], environment: [String] = ProcessEnvironment.current,
        descriptor: FileDescriptor? = nil, user: UInt32? = nil
    ) throws(VirtualSession.Error) -> ChildProcess {
        guard let executable = ExecutableSearch.find(program) else {
            throw .missing(program: program, package: VirtualSession.package(of: program))
        }
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil] + (descriptor.map { [$0] } ?? [])
        options.parentDeathSignal = SIGTERM
        options.newSession = true
        options.user = user
        do throws(Errno) {
            let process = try ChildProcess(
                executable: executable, arguments: arguments, environment: environment, options: options)
            watcher.endAtLast(process)
            return process
        } catch {
            throw .cannotStart(program: program, error)
        }
    }

    /// Makes a directory for `program` that only `user`, or else this user, may enter. Removed with the session.
    ///
    /// Not in the take's directory: another user may not enter that, and the client removes it if the engine dies.
    func makeDirectory(
        _ name: String, for program: String, user: UInt32? = nil
    ) throws(VirtualSession.Error) -> String {
        var template = Array("/tmp/kinecast-\(name)-\(getpid())-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .cannotStart(program: program, Errno(rawValue: errno)) }
        let directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        watcher.removeAtLast(directory)
        if let user, chown(directory, user, user) != 0 {
            throw .cannotStart(program: program, Errno(rawValue: errno))
        }
        return directory
    }

    /// Writes a file that `program` reads when it starts. `isForAll`: the program runs as another user.
    func write(
        _ text: String, to path: String, for program: String, isForAll: Bool = false
    ) throws(VirtualSession.Error) {
        do {
            let file = try FileDescriptor.open(
                path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: isForAll ? [.ownerReadWrite, .groupRead, .otherRead] : .ownerReadWrite)
            try file.closeAfter { _ = try file.writeAll(text.utf8) }
        } catch {
            throw .cannotStart(program: program, error as? Errno ?? .ioError)
        }
    }

    /// Waits until `isReady` is true, for servers that cannot report it. Ends `process` if it fails or times out.
    func wait(
        for process: ChildProcess, _ failure: VirtualSession.Error, until isReady: () -> Bool
    ) throws(VirtualSession.Error) {
        let deadline = MonotonicClock.now() + VirtualSession.timeout
        while !isReady() {
            guard process.poll() == nil, MonotonicClock.now() < deadline, !cancellation.isCancelled else {
                throw giveUp(process, failure)
            }
            _ = WakeSignal.poll([cancellation.descriptor], until: MonotonicClock.now() + 10_000_000)
        }
    }

    /// Ends a server that did not answer. Returns the error to throw.
    func giveUp(_ process: ChildProcess, _ failure: VirtualSession.Error) -> VirtualSession.Error {
        _ = process.end(deadline: MonotonicClock.now() + 1_000_000_000)
        return cancellation.isCancelled ? .cancelled : failure
    }
}
