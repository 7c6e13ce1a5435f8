// The objects of systemd-logind, org.freedesktop.login1(5), and its one session that has the screen.
import Glibc

enum Logind {
    static let name = "org.freedesktop.login1"
    static let path = "/org/freedesktop/login1"
    static let sessionInterface = "org.freedesktop.login1.Session"
    static let properties = "org.freedesktop.DBus.Properties"

    /// A method of the manager.
    static func manager(_ member: String, _ arguments: [BusValue]) -> BusCall {
        BusCall(name, path: path, interface: "org.freedesktop.login1.Manager", member, arguments)
    }

    static func property(_ property: String, of interface: String, at path: String) -> BusCall {
        BusCall(name, path: path, interface: properties, "Get", [.string(interface), .string(property)])
    }

    /// Finds the session with this user's display, which need not be that of this process: a terminal's programs belong to none, and
    /// those of ssh to another. Without one, the session of this process. `answer`: its path; nil: there is none.
    static func findSession(_ bus: BusConnection, answer: @escaping (String?) -> Void) {
        bus.call(manager("GetUser", [.uint32(getuid())])) { result in
            guard let user = (try? result.get())?.first?.asString else { return own(bus, answer) }
            bus.call(property("Display", of: "org.freedesktop.login1.User", at: user)) { result in
                // The session's id and path; both name nothing where there is no display.
                guard let display = (try? result.get())?.first?.content?.members, display.count == 2,
                    display[0].asString != "", let path = display[1].asString
                else { return own(bus, answer) }
                answer(path)
            }
        }
    }

    private static func own(_ bus: BusConnection, _ answer: @escaping (String?) -> Void) {
        // 0: this process.
        bus.call(manager("GetSessionByPID", [.uint32(0)])) { answer((try? $0.get())?.first?.asString) }
    }
}
