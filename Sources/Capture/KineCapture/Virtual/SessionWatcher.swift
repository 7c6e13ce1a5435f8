// A process that outlives the engine, however that ends, and clears away what a private session leaves.
import Glibc
import KinePlatform
import SystemPackage

/// Ends the servers it was told of and removes their directories, once `end` is called or this process has died.
///
/// The servers also get a signal when this process dies, but a program with capabilities loses that at its start, one that hangs ignores
/// it, and nothing of theirs would remove their files. It is a shell, since an engine of Swift that only waits takes twenty times its memory.
final class SessionWatcher: Sendable {
    private let process: ChildProcess
    /// The watcher reads until its end, which comes with this process at the latest.
    private let channel: FileDescriptor

    init() throws(VirtualSession.Error) {
        let name = "sh"
        guard let shell = ExecutableSearch.find(name) else { throw .cannotStart(program: name, .noSuchFileOrDirectory) }
        let ends: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
        do { ends = try FileDescriptor.pipe() } catch {
            throw .cannotStart(program: name, error as? Errno ?? .ioError)
        }
        defer { try? ends.readEnd.close() }
        // A library that starts a program of its own must not keep the pipe open.
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

    /// The process leads a process group.
    func endAtLast(_ server: ChildProcess) { tell("server \(server.pid)") }

    /// With all that is in it.
    func removeAtLast(_ directory: String) { tell("directory \(directory)") }

    /// Clears away what is left. Blocks until it is gone, for some seconds at most.
    func end() {
        try? channel.close()
        // The script waits two seconds itself.
        _ = process.end(signal: 0, deadline: MonotonicClock.now() + 5_000_000_000)
    }

    private func tell(_ line: String) { _ = try? channel.writeAll("\(line)\n".utf8) }

    /// A number may be another process's by then, so a server is known by the time of its start too: the 22nd field of proc(5)'s stat.
    /// The third is Z of one that has ended and is still to be reaped.
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
