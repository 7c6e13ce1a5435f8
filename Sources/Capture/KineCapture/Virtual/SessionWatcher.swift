// A process that outlives the engine, however that ends, and cleans up after a private session.
import Glibc
import KinePlatform
import SystemPackage

/// Ends the registered servers and removes the directories, after `end` or the death of this process.
///
/// Servers also get a signal when this process dies, but a program with capabilities loses that signal at its start, a
/// hanging one ignores it, and their files would remain. A shell, which needs a twentieth of a Swift engine's memory.
final class SessionWatcher: Sendable {
    private let process: ChildProcess
    /// The watcher reads until this closes, at the latest when this process ends.
    private let channel: FileDescriptor

    init() throws(VirtualSession.Error) {
        let name = "sh"
        guard let shell = ExecutableSearch.find(name) else { throw .cannotStart(program: name, .noSuchFileOrDirectory) }
        let ends: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
        do { ends = try FileDescriptor.pipe() } catch {
            throw .cannotStart(program: name, error as? Errno ?? .ioError)
        }
        defer { try? ends.readEnd.close() }
        // A library that starts another program must not keep the pipe open.
        _ = fcntl(ends.writeEnd.rawValue, F_SETFD, FD_CLOEXEC)
        var options = ChildProcess.Options()
        options.descriptors = [ends.readEnd, nil, nil]
        options.newSession = true
        options.directory = "/"
        do throws(Errno) {
            process = try ChildProcess(
                executable: shell, arguments: ["-c", Self.script, "kinecast-session"],
                environment: ProcessEnvironment.current, options: options)
        } catch {
            try? ends.writeEnd.close()
            throw .cannotStart(program: name, error)
        }
        channel = ends.writeEnd
    }

    /// The process must lead a process group.
    func endAtLast(_ server: ChildProcess) { tell("server \(server.pid)") }

    /// Registers the directory, to be removed with its contents.
    func removeAtLast(_ directory: String) { tell("directory \(directory)") }

    /// Cleans up. Blocks until that is done, for some seconds at most.
    func end() {
        try? channel.close()
        // The script waits two seconds itself.
        _ = process.end(signal: 0, deadline: MonotonicClock.now() + 5_000_000_000)
    }

    private func tell(_ line: String) { _ = try? channel.writeAll("\(line)\n".utf8) }

    /// A process number may be reused, so a server is also identified by its start time: the 22nd field of proc(5)'s
    /// stat. The third field is Z if it has ended but was not reaped.
    private static let script = """
        trap '' HUP INT QUIT TERM
        servers=
        start_of() { { read -r line <"/proc/$1/stat"; } 2>/dev/null && set -- $line && [ "$3" != Z ] && echo "${22}"; }
        signal() {
            found=1
            for server in $servers; do
                pid=${server%:*}
                [ "$(start_of "$pid")" = "${server#*:}" ] && kill -s "$1" -- "-$pid" 2>/dev/null && found=0
            done
            return $found
        }
        while read -r what value; do
            case $what in
                server) start=$(start_of "$value") && servers="$servers $value:$start" ;;
                directory) set -- "$@" "$value" ;;
            esac
        done
        rounds=0
        signal TERM
        while [ $rounds -lt 20 ] && signal 0; do
            sleep 0.1
            rounds=$((rounds + 1))
        done
        signal KILL
        rm -rf -- "$@"
        """
}
