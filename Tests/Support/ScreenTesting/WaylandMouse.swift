// The mouse and the keyboard of a person at a compositor of wlroots, as the compositor has them from real devices.
import KineMedia
import WaylandWindow

/// Plugged in until the last reference goes. Used by one thread; each call returns when the compositor has taken it.
package final class WaylandMouse {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// linux/input-event-codes.h
    package enum Button: UInt32 {
        case left = 0x110
        case right = 0x111
    }

    private let input: OpaquePointer
    private let desktop: PixelSize

    /// - Parameter desktop: the size of all outputs together, in logical pixels.
    package init(on display: String, desktop: PixelSize) throws {
        var complaint: UnsafePointer<CChar>?
        guard let input = kine_input_open(display, &complaint) else {
            throw Failure(description: complaint.map { String(cString: $0) } ?? "there is no memory for a mouse")
        }
        self.input = input
        self.desktop = desktop
    }

    deinit { kine_input_close(input) }

    package func move(to x: Int, _ y: Int) throws {
        try check(
            kine_input_move(input, UInt32(x), UInt32(y), UInt32(desktop.width), UInt32(desktop.height)))
    }

    package func press(_ button: Button) throws { try check(kine_input_button(input, button.rawValue, 1)) }
    package func release(_ button: Button) throws { try check(kine_input_button(input, button.rawValue, 0)) }
    package func pressEscape() throws { try check(kine_input_escape(input)) }

    /// Draws a rectangle with the left button; both corners are in it.
    package func drag(from first: (x: Int, y: Int), to last: (x: Int, y: Int)) throws {
        try move(to: first.x, first.y)
        try press(.left)
        try move(to: last.x, last.y)
        try release(.left)
    }

    private func check(_ result: Int32) throws {
        guard result == 0 else { throw Failure(description: "the compositor has gone") }
    }
}
