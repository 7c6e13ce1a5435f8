// An X server of the test's own, without a cookie, so that clients in this process need nothing but its name.
import Glibc
import KineMedia
import KinePlatform
import SystemPackage

/// A running Xvfb. It ends when the last reference goes, and with the thread that made it.
public final class PrivateScreen {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public let process: ChildProcess
    /// `:N`.
    public let name: String
    private var isRunning = true

    /// Starts a server and waits until it takes connections. `options` are further arguments of Xvfb.
    public init(size: PixelSize, depth: Int = 24, options more: [String] = []) throws {
        guard let executable = ExecutableSearch.find("Xvfb") else {
            throw Failure(description: "Xvfb is not installed: apt-get install xvfb.")
        }
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil, pipe.writeEnd]
        options.parentDeathSignal = SIGTERM
        options.newSession = true
        do {
            defer { try? pipe.writeEnd.close() }
            process = try ChildProcess(
                executable: executable,
                arguments: [
                    "-displayfd", "3", "-ac", "-screen", "0", "\(size.width)x\(size.height)x\(depth)", "-nolisten",
                    "tcp", "-noreset",
                ] + more, environment: ProcessEnvironment.current, options: options)
        }
        var digits: [UInt8] = []
        let deadline = MonotonicClock.now() + 300_000_000_000
        while digits.last != UInt8(ascii: "\n") {
            var byte: UInt8 = 0
            guard WakeSignal.poll([pipe.readEnd.rawValue], until: deadline)[0],
                Glibc.read(pipe.readEnd.rawValue, &byte, 1) == 1
            else {
                _ = process.end(signal: SIGKILL, deadline: 0)
                throw Failure(description: "Xvfb did not name a display within 30 seconds.")
            }
            digits.append(byte)
        }
        name = ":" + String(decoding: digits.dropLast(), as: UTF8.self)
    }

    deinit { end() }

    /// Ends the server as a crash would, and waits for it.
    public func end() {
        guard isRunning else { return }
        isRunning = false
        _ = process.end(signal: SIGKILL, deadline: MonotonicClock.now())
    }
}
