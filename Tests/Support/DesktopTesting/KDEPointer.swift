// The mouse of KDE's compositor, moved by a program.
import Glibc
import KWinPointer

/// A program that moves the mouse of a desktop. Used by one thread.
package protocol DesktopPointer {
    func move(to x: Int, _ y: Int) throws
    /// From where it is, in one step.
    func move(by x: Int, _ y: Int) throws
    func press(_ isDown: Bool) throws
}

extension DesktopPointer {
    package func click() throws {
        for isDown in [true, false] {
            try press(isDown)
            usleep(50_000)  // as a finger does: widgets look at what lies between
        }
    }
}

package final class KDEPointer: DesktopPointer {
    package struct Failure: Error {}

    private let pointer: OpaquePointer
    private var place = (x: 0, y: 0)

    package init(_ desktop: PortalDesktop) throws {
        guard let pointer = kine_kwin_pointer_open(desktop.display) else { throw Failure() }
        self.pointer = pointer
    }

    deinit { kine_kwin_pointer_close(pointer) }

    package func move(to x: Int, _ y: Int) throws {
        guard kine_kwin_pointer_move(pointer, Int32(x), Int32(y)) == 0 else { throw Failure() }
        place = (x, y)
    }

    package func move(by x: Int, _ y: Int) throws { try move(to: place.x + x, place.y + y) }

    package func press(_ isDown: Bool) throws {
        guard kine_kwin_pointer_press(pointer, isDown ? 1 : 0) == 0 else { throw Failure() }
    }
}
