// A private X server and a private audio server for one take. They need no display, no sound card and no set-up, and change
// nothing in the user's session.
import Glibc
import KineMedia
import KinePlatform
import SystemPackage

/// Xvfb and PulseAudio with their files in one directory. Both end with this process, however it ends.
///
/// Start it from a thread that lives as long as the process: the servers get a signal when that thread ends.
public final class VirtualSession: Sendable {
    public enum Error: Swift.Error, Equatable {
        case missing(program: String, package: String)
        /// The system refused the process, or a descriptor for it.
        case cannotStart(program: String, Errno)
        case cookieNotWritten(Errno)
        /// The X server ended or stayed silent.
        case noDisplayNumber(PixelSize)
        /// The audio server ended or stayed silent.
        case noAudio
        /// The take was told to end before the servers answered.
        case cancelled
    }

    /// The programs that `init` needs, and the Debian packages that have them.
    public static let programs = [
        (name: PrivateXServer.program, package: "xvfb"), (name: PrivateAudioServer.program, package: "pulseaudio"),
    ]

    /// `NAME=value` for programs that are to appear on this screen and to be heard.
    public let environment: [String]
    private let screen: PrivateXServer
    private let audio: PrivateAudioServer?

    /// Starts the servers with their files under `directory`, which exists and is this user's alone. Blocks until they answer,
    /// or until `cancellation` is cancelled.
    public init(
        size: PixelSize, directory: String, withAudio: Bool, cancellation: Cancellation = Cancellation()
    ) throws(Error) {
        let screen = try PrivateXServer(size: size, directory: directory, cancellation: cancellation)
        do throws(Error) {
            audio = withAudio ? try PrivateAudioServer(directory: directory, cancellation: cancellation) : nil
        } catch {
            screen.end(deadline: MonotonicClock.now() + 2_000_000_000)
            throw error
        }
        self.screen = screen
        environment = screen.environment + (audio?.environment ?? [])
    }

    /// Ends both servers, and whatever still uses them.
    public func end() {
        let deadline = MonotonicClock.now() + 2_000_000_000
        audio?.end(deadline: deadline)
        screen.end(deadline: deadline)
    }

    // MARK: For both servers

    /// The time that a server may take to answer, in nanoseconds.
    static let patience: Int64 = 20_000_000_000

    /// Starts a server that ends with the calling thread. It gets `descriptor` as 3, and /dev/null as
    /// its standard streams.
    static func start(
        _ program: String, _ arguments: [String], environment: [String] = ProcessEnvironment.current,
        descriptor: FileDescriptor? = nil
    ) throws(Error) -> ChildProcess {
        guard let executable = ExecutableSearch.find(program) else {
            throw .missing(program: program, package: programs.first { $0.name == program }?.package ?? program)
        }
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil] + (descriptor.map { [$0] } ?? [])
        options.parentDeathSignal = SIGTERM
        options.newSession = true
        do throws(Errno) {
            return try ChildProcess(
                executable: executable, arguments: arguments, environment: environment, options: options)
        } catch {
            throw .cannotStart(program: program, error)
        }
    }

    /// Ends a server that did not answer. Returns the error to throw.
    static func giveUp(_ process: ChildProcess, _ cancellation: Cancellation, _ failure: Error) -> Error {
        _ = process.end(deadline: MonotonicClock.now() + 1_000_000_000)
        return cancellation.isCancelled ? .cancelled : failure
    }
}
