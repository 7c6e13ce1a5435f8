// Memory that is shared with an X server, also in another IPC namespace, and a server on another machine, with which it cannot be.
import CXCB
import CoreTesting
import Glibc
import KineMedia
import ScreenTesting
import Testing

@testable import KineX11

@Suite(.serialized, .tags(.real)) struct X11SharedMemoryTests {
    private static let size = PixelSize(width: 200, height: 100)
    private static let rect = PixelRect(size: size)
    private static let colour: UInt32 = 0x20_4060

    private func fixture(options: [String] = [], launcher: [String] = []) throws -> (PrivateScreen, Painter) {
        let screen = try PrivateScreen(size: Self.size, options: options, launcher: launcher)
        let painter = try Painter(display: screen.name)
        _ = painter.window(Self.rect, colour: Self.colour)
        return (screen, painter)
    }

    private func read(_ reader: X11PixelReader, _ connection: X11Connection, of drawable: UInt32? = nil) -> Bool {
        var pixels: [UInt32] = []
        let isComplete = reader.read(
            X11ReadPlan(.full(size: Self.size)), at: (0, 0), of: drawable ?? connection.root
        ) { rect, bytes, _ in
            for index in 0..<rect.size.area {
                pixels.append(bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self) & 0xff_ffff)
            }
        }
        return isComplete && pixels.count == Self.size.area && pixels.allSatisfy { $0 == Self.colour }
    }

    private func isShared(_ reader: X11PixelReader) -> Bool { if case .shared = reader.memory { true } else { false } }

    @Test func `a server in another IPC namespace shares memory`() throws {
        // A user who is not root needs a user namespace for that; without one, unshare says so.
        let launcher = ["unshare"] + (geteuid() == 0 ? [] : ["--map-root-user"]) + ["--ipc"]
        let (screen, painter) = try fixture(launcher: launcher)
        let connection = try X11Connection(display: screen.name)
        let reader = X11PixelReader(connection: connection)
        #expect(read(reader, connection) && isShared(reader))
        withExtendedLifetime(painter) {}
    }

    @Test func `shared memory that fails again and again is given up for the connection`() throws {
        let (screen, painter) = try fixture()
        let connection = try X11Connection(display: screen.name)
        let reader = X11PixelReader(connection: connection)
        var wasRead: [Bool] = []
        var detached = 0
        while detached < 30, wasRead.suffix(9) != Array(repeating: true, count: 9) {
            if case .shared(let memory) = reader.memory {
                // As a server does that loses it.
                xcb_shm_detach(connection.handle, memory.id)
                detached += 1
            }
            wasRead.append(read(reader, connection))
        }
        #expect(!isShared(reader) && wasRead.contains(false) && wasRead.last == true)
        withExtendedLifetime(painter) {}
    }

    @Test func `a drawable that cannot be read for a while does not cost shared memory`() throws {
        let (screen, painter) = try fixture()
        let connection = try X11Connection(display: screen.name)
        let reader = X11PixelReader(connection: connection)
        for _ in 0..<20 { #expect(!read(reader, connection, of: 0x77_7777)) }
        for _ in 0..<5 { _ = read(reader, connection) }
        #expect(read(reader, connection) && isShared(reader))
        withExtendedLifetime(painter) {}
    }

    @Test func `over TCP the pixels come through the connection`() throws {
        let (screen, painter) = try fixture(options: ["-listen", "tcp"])
        let connection = try X11Connection(display: "127.0.0.1\(screen.name)")
        #expect(!connection.isLocal)
        let reader = X11PixelReader(connection: connection)
        #expect(read(reader, connection) && !isShared(reader))
        withExtendedLifetime(painter) {}
    }
}
