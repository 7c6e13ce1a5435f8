// Xvfb: an X server that draws into memory, for one take.
import Glibc
import KineMedia
import KinePlatform
import SystemPackage

/// An X server that requires its cookie.
final class PrivateXServer: SessionServer {
    static let program = "Xvfb"

    let environment: [String]
    private let process: ChildProcess
    private let authority: String

    /// Blocks until the server accepts clients. Its cookie is in `directory`.
    init(size: PixelSize, directory: String, _ servers: SessionServers) throws(VirtualSession.Error) {
        authority = directory + "/Xauthority"
        let cookie = Self.newCookie()
        try Self.addEntry(Self.everyHost, [], display: "", cookie, to: authority)
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
        do throws(VirtualSession.Error) {
            try Self.addEntry(Self.thisHost, Self.hostName(), display: "\(display)", cookie, to: authority)
        } catch { throw servers.giveUp(process, error) }
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

    private static func newCookie() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// FamilyWild: of every host and display, since the display's number is known only once the server runs.
    private static let everyHost: UInt16 = 0xffff
    /// FamilyLocal, as xauth writes it: python-xlib knows no wild family.
    private static let thisHost: UInt16 = 0x0100

    private static func hostName() -> [UInt8] {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return [] }
        return name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    /// Appends an entry. libXau's format: big-endian family, then address, number, name and data, each with a 16-bit
    /// length before it.
    private static func addEntry(
        _ family: UInt16, _ address: [UInt8], display: String, _ cookie: [UInt8], to path: String
    ) throws(VirtualSession.Error) {
        let fields = [address, Array(display.utf8), Array("MIT-MAGIC-COOKIE-1".utf8), cookie]
        let entry = fields.reduce([UInt8(family >> 8), UInt8(family & 255)]) { entry, field in
            entry + [UInt8(field.count >> 8), UInt8(field.count & 255)] + field
        }
        do {
            let file = try FileDescriptor.open(
                path, .writeOnly, options: [.create, .append, .closeOnExec], permissions: [.ownerRead, .ownerWrite])
            try file.closeAfter { _ = try file.writeAll(entry) }
        } catch {
            throw .cookieNotWritten(error as? Errno ?? .ioError)
        }
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
