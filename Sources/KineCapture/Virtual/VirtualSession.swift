// A private X server and a private audio server for one take. They need no display, no sound card and no set-up, and change nothing
// in the user's session.
import KineMedia
import KinePlatform

/// Xvfb and PulseAudio with their files in one directory. Both end with this process, however it ends.
///
/// Start it from a thread that lives as long as the process: the servers get a signal when that thread ends.
public final class VirtualSession: Sendable {
    public enum Error: Swift.Error, CustomStringConvertible {
        case missing(program: String, package: String)
        case cannotStart(program: String, reason: String)
        /// The take was told to end before the servers answered.
        case cancelled

        public var description: String {
            switch self {
            case .missing(let program, let package):
                "A virtual screen needs \(program), which is not installed; install the package \(package)."
            case .cannotStart(let program, let reason):
                "\(program) did not start: \(reason)."
            case .cancelled: "The take was ended before its private screen was there."
            }
        }
    }

    /// What `init` needs: the programs, and the Debian packages that have them.
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

    /// The program's path.
    static func find(_ program: String) throws(Error) -> String {
        if let path = ExecutableSearch.find(program) { return path }
        throw .missing(program: program, package: programs.first { $0.name == program }?.package ?? program)
    }

    /// How long a server may take to answer, in nanoseconds.
    static let patience: Int64 = 20_000_000_000

    /// Ends a server that did not answer. Returns the error to throw.
    static func giveUp(_ process: ChildProcess, _ cancellation: Cancellation, _ failure: Error) -> Error {
        _ = process.end(deadline: MonotonicClock.now() + 1_000_000_000)
        return cancellation.isCancelled ? .cancelled : failure
    }
}
