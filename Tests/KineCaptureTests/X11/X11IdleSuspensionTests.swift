// The X server's own screen saver, on a real server.
import CXCB
import CoreTesting
import Glibc
import KineMedia
import ScreenTesting
import Testing

@testable import KineX11

@Suite(.tags(.real)) struct X11IdleSuspensionTests {
    @Test func `the screen saver starts after a second, not while it is suspended, and then again`() throws {
        let screen = try PrivateScreen(size: PixelSize(width: 64, height: 64))
        let connection = try X11Connection(display: screen.name)
        func set(seconds: Int16) {
            xcb_set_screen_saver(connection.handle, seconds, 0, 1, 1)
            xcb_force_screen_saver(connection.handle, UInt8(XCB_SCREEN_SAVER_RESET.rawValue))
        }
        set(seconds: 1)
        try wait("the screen saver") { isOn(connection) }
        set(seconds: 0)
        var suspension: X11IdleSuspension? = X11IdleSuspension(display: screen.name)
        try wait("the suspension") { suspension?.state == .held }
        set(seconds: 1)
        usleep(2_500_000)
        #expect(!isOn(connection))
        suspension = nil
        try wait("the screen saver again") { isOn(connection) }
    }

    @Test func `where there is no server nothing is suspended`() throws {
        let screen = try PrivateScreen(
            size: PixelSize(width: 64, height: 64), options: ["-extension", "MIT-SCREEN-SAVER"])
        let suspension = X11IdleSuspension(display: screen.name)
        let none = X11IdleSuspension(display: ":4711")
        try wait("the threads' ends") { suspension.state == .over && none.state == .over }
    }

    /// Whether the server's screen saver is on (MIT-SCREEN-SAVER 1.1, QueryInfo).
    private func isOn(_ connection: X11Connection) -> Bool {
        var body: [UInt32] = [0, connection.root]
        let question = kine_send_request(connection.handle, kine_screen_saver(), 1, &body, 2, true)
        guard let reply = xcb_wait_for_reply(connection.handle, question, nil) else { return false }
        defer { free(reply) }
        return reply.load(fromByteOffset: 1, as: UInt8.self) == 1
    }
}
