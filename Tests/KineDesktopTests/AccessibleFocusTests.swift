// The focused object of a real program, on a real accessibility bus.
import CoreTesting
import DesktopTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineX11
import ScreenTesting
import Testing

@testable import KineDesktop

@Suite(.serialized, .tags(.real)) struct AccessibleFocusTests {
    /// Follows the focus on this thread.
    private final class Follower {
        let focus: AccessibleFocus
        /// How often the focus has moved.
        private(set) var moves = 0

        init(session: String?) {
            focus = AccessibleFocus(BusAddresses(session: session, system: nil))
            focus.focusMoved = { [weak self] in self?.moves += 1 }
        }

        /// Waits until the program's answer fits. `prepare` is called before each question.
        func wait(
            _ what: String, process: Int32, preparing prepare: () -> Void = {}, until fits: (String?) -> Bool
        ) throws {
            let deadline = MonotonicClock.now() + 60_000_000_000
            while MonotonicClock.now() < deadline {
                prepare()
                if fits(ask(process)) { return }
            }
            Issue.record("\(what) never came")
        }

        /// Asks once, and looks at the buses for a while.
        private func ask(_ process: Int32) -> String? {
            var heard: String??
            focus.ask(process: process) { heard = .some($0) }
            let until = MonotonicClock.now() + 100_000_000
            while MonotonicClock.now() < until, heard == nil || heard == .some(nil) {
                focus.process()
                var entries = focus.pollEntries
                WakeSignal.poll(&entries, until: min(until, focus.nextDeadline ?? until))
            }
            return heard ?? nil
        }
    }

    /// A program of which one field has the focus, and it is seen.
    private final class Fixture {
        let painter: Painter
        let session: TestBus
        var bus: AccessibilityBus?
        let follower: Follower
        let program: ChildProcess
        private let screen: PrivateScreen

        init(_ arguments: [String]) throws {
            screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
            let (name, painter) = (screen.name, try Painter(display: screen.name))
            self.painter = painter
            session = try TestBus()
            let bus = try AccessibilityBus(session: session, display: name)
            self.bus = bus
            follower = Follower(session: session.address)
            program = try bus.start("zenity", arguments)
            let pid = program.pid
            var window: UInt32?
            try wait("the program's window", seconds: 60) {
                window = try X11Inventory(display: name).windows.first { $0.processID == pid }?.id
                return window != nil
            }
            let field = try #require(window)
            let other = painter.window(PixelRect(x: 600, y: 440, width: 20, height: 20), colour: 0)
            // A program tells of its focus when that moves.
            try follower.wait("the field", process: pid) {
                painter.focus(other)
                painter.focus(field)
            } until: {
                $0 != nil
            }
        }

        deinit { _ = program.end(signal: SIGKILL, deadline: 0) }
    }

    @Test func `the focus is seen in a field, and not in the password below it`() throws {
        let fixture = try Fixture(["--forms", "--add-entry=Name", "--add-password=Password"])
        let (painter, follower, program) = (fixture.painter, fixture.follower, fixture.program)
        for _ in 0..<2 {
            var moves = follower.moves
            painter.press(.tab)
            try follower.wait("the password", process: program.pid) { $0 == nil && follower.moves > moves }
            moves = follower.moves
            painter.press(.tab, with: .shift)
            try follower.wait("the field again", process: program.pid) { $0 != nil && follower.moves > moves }
        }
        // Another process has no focus that is known.
        try follower.wait("no answer", process: getpid()) { $0 == nil }
        // A program that does not answer has none either.
        program.signal(SIGSTOP)
        try follower.wait("silence", process: program.pid) { $0 == nil }
        withExtendedLifetime(fixture) {}
    }

    @Test func `without a bus, or without accessibility on it, nothing is known`() throws {
        let session = try TestBus()
        for address in [nil, "unix:path=/nowhere", session.address] {
            try Follower(session: address).wait("no answer", process: getpid()) { $0 == nil }
        }
    }

    @Test func `a bus that ends takes what is known with it`() throws {
        let fixture = try Fixture(["--entry"])
        let moves = fixture.follower.moves
        fixture.bus = nil
        try fixture.follower.wait("the end", process: fixture.program.pid) {
            $0 == nil && fixture.follower.moves > moves
        }
    }

    @Test func `neither a password nor a terminal is among the roles that may be seen`() {
        for role: UInt32 in [0, 18, 40, 60, 67, 69] { #expect(accessibleRoles[role] == nil) }
        for role: UInt32 in [61, 79] { #expect(accessibleRoles[role] != nil) }
    }
}
