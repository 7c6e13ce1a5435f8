// A private X server and a private sound server for one take: no display, no sound card and no set-up needed, and nothing of
// the user's session touched.
import CLinux
import Glibc
import KineMedia
import KinePlatform
import SystemPackage

/// Xvfb and PulseAudio in a directory of their own. Both end with this process, however it ends.
///
/// Start it from a thread that lives as long as the process: the servers get a signal when that thread ends.
public final class VirtualScreen: Sendable {
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

    /// `NAME=value` for programs that are to appear on this screen and to be heard.
    public let environment: [String]
    private let screen: ChildProcess
    private let sound: ChildProcess?
    private let directory: String

    /// Starts the servers with their files under `directory`, which exists and is this user's alone. Blocks until they answer,
    /// or until `cancellation` is cancelled.
    public init(
        size: PixelSize, directory: String, withSound: Bool, cancellation: Cancellation = Cancellation()
    ) throws(Error) {
        self.directory = directory
        let authority = directory + "/Xauthority"
        do { try Self.writeCookie(to: authority) } catch {
            throw .cannotStart(program: "Xvfb", reason: "its cookie file cannot be written (\(error))")
        }
        let (process, display) = try Self.startScreen(size: size, authority: authority, cancellation)
        screen = process
        var variables = ["DISPLAY=:\(display)", "XAUTHORITY=\(authority)"]
        if withSound {
            do throws(Error) {
                let server = try Self.startSound(directory: directory, cancellation)
                sound = server
                variables += ["PULSE_SERVER=unix:\(directory)/pulse.sock", "PULSE_SINK=kinecast"]
            } catch {
                _ = process.end(deadline: MonotonicClock.now() + 2_000_000_000)
                throw error
            }
        } else {
            sound = nil
        }
        environment = variables
    }

    /// Ends both servers, and whatever still uses them.
    public func end() {
        let deadline = MonotonicClock.now() + 2_000_000_000
        if let sound { _ = sound.end(deadline: deadline) }
        _ = screen.end(deadline: deadline)
        for name in ["Xauthority", "pulse.sock"] { unlink(directory + "/" + name) }
    }

    /// An entry for every display (FamilyWild), since the number is known only once the server runs. The format is
    /// libXau's: big-endian family, then address, number, name and data, each behind a 16-bit length.
    private static func writeCookie(to path: String) throws {
        var cookie = [UInt8](repeating: 0, count: 16)
        var generator = SystemRandomNumberGenerator()
        for index in cookie.indices { cookie[index] = UInt8.random(in: 0...255, using: &generator) }
        var entry: [UInt8] = [0xff, 0xff, 0, 0, 0, 0]
        let name = Array("MIT-MAGIC-COOKIE-1".utf8)
        entry += [0, UInt8(name.count)] + name
        entry += [0, UInt8(cookie.count)] + cookie
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: [.ownerRead, .ownerWrite])
        try file.closeAfter { _ = try file.writeAll(entry) }
    }

    private static func startScreen(
        size: PixelSize, authority: String, _ cancellation: Cancellation
    ) throws(Error) -> (ChildProcess, Int) {
        guard let program = ExecutableSearch.find("Xvfb") else { throw .missing(program: "Xvfb", package: "xvfb") }
        let pipe: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
        do { pipe = try FileDescriptor.pipe() } catch {
            throw .cannotStart(program: "Xvfb", reason: "no file descriptor is left")
        }
        defer { try? pipe.readEnd.close() }
        var options = ChildProcess.Options()
        // Descriptor 3 takes the number of the display that the server found free.
        options.descriptors = [nil, nil, nil, pipe.writeEnd]
        options.parentDeathSignal = SIGTERM
        options.newSession = true
        let process: ChildProcess
        do throws(Errno) {
            process = try ChildProcess(
                executable: program,
                arguments: [
                    "-displayfd", "3", "-screen", "0", "\(size.width)x\(size.height)x24", "-auth", authority,
                    "-nolisten", "tcp", "-noreset", "-s", "0", "-dpms",
                ], environment: ProcessEnvironment.current, options: options)
        } catch {
            try? pipe.writeEnd.close()
            throw .cannotStart(program: "Xvfb", reason: error.description)
        }
        try? pipe.writeEnd.close()
        let deadline = MonotonicClock.now() + 20_000_000_000
        guard let display = readNumber(from: pipe.readEnd, deadline: deadline, cancellation) else {
            _ = process.end(deadline: MonotonicClock.now() + 1_000_000_000)
            if cancellation.isCancelled { throw .cancelled }
            throw .cannotStart(
                program: "Xvfb", reason: "it named no display; try a smaller size than \(size.width)x\(size.height)")
        }
        return (process, display)
    }

    private static func startSound(
        directory: String, _ cancellation: Cancellation
    ) throws(Error) -> ChildProcess {
        guard let program = ExecutableSearch.find("pulseaudio") else {
            throw .missing(program: "pulseaudio", package: "pulseaudio")
        }
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil]
        options.parentDeathSignal = SIGTERM
        options.newSession = true
        let own = [
            "PULSE_RUNTIME_PATH": directory, "PULSE_STATE_PATH": directory, "HOME": directory,
            "XDG_CONFIG_HOME": directory,
        ]
        let socket = directory + "/pulse.sock"
        let process: ChildProcess
        do throws(Errno) {
            process = try ChildProcess(
                executable: program,
                arguments: [
                    "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disallow-exit",
                    "--realtime=no", "--high-priority=no",
                    "--load=module-native-protocol-unix auth-anonymous=1 auth-cookie-enabled=0 socket=\(socket)",
                    "--load=module-null-sink sink_name=kinecast sink_properties=device.description=Kinecast",
                ],
                environment: ProcessEnvironment.current(
                    changing: own, removing: ["DISPLAY", "PULSE_SERVER", "DBUS_SESSION_BUS_ADDRESS"]),
                options: options)
        } catch {
            throw .cannotStart(program: "pulseaudio", reason: error.description)
        }
        let deadline = MonotonicClock.now() + 20_000_000_000
        while !accepts(socket) {
            guard process.poll() == nil, MonotonicClock.now() < deadline, !cancellation.isCancelled else {
                _ = process.end(deadline: MonotonicClock.now() + 1_000_000_000)
                if cancellation.isCancelled { throw .cancelled }
                throw .cannotStart(program: "pulseaudio", reason: "it does not answer; run it by hand to see why")
            }
            // PulseAudio has no way to say that it is ready, other than answering.
            _ = WakeSignal.poll([cancellation.descriptor], until: MonotonicClock.now() + 10_000_000)
        }
        return process
    }

    private static func readNumber(
        from descriptor: FileDescriptor, deadline: Int64, _ cancellation: Cancellation
    ) -> Int? {
        var digits: [UInt8] = []
        while WakeSignal.poll([descriptor.rawValue, cancellation.descriptor], until: deadline)[0],
            !cancellation.isCancelled
        {
            var byte: UInt8 = 0
            guard Glibc.read(descriptor.rawValue, &byte, 1) == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return Int(String(decoding: digits, as: UTF8.self)) }
            digits.append(byte)
        }
        return nil
    }

    private static func accepts(_ path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
