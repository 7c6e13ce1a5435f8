// A desktop's notification server: it keeps what it is asked to show, and does what a person would do with it.
import CoreTesting
import KineDesktop
import Synchronization

/// `org.freedesktop.Notifications` on a test's bus.
package final class NotificationDaemon: Sendable {
    package struct Shown: Sendable, Equatable {
        package var id: UInt32
        package var sender: String
        package var icon: String
        package var title: String
        package var text: String
        /// Keys and titles, alternating.
        package var actions: [String]
        package var hints: [String: BusValue]
        package var expiry: Int32
    }

    package enum Mood: Sendable {
        case answers
        /// It takes calls and never answers.
        case silent
        /// It says what it can, and then never answers.
        case deaf
    }

    private struct Contents {
        var mood: Mood
        var lastID: UInt32 = 0
        var shown: [Shown] = []
        /// How often `Notify` was called.
        var count = 0
    }

    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private let box: Box
    private let service: BusService

    package init(
        _ bus: TestBus, _ mood: Mood = .answers,
        capabilities: [String] = ["actions", "body", "body-markup", "persistence"]
    ) throws {
        let box = Box(Contents(mood: mood))
        service = try BusService(bus, name: Self.name, paths: [Self.path]) { call in
            box.contents.withLock { Self.answer(call, capabilities, &$0) }
        }
        self.box = box
    }

    private final class Box: Sendable {
        let contents: Mutex<Contents>
        init(_ contents: Contents) { self.contents = Mutex(contents) }
    }

    private static func answer(_ call: ReceivedCall, _ capabilities: [String], _ contents: inout Contents) -> Reply {
        switch call.member {
        case _ where contents.mood == .silent, "Notify" where contents.mood == .deaf: return .silence
        case "GetServerInformation":
            return .values([.string("Test"), .string("Kinecast"), .string("1.0"), .string("1.2")])
        case "GetCapabilities": return .values([.strings(capabilities)])
        case "CloseNotification":
            contents.shown.removeAll { .uint32($0.id) == call.arguments.first }
            return .values([])
        case "Notify":
            guard call.arguments.map(\.type).joined() == "susssasa{sv}i" else {
                return .error(name: "org.freedesktop.DBus.Error.InvalidArgs")
            }
            contents.count += 1
            var shown = Shown(call.arguments)
            if let index = contents.shown.firstIndex(where: { $0.id == shown.id }) {
                contents.shown[index] = shown
            } else {
                contents.lastID += 1
                shown.id = contents.lastID
                contents.shown.append(shown)
            }
            return .values([.uint32(shown.id)])
        default: return .error(name: "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }

    /// What the desktop shows now.
    package var shown: [Shown] { box.contents.withLock { $0.shown } }
    package var notifyCount: Int { box.contents.withLock { $0.count } }

    /// Waits until the desktop shows one that `isWanted`.
    package func wait(_ what: String, until isWanted: (Shown) -> Bool) throws -> Shown {
        var found: Shown?
        try CoreTesting.wait(what) {
            found = shown.first(where: isWanted)
            return found != nil
        }
        guard let found else { throw WaitedInVain(description: what) }
        return found
    }

    /// The desktop permits the app that the next click opens to come to the front.
    package func giveToken(_ token: String, of id: UInt32) {
        service.emit(Self.path, Self.name, "ActivationToken", [.uint32(id), .string(token)])
    }

    /// The person presses a button.
    package func press(_ key: String, of id: UInt32) {
        service.emit(Self.path, Self.name, "ActionInvoked", [.uint32(id), .string(key)])
    }

    /// The person closes it; 2 is the specification's number for that.
    package func dismiss(_ id: UInt32) {
        box.contents.withLock { $0.shown.removeAll { $0.id == id } }
        service.emit(Self.path, Self.name, "NotificationClosed", [.uint32(id), .uint32(2)])
    }

    /// The methods that were called.
    package var calls: [String] { service.calls.map(\.member) }

    package func end() { service.end() }
}

extension NotificationDaemon.Shown {
    fileprivate init(_ arguments: [BusValue]) {
        id = arguments[1].asUInt32 ?? 0
        sender = arguments[0].asString ?? ""
        icon = arguments[2].asString ?? ""
        title = arguments[3].asString ?? ""
        text = arguments[4].asString ?? ""
        actions = arguments[5].asStrings ?? []
        hints = arguments[6].asProperties ?? [:]
        expiry = arguments[7].asInt32 ?? -1
    }
}
