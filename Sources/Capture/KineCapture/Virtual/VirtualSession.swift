// A private X server, or a private Wayland session, with private audio for one take. Needs no display, sound card or
// set-up, and changes nothing in the user's session.
import KineMedia
import KinePlatform
import SystemPackage

/// Xvfb, or sway with a D-Bus session; and an audio server: PulseAudio, or PipeWire with WirePlumber. Where both are
/// installed, Xvfb gets PulseAudio and sway PipeWire. All end with this process, however it ends, and leave no files.
///
/// Start it from a thread that lives as long as the process: the servers get a signal when that thread ends.
public final class VirtualSession: Sendable {
    public enum Error: Swift.Error, Equatable {
        case missing(program: String, package: String)
        /// The system refused the process, or a descriptor or a file for it.
        case cannotStart(program: String, Errno)
        case cookieNotWritten(Errno)
        /// The X server ended or did not answer.
        case noDisplayNumber(PixelSize)
        /// The compositor ended or did not answer.
        case noCompositor(PixelSize)
        /// Another server ended or did not answer.
        case noAnswer(program: String)
        /// The take was cancelled before the servers answered.
        case cancelled
    }

    /// The kind of display for the session's programs.
    public enum Display: Sendable, Equatable {
        case x11, wayland
    }

    /// The programs that `init` needs, with audio, and their Debian packages.
    public static func programs(for display: Display) -> [(name: String, package: String)] {
        let bus = (name: PrivateBus.program, package: "dbus-daemon")
        let pulseAudio = (name: PrivateAudioServer.program, package: "pulseaudio")
        let pipeWire = [
            (name: PipeWireAudioServer.program, package: "pipewire"),
            (name: PipeWireAudioServer.manager, package: "wireplumber"),
        ]
        switch (display, usesPulseAudio(for: display)) {
        case (.x11, true): return [(PrivateXServer.program, "xvfb"), pulseAudio]
        case (.x11, false): return [(PrivateXServer.program, "xvfb"), bus] + pipeWire
        case (.wayland, true): return [(PrivateCompositor.program, "sway"), bus, pulseAudio]
        case (.wayland, false): return [(PrivateCompositor.program, "sway"), bus] + pipeWire
        }
    }

    /// Debian's GNOME brings PipeWire's packages, which conflict with PulseAudio's.
    private static func usesPulseAudio(for display: Display) -> Bool {
        let (hasPipeWire, hasPulseAudio) = (
            PipeWireAudioServer.isInstalled, ExecutableSearch.find(PrivateAudioServer.program) != nil
        )
        return switch display {
        case .x11: hasPulseAudio || !hasPipeWire
        case .wayland: hasPulseAudio && !hasPipeWire
        }
    }

    static func package(of program: String) -> String {
        (programs(for: .x11) + programs(for: .wayland)).first { $0.name == program }?.package ?? program
    }

    /// `NAME=value` for programs that should appear on this screen and be audible.
    public var environment: [String] {
        guard display == .wayland, let bus else { return sourceEnvironment }
        return sourceEnvironment + ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"]
    }
    /// `NAME=value` for the process that records the session.
    public let sourceEnvironment: [String]

    private let watcher: SessionWatcher
    /// Wayland's programs and PipeWire use it. An X session's programs keep the person's.
    private let bus: PrivateBus?
    private let display: Display
    private let screen: any SessionServer
    private let audio: (any SessionServer)?

    /// Starts the servers. Blocks until they answer, or until `cancellation` is cancelled. `directory` exists and only
    /// this user may enter it; an X session keeps its files there.
    public init(
        _ display: Display = .x11, size: PixelSize, directory: String, withAudio: Bool,
        cancellation: Cancellation = Cancellation()
    ) throws(Error) {
        let watcher = try SessionWatcher()
        let servers = SessionServers(watcher: watcher, cancellation: cancellation)
        do throws(Error) {
            switch display {
            case .x11:
                bus =
                    withAudio && !Self.usesPulseAudio(for: .x11) ? try PrivateBus(directory: directory, servers) : nil
                screen = try PrivateXServer(size: size, directory: directory, servers)
                audio = withAudio ? try Self.audio(directory: directory, bus: bus, for: .x11, servers) : nil
            case .wayland:
                let directory = try servers.makeDirectory("session", for: PrivateBus.program)
                bus = try PrivateBus(directory: directory, servers)
                screen = try PrivateCompositor(size: size, servers)
                audio = withAudio ? try Self.audio(directory: directory, bus: bus, for: .wayland, servers) : nil
            }
        } catch {
            // The watcher ends the servers that have started.
            watcher.end()
            throw error
        }
        self.watcher = watcher
        self.display = display
        sourceEnvironment = screen.environment + (audio?.environment ?? [])
    }

    private static func audio(
        directory: String, bus: PrivateBus?, for display: Display, _ servers: SessionServers
    ) throws(Error) -> any SessionServer {
        guard let bus, !usesPulseAudio(for: display) else {
            return try PrivateAudioServer(directory: directory, servers)
        }
        return try PipeWireAudioServer(directory: directory, bus: bus.address, servers)
    }

    /// Ends the servers, and all processes that use them.
    public func end() {
        let deadline = MonotonicClock.now() + 2_000_000_000
        audio?.end(deadline: deadline)
        screen.end(deadline: deadline)
        bus?.end(deadline: deadline)
        watcher.end()
    }

    /// The time for a server to answer, in nanoseconds.
    static let timeout: Int64 = 20_000_000_000
}

extension VirtualSession.Error {
    /// One sentence for a person: the fault, its object, and the remedy.
    public var sentence: String {
        switch self {
        case .missing(let program, let package):
            "A virtual screen needs \(program), which is not installed; install the package \(package)."
        case .cannotStart(let program, let errno): "\(program) did not start: \(errno)."
        case .cookieNotWritten(let errno): "Xvfb did not start: its cookie file cannot be written (\(errno))."
        case .noDisplayNumber(let size):
            "Xvfb did not start: it named no display; try a smaller size than \(size.width)x\(size.height)."
        case .noCompositor(let size):
            "sway did not start: it has no output; try a smaller size than \(size.width)x\(size.height), or run it by hand to see why."
        case .noAnswer(let program): "\(program) did not start: it does not answer; run it by hand to see why."
        case .cancelled: "The take was ended before its private screen was there."
        }
    }
}
