// An X server that nobody else uses, with a cookie, on whatever display number is free.
import CLinux
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
    public var environment: [String] { ["DISPLAY=\(name)", "XAUTHORITY=\(folder.file("Xauthority"))"] }

    private let folder: TemporaryDirectory

    /// Starts a server with one screen of `size`, 24 bits deep, and waits until it takes connections (20 seconds at most).
    public init(size: PixelSize) throws {
        let executable = try Tool.path(of: "Xvfb")
        let folder = try TemporaryDirectory()
        self.folder = folder
        try PrivateDisplay.writeCookie(to: folder.file("Xauthority"))
        let log = try FileDescriptor.open(
            FilePath(folder.file("log")), .writeOnly, options: [.create, .append], permissions: [.ownerReadWrite])
        defer { try? log.close() }
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, log, log, pipe.writeEnd]
        options.parentDeathSignal = SIGTERM
        options.newSession = true
        defer { try? pipe.writeEnd.close() }
        process = try ChildProcess(
            executable: executable,
            arguments: [
                "-displayfd", "3", "-screen", "0", "\(size.width)x\(size.height)x24", "-auth",
                folder.file("Xauthority"), "-nolisten", "tcp", "-noreset",
            ], environment: Tool.inheritedEnvironment(), options: options)
        // The number is written once the server listens, with a newline behind it.
        guard let number = PrivateDisplay.readLine(from: pipe.readEnd, deadline: MonotonicClock.now() + 300_000_000_000)
        else {
            _ = process.end(signal: SIGKILL, deadline: MonotonicClock.now())
            throw Tool.Error.failed(
                name: "Xvfb", ending: .exited(status: 1), complaint: "It did not say its display number in 20 seconds.")
        }
        name = ":\(number)"
    }

    /// Ends the server and waits for it.
    public func end() { _ = process.end(deadline: MonotonicClock.now() + 2_000_000_000) }

    /// One entry of the Xauthority format (libXau, AuFileFmt): family 65535 is for every host and display.
    private static func writeCookie(to path: String) throws {
        var cookie: [UInt8] = []
        var random = SystemRandomNumberGenerator()
        for _ in 0..<16 { cookie.append(UInt8.random(in: 0...255, using: &random)) }
        let name = Array("MIT-MAGIC-COOKIE-1".utf8)
        let bytes: [UInt8] = [255, 255, 0, 0, 0, 0, 0, UInt8(name.count)] + name + [0, 16] + cookie
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .exclusiveCreate], permissions: [.ownerReadWrite])
        defer { try? file.close() }
        try file.writeAll(bytes)
    }

    /// The bytes before the first newline; nil where the other side closed or `deadline` passed.
    static func readLine(from file: FileDescriptor, deadline: Int64) -> String? {
        var line: [UInt8] = []
        while true {
            let left = max(0, deadline - MonotonicClock.now()) / 1_000_000
            var ready = pollfd(fd: file.rawValue, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, Int32(left)) > 0 else { return nil }
            var byte: UInt8 = 0
            let count = withUnsafeMutableBytes(of: &byte) { (try? file.read(into: $0)) ?? 0 }
            if count == 0 { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }
}
