// A private X server or compositor and a private audio server for one take. They need no display, no sound card and no set-up, and change
// nothing in the user's session.
import Glibc
import KineMedia
import KinePlatform
import SystemPackage

/// Xvfb or sway, and PulseAudio, with their files in one directory. Both end with this process, however it ends.
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
        /// The compositor ended or stayed silent.
        case noCompositor(PixelSize)
        /// The audio server ended or stayed silent.
        case noAudio
        /// The take was told to end before the servers answered.
        case cancelled
    }

    /// The display that a session's programs appear on.
    public enum Display: Sendable, Equatable {
        case x11, wayland
    }

    /// The programs that `init` needs, and the Debian packages that have them.
    public static func programs(for display: Display) -> [(name: String, package: String)] {
        let screen =
            switch display {
            case .x11: (name: PrivateXServer.program, package: "xvfb")
            case .wayland: (name: PrivateCompositor.program, package: "sway")
            }
        return [screen, (name: PrivateAudioServer.program, package: "pulseaudio")]
    }

    private enum Screen {
        case x11(PrivateXServer)
        case wayland(PrivateCompositor)

        var environment: [String] {
            switch self {
            case .x11(let server): server.environment
            case .wayland(let compositor): compositor.environment
            }
        }

        func end(deadline: Int64) {
            switch self {
            case .x11(let server): server.end(deadline: deadline)
            case .wayland(let compositor): compositor.end(deadline: deadline)
            }
        }
    }

    /// `NAME=value` for programs that are to appear on this screen and to be heard.
    public let environment: [String]
    private let screen: Screen
    private let audio: PrivateAudioServer?

    /// Starts the servers with their files under `directory`, which exists and is this user's alone. Blocks until they answer,
    /// or until `cancellation` is cancelled.
    public init(
        _ display: Display = .x11, size: PixelSize, directory: String, withAudio: Bool,
        cancellation: Cancellation = Cancellation()
    ) throws(Error) {
        let screen: Screen =
            switch display {
            case .x11: .x11(try PrivateXServer(size: size, directory: directory, cancellation: cancellation))
            case .wayland:
                .wayland(try PrivateCompositor(size: size, directory: directory, cancellation: cancellation))
            }
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
    /// its standard streams. `user` is the one that root starts it as.
    static func start(
        _ program: String, _ arguments: [String], environment: [String] = ProcessEnvironment.current,
        descriptor: FileDescriptor? = nil, user: UInt32? = nil
    ) throws(Error) -> ChildProcess {
        guard let executable = ExecutableSearch.find(program) else {
            let known = programs(for: .x11) + programs(for: .wayland)
            throw .missing(program: program, package: known.first { $0.name == program }?.package ?? program)
        }
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil] + (descriptor.map { [$0] } ?? [])
        options.parentDeathSignal = SIGTERM
        options.newSession = true
        options.user = user
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
