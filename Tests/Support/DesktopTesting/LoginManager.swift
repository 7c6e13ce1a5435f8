// logind on a test's bus: one user with one session that has the display, and descriptors that keep the machine awake.
import CoreTesting
import Glibc
import KineDesktop
import Synchronization
import SystemPackage

/// `org.freedesktop.login1`. The test locks the session, and sees what is held.
package final class LoginManager: Sendable {
    package struct Inhibition: Sendable {
        package var what: String
        package var who: String
        package var mode: String
    }

    private struct Contents {
        var isLocked = false
        /// Each with the end of a pipe that hangs up when the other end is closed.
        var inhibitions: [(Inhibition, FileDescriptor)] = []
    }

    private final class Box: Sendable {
        let contents = Mutex(Contents())
    }

    private static let name = "org.freedesktop.login1"
    private static let manager = "/org/freedesktop/login1"
    private static let user = "/org/freedesktop/login1/user/_0"
    private static let session = "/org/freedesktop/login1/session/_32"
    private static let properties = "org.freedesktop.DBus.Properties"
    private let box = Box()
    private let service: BusService

    package init(_ bus: TestBus, isLocked: Bool = false) throws {
        let box = box
        box.contents.withLock { $0.isLocked = isLocked }
        service = try BusService(bus, name: Self.name, paths: [Self.manager, Self.user, Self.session]) { call in
            box.contents.withLock { Self.answer(call, &$0) }
        }
    }

    deinit { box.contents.withLock { for (_, end) in $0.inhibitions { try? end.close() } } }

    private static func answer(_ call: ReceivedCall, _ contents: inout Contents) -> Reply {
        switch (call.path, call.member) {
        case (manager, "GetUser"): return .values([.objectPath(user)])
        case (user, "Get"): return .values([.variant(.structure([.string("2"), .objectPath(session)]))])
        case (session, "Get"): return .values([.variant(.boolean(contents.isLocked))])
        case (manager, "Inhibit"):
            guard call.arguments.map(\.type) == ["s", "s", "s", "s"], let pipe = try? FileDescriptor.pipe() else {
                return .error(name: "org.freedesktop.DBus.Error.InvalidArgs")
            }
            let texts = call.arguments.compactMap(\.asString)
            contents.inhibitions.append(
                (Inhibition(what: texts[0], who: texts[1], mode: texts[3]), pipe.readEnd))
            return .values([.descriptor(BusDescriptor(adopting: pipe.writeEnd.rawValue))])
        default: return .error(name: "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }

    /// What is held now.
    package var inhibitions: [Inhibition] {
        box.contents.withLock { contents in
            contents.inhibitions.removeAll { _, end in
                var entry = pollfd(fd: end.rawValue, events: Int16(POLLIN), revents: 0)
                guard poll(&entry, 1, 0) > 0 else { return false }
                try? end.close()
                return true
            }
            return contents.inhibitions.map(\.0)
        }
    }

    /// The person locks the screen, or unlocks it.
    package func lock(_ isLocked: Bool) {
        box.contents.withLock { $0.isLocked = isLocked }
        service.emit(
            Self.session, Self.properties, "PropertiesChanged",
            [
                .string("org.freedesktop.login1.Session"), .properties(["LockedHint": .boolean(isLocked)]),
                .strings([]),
            ])
    }
}

/// `org.freedesktop.ScreenSaver` or another of that shape on a test's bus.
package final class TestScreenSaver: Sendable {
    private struct Contents {
        var isActive = false
        var cookies: Set<UInt32> = []
        var lastCookie: UInt32 = 0
    }

    private final class Box: Sendable {
        let contents = Mutex(Contents())
    }

    private let name: String
    private let path: String
    private let box = Box()
    private let service: BusService

    package init(
        _ bus: TestBus, name: String = "org.freedesktop.ScreenSaver", path: String = "/org/freedesktop/ScreenSaver"
    ) throws {
        (self.name, self.path) = (name, path)
        let box = box
        service = try BusService(bus, name: name, paths: [path]) { call in
            box.contents.withLock { contents in
                switch call.member {
                case "GetActive": return .values([.boolean(contents.isActive)])
                case "Inhibit":
                    contents.lastCookie += 1
                    contents.cookies.insert(contents.lastCookie)
                    return .values([.uint32(contents.lastCookie)])
                case "UnInhibit", "Uninhibit":
                    if let cookie = call.arguments.first?.asUInt32 { contents.cookies.remove(cookie) }
                    return .values([])
                default: return .error(name: "org.freedesktop.DBus.Error.UnknownMethod")
                }
            }
        }
    }

    /// The inhibitions that were not taken back.
    package var held: Int { box.contents.withLock { $0.cookies.count } }

    package func activate(_ isActive: Bool) {
        box.contents.withLock { $0.isActive = isActive }
        service.emit(path, name, "ActiveChanged", [.boolean(isActive)])
    }

    /// As KDE's, some tenths of a second before its lock screen is there.
    package func announceLock() { service.emit(path, "org.kde.screensaver", "AboutToLock", []) }

    package func end() { service.end() }
}
