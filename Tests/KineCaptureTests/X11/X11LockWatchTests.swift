// Lockers that no service knows, by a client that does as they do.
import CXCB
import CoreTesting
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineX11

@Suite struct X11LockWatchTests {
    private static let second: Int64 = 1_000_000_000
    private static let size = PixelSize(width: 320, height: 240)

    @Test func `a screen is locked once a second has passed with a cover and a grab, and not without either`() {
        var state = LockerStateMachine()
        func poll(_ isCovered: Bool, _ hasGrab: Bool, at tenths: Int64) -> Bool? {
            state.poll(isCovered: isCovered, hasGrab: { hasGrab }, at: tenths * Self.second / 10)
        }
        #expect(poll(false, true, at: 0) == nil && poll(false, true, at: 20) == nil, "a menu")
        #expect(poll(true, false, at: 30) == nil && poll(true, false, at: 50) == nil, "a player of films")
        #expect(poll(true, true, at: 60) == nil && poll(true, false, at: 65) == nil && poll(true, true, at: 72) == nil)
        #expect(poll(true, true, at: 82) == true && poll(true, true, at: 90) == nil)
        #expect(poll(true, false, at: 91) == false && poll(false, false, at: 200) == nil)
    }

    @Test(.tags(.real)) func `a locker is noticed, also one that was there before, and its end`() throws {
        let screen = try PrivateScreen(size: Self.size)
        for isEarlier in [false, true] {
            let reports = Monitor<[Bool]>([])
            func watch() -> X11LockWatch {
                X11LockWatch(display: screen.name) { isLocked in reports.signal { $0.append(isLocked) } }
            }
            var lockWatch = isEarlier ? nil : watch()
            let locker = try Locker(on: screen.name, [PixelRect(size: Self.size)])
            if isEarlier { lockWatch = watch() }
            try wait("the lock") { reports.withLock { $0 } == [true] }
            locker.unlock()
            try wait("its end") { reports.withLock { $0 } == [true, false] }
            _ = lockWatch
            lockWatch = nil
        }
    }

    /// As xscreensaver's. A game covers one monitor.
    @Test(.tags(.real)) func `a locker with a window for each monitor is noticed once all are covered`() throws {
        let screen = try PrivateScreen(size: Self.size)
        let monitors = [
            PixelRect(x: 0, y: 0, width: 160, height: 240), PixelRect(x: 160, y: 0, width: 160, height: 240),
        ]
        for (number, monitor) in monitors.enumerated() { try screen.setMonitor("part\(number)", monitor) }
        let reports = Monitor<[Bool]>([])
        let lockWatch = X11LockWatch(display: screen.name) { isLocked in reports.signal { $0.append(isLocked) } }
        let game = try Locker(on: screen.name, [monitors[0]])
        game.unlock()
        let locker = try Locker(on: screen.name, monitors)
        try wait("the lock") { reports.withLock { $0 } == [true] }
        locker.unlock()
        try wait("its end") { reports.withLock { $0 } == [true, false] }
        withExtendedLifetime(lockWatch) {}
    }

    private final class Locker {
        private let connection: X11Connection
        private var windows: [UInt32] = []

        init(on display: String, _ places: [PixelRect]) throws {
            connection = try X11Connection(display: display)
            let handle = connection.handle
            for place in places {
                let window = xcb_generate_id(handle)
                xcb_create_window(
                    handle, 0, window, connection.root, Int16(place.x), Int16(place.y), UInt16(place.width),
                    UInt16(place.height), 0, UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), 0,
                    XCB_CW_OVERRIDE_REDIRECT.rawValue, [1])
                xcb_map_window(handle, window)
                windows.append(window)
            }
            let mode = UInt8(XCB_GRAB_MODE_ASYNC.rawValue)
            let grab = xcb_grab_keyboard(handle, 0, connection.root, UInt32(XCB_CURRENT_TIME), mode, mode)
            let status = connection.reply(grab, xcb_grab_keyboard_reply) { $0.pointee.status }
            #expect(status == UInt8(XCB_GRAB_STATUS_SUCCESS.rawValue))
        }

        func unlock() {
            for window in windows { xcb_destroy_window(connection.handle, window) }
            xcb_ungrab_keyboard(connection.handle, UInt32(XCB_CURRENT_TIME))
            xcb_flush(connection.handle)
        }
    }
}
