// The mouse and the keyboard of KDE's compositor, moved by a program.
import CoreTesting
import Glibc
import KWinInput

/// As linux/input-event-codes.h numbers them.
package enum MouseButton: Int32, Sendable {
    case left = 0x110
    case right = 0x111
}

/// A program that moves the mouse of a desktop and presses its keys. Used by one thread.
package protocol DesktopInput {
    func move(to x: Int, _ y: Int) throws
    /// From where it is, in one step.
    func move(by x: Int, _ y: Int) throws
    func press(_ button: MouseButton, _ isDown: Bool) throws
    /// - Parameter key: a code of linux/input-event-codes.h.
    func key(_ key: UInt32, isDown: Bool) throws
}

extension DesktopInput {
    package func press(_ isDown: Bool) throws { try press(.left, isDown) }

    package func click(_ button: MouseButton = .left) throws {
        for isDown in [true, false] {
            try press(button, isDown)
            usleep(50_000)  // as a finger does: widgets look at what lies between
        }
    }

    /// Clicks where the dialog is, until it was there: nothing tells when it is shown.
    package func answer(_ clicks: PortalDialog.Clicks, until isAnswered: () throws -> Bool) throws {
        try wait("the dialog's end") {
            for (x, y) in clicks where try !isAnswered() {
                try move(to: x, y)
                try click()
                usleep(200_000)
            }
            return try isAnswered()
        }
    }

    /// Presses the keys one after the other, and releases them in the opposite order.
    package func type(_ keys: UInt32...) throws {
        for code in keys { try key(code, isDown: true) }
        usleep(50_000)
        for code in keys.reversed() { try key(code, isDown: false) }
    }
}

package final class KDEInput: DesktopInput {
    package struct Failure: Error {}

    private let input: OpaquePointer
    private var place = (x: 0, y: 0)

    package init(_ desktop: PortalDesktop) throws {
        guard let input = kine_kwin_input_open(desktop.display) else { throw Failure() }
        self.input = input
    }

    deinit { kine_kwin_input_close(input) }

    package func move(to x: Int, _ y: Int) throws {
        guard kine_kwin_input_move(input, Int32(x), Int32(y)) == 0 else { throw Failure() }
        place = (x, y)
    }

    package func move(by x: Int, _ y: Int) throws { try move(to: place.x + x, place.y + y) }

    package func press(_ button: MouseButton, _ isDown: Bool) throws {
        guard kine_kwin_input_press(input, UInt32(button.rawValue), isDown ? 1 : 0) == 0 else { throw Failure() }
    }

    package func key(_ key: UInt32, isDown: Bool) throws {
        guard kine_kwin_input_key(input, key, isDown ? 1 : 0) == 0 else { throw Failure() }
    }
}
