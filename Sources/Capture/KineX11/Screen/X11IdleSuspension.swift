// Keeps an X server's own screen saver off, and with it the lockers that follow it: xss-lock, light-locker.
// MIT-SCREEN-SAVER 1.1, X.Org's protocol of that name, request Suspend.
import CXCB
import KinePlatform

/// In force until the last reference goes, or the process ends. A server without the extension, or none, is no error.
public final class X11IdleSuspension: Sendable {
    enum State { case asking, held, over }

    private let end = WakeSignal()
    private let reached = Monitor(State.asking)

    /// Asks on a thread of its own, since a server may not answer. `display` is the server's name; nil: DISPLAY.
    public init(display: String? = nil) {
        let (end, reached) = (end, reached)
        _ = try? DedicatedThread(starting: "idle") {
            defer { reached.signal { $0 = .over } }
            guard let connection = try? X11Connection(display: display), Self.suspend(on: connection) else { return }
            reached.signal { $0 = .held }
            while !WakeSignal.poll([end.descriptor, connection.descriptor], until: nil)[0] {
                connection.forEachEvent { _ in }
                if connection.isBroken { return }
            }
        }
    }

    deinit { end.signal() }

    /// The progress of the request.
    var state: State { reached.withLock { $0 } }

    private static func suspend(on connection: X11Connection) -> Bool {
        guard let found = kine_screen_saver_extension(connection.handle), found.pointee.present != 0
        else { return false }
        kine_suspend_screen_saver(connection.handle)
        // The answer to a later request comes after it.
        return connection.geometry(of: connection.root) != nil
    }
}
