// An X server that nobody else uses, on whatever display number is free.
import Glibc
import KineMedia
import KinePlatform
import SystemPackage

/// A running Xvfb. Call `end` when done; it also dies with the thread that made it.
public final class PrivateDisplay {
    public let process: ChildProcess
    /// `:N`.
    public let name: String
    /// What a client needs in its environment.
    public var environment: [String] { ["DISPLAY=\(name)", "XAUTHORITY=\(directory.file("Xauthority"))"] }

    private let directory: TemporaryDirectory

    /// Starts a server with one screen of `size` and waits until it takes connections.
    /// - Parameters:
    ///   - depth: bits of a pixel that are colour.
    ///   - options: further arguments of Xvfb; with `-ac`, clients need no cookie.
    ///   - launcher: a command that becomes Xvfb, `unshare --ipc` for one.
    public init(size: PixelSize, depth: Int = 24, options: [String] = [], launcher: [String] = []) throws {
        directory = try TemporaryDirectory()
        let authority = try directory.write(PrivateDisplay.cookie(), to: "Xauthority")
        let log = try FileDescriptor.open(
            FilePath(directory.file("log")), .writeOnly, options: [.create, .append], permissions: [.ownerReadWrite])
        defer { try? log.close() }
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        var child = ChildProcess.Options()
        child.descriptors = [nil, log, log, pipe.writeEnd]
        child.parentDeathSignal = SIGTERM
        child.newSession = true
        defer { try? pipe.writeEnd.close() }
        let command = launcher + [try Tool.path(of: "Xvfb")]
        process = try ChildProcess(
            executable: try Tool.path(of: command[0]),
            arguments: command.dropFirst() + [
                "-displayfd", "3", "-screen", "0", "\(size.width)x\(size.height)x\(depth)", "-auth", authority,
                "-nolisten", "tcp", "-noreset",
            ] + options, environment: ProcessEnvironment.current, options: child)
        // The number is written once the server listens, with a newline behind it.
        guard let number = Tool.readLine(pipe.readEnd, until: MonotonicClock.now() + Tool.timeout) else {
            let ending = process.end(signal: SIGKILL, deadline: 0)
            throw Tool.Error.failed(
                name: "Xvfb", ending: ending, complaint: ProcFiles.read(directory.file("log")))
        }
        name = ":\(number)"
    }

    /// Ends the server and waits for it.
    public func end() { _ = process.end(deadline: MonotonicClock.now() + 2_000_000_000) }

    /// One entry of the Xauthority format (libXau, AuFileFmt): family 65535 is for every host and display.
    private static func cookie() -> [UInt8] {
        var cookie: [UInt8] = []
        var random = SystemRandomNumberGenerator()
        for _ in 0..<16 { cookie.append(UInt8.random(in: 0...255, using: &random)) }
        let name = Array("MIT-MAGIC-COOKIE-1".utf8)
        return [255, 255, 0, 0, 0, 0, 0, UInt8(name.count)] + name + [0, 16] + cookie
    }
}
