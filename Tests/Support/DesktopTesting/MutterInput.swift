// The mouse and the keyboard of GNOME's compositor, moved by a program.
import KineDesktop
import KineMedia

/// A remote desktop session of mutter's. It ends with the last reference. Used by one thread.
package final class MutterInput: DesktopInput {
    private static let service = "org.gnome.Mutter.RemoteDesktop"

    private let client: BusClient
    private let session: String
    private let size: PixelSize

    package init(_ desktop: PortalDesktop) throws {
        size = desktop.size
        client = try BusClient(desktop.bus)
        let path = "/" + Self.service.replacing(".", with: "/")
        let answer = try client.call(Self.service, path, Self.service, "CreateSession")
        guard case .objectPath(let session) = answer.first else { throw BusClient.NoAnswer(member: "CreateSession") }
        self.session = session
        try call("Start")
    }

    /// Moves the pointer to a place of the only monitor: by way of its last corner, which needs no cast of the monitor. In the first one,
    /// GNOME's shell shows all windows.
    package func move(to x: Int, _ y: Int) throws {
        try move(by: 100_000, 100_000)
        try move(by: x - (size.width - 1), y - (size.height - 1))
    }

    package func move(by x: Int, _ y: Int) throws {
        try call("NotifyPointerMotionRelative", [.double(Double(x)), .double(Double(y))])
    }

    package func press(_ button: MouseButton, _ isDown: Bool) throws {
        try call("NotifyPointerButton", [.int32(button.rawValue), .boolean(isDown)])
    }

    package func key(_ key: UInt32, isDown: Bool) throws {
        try call("NotifyKeyboardKeycode", [.uint32(key), .boolean(isDown)])
    }

    private func call(_ member: String, _ arguments: [BusValue] = []) throws {
        try client.call(Self.service, session, Self.service + ".Session", member, arguments)
    }
}
