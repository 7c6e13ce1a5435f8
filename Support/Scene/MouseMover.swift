// Moves the pointer of an X server as fast as a gaming mouse reports, along a circle.
import CXCB
import Glibc
import KineMeasure
import KinePlatform

enum MouseMover {
    /// Moves the pointer so many times a second, in a thread of its own that lives as long as the process.
    static func start(perSecond rate: Int) throws {
        guard let connection = xcb_connect(nil, nil), xcb_connection_has_error(connection) == 0 else {
            throw SceneWindow.Error.serverWentAway
        }
        let root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data.pointee.root
        let address = UInt(bitPattern: connection)
        _ = try DedicatedThread(starting: "mouse") {
            let connection = OpaquePointer(bitPattern: address)
            let start = MonotonicClock.now()
            var step = 0
            while xcb_connection_has_error(connection) == 0 {
                let angle = Double(step) / Double(rate) * .pi
                let (x, y) = (400 + 300 * cos(angle), 400 + 300 * sin(angle))
                xcb_test_fake_input(connection, UInt8(XCB_MOTION_NOTIFY), 0, 0, root, Int16(x), Int16(y), 0)
                xcb_flush(connection)
                step += 1
                FrameRhythm.sleep(until: start + Int64(step) * 1_000_000_000 / Int64(rate))
            }
        }
    }
}
