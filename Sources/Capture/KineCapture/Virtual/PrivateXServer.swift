// Xvfb: an X server that draws into memory, for one take.
import Glibc
import KineMedia
import KinePlatform
import SystemPackage

/// An X server that requires its cookie.
final class PrivateXServer: Sendable {
    static let program = "Xvfb"

    let environment: [String]
    private let process: ChildProcess
    private let authority: String

    /// Blocks until the server accepts clients. Its cookie is in `directory`.
    init(size: PixelSize, directory: String, _ servers: SessionServers) throws(VirtualSession.Error) {
        authority = directory + "/Xauthority"
        do { try Self.writeCookie(to: authority) } catch { throw .cookieNotWritten(error as? Errno ?? .ioError) }
        let pipe: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
        do { pipe = try FileDescriptor.pipe() } catch {
            throw .cannotStart(program: Self.program, error as? Errno ?? .ioError)
        }
        defer { try? pipe.readEnd.close() }
        process = try Self.start(size: size, authority: authority, displayNumber: pipe.writeEnd, servers)
        let deadline = MonotonicClock.now() + VirtualSession.timeout
        guard let display = Self.readNumber(from: pipe.readEnd, deadline: deadline, servers.cancellation) else {
            throw servers.giveUp(process, .noDisplayNumber(size))
        }
        // Without this, programs that support Wayland would prefer the session's own compositor.
        environment = [
            "DISPLAY=:\(display)", "XAUTHORITY=\(authority)", "WAYLAND_DISPLAY=", "XDG_SESSION_TYPE=x11",
        ]
    }

    func end(deadline: Int64) {
        _ = process.end(deadline: deadline)
        unlink(authority)
    }

    /// The server chooses a free display, and writes its number to `displayNumber`, which is closed here.
    private static func start(
        size: PixelSize, authority: String, displayNumber: FileDescriptor, _ servers: SessionServers
    ) throws(VirtualSession.Error) -> ChildProcess {
        defer { try? displayNumber.close() }
        return try servers.start(
            program,
            [
                "-displayfd", "3", "-screen", "0", "\(size.width)x\(size.height)x24", "-auth", authority, "-nolisten",
                "tcp", "-noreset", "-s", "0", "-dpms",
            ], descriptor: displayNumber)
    }

    /// Writes an entry for every display (FamilyWild), since the number is known only once the server runs. libXau's
    /// format: big-endian family, then address, number, name and data, each with a 16-bit length before it.
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
}
