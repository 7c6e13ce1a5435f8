// A desktop's portal for keys, on a test's bus: real objects with the behaviour of several desktops' portals.
import KineDesktop
import Synchronization

/// `org.freedesktop.portal.GlobalShortcuts`, with `org.freedesktop.host.portal.Registry`.
package final class StandInShortcutsPortal: Sendable {
    package struct Manner: Sendable {
        package var version: UInt32 = 1
        /// The desktop's part binds keys.
        package var hasInterface = true
        /// xdg-desktop-portal 1.19.4 and later.
        package var hasRegistry = true
        /// Each session has the keys of earlier ones from the beginning, as Plasma's.
        package var listsKnown = false
        /// Keys are bound that come with a new session, as Plasma 5.27 does.
        package var bindsWithSession = false
        /// The results of BindShortcuts have no shortcuts, as Plasma 6.4's.
        package var returnsNothing = false
        package var person = StandInPortal.Person.agrees
        /// Values instead of a response, by the method's name.
        package var nonsense: [String: [BusValue]] = [:]
    }

    private struct Contents {
        var manner: Manner
        /// The keys that the person has agreed to, in any session.
        var known: Set<String> = []
        var session: String?
        /// The keys of the session.
        var bound: [String] = []
        /// The request that waits for the person, and what was asked.
        var dialog: (request: String, ids: [String])?
        var questions = 0
        var configurations = 0
    }

    private final class Box: Sendable {
        let contents: Mutex<Contents>
        init(_ contents: Contents) { self.contents = Mutex(contents) }
    }

    private static let interface = "org.freedesktop.portal.GlobalShortcuts"
    private let box: Box
    private let service: BusService

    package init(_ bus: TestBus, known: Set<String> = [], _ change: (inout Manner) -> Void = { _ in }) throws {
        var manner = Manner()
        change(&manner)
        var contents = Contents(manner: manner)
        contents.known = known
        let box = Box(contents)
        self.box = box
        service = try BusService(bus, name: StandInPortal.name, paths: [StandInPortal.path]) { call in
            box.contents.withLock { Self.answer(call, &$0) }
        }
    }

    // MARK: The test's side

    package var calls: [ReceivedCall] { service.calls }
    package var questions: Int { box.contents.withLock { $0.questions } }
    package var configurations: Int { box.contents.withLock { $0.configurations } }
    package var isDialogShown: Bool { box.contents.withLock { $0.dialog != nil } }

    package func change(_ body: (inout Manner) -> Void) { box.contents.withLock { body(&$0.manner) } }

    /// The person answers the dialog that is shown.
    package func answerDialog(agreeing: Bool) {
        let signal = box.contents.withLock { contents -> EmittedSignal? in
            guard let dialog = contents.dialog else { return nil }
            contents.dialog = nil
            return Self.response(dialog.request, Self.decided(dialog.ids, agrees: agreeing, &contents))
        }
        if let signal { service.emit(signal) }
    }

    /// The key is pressed or released.
    package func send(_ member: String, _ id: String, session: String? = nil) {
        let session = session ?? box.contents.withLock { $0.session } ?? "/"
        service.emit(
            StandInPortal.path, Self.interface, member,
            [.objectPath(session), .string(id), .uint64(0), .properties([:])])
    }

    /// The person gives a shortcut another key.
    package func changeKey(of id: String, to trigger: String) {
        let session = box.contents.withLock { $0.session } ?? "/"
        let value = Self.shortcut(id, trigger)
        service.emit(
            StandInPortal.path, Self.interface, "ShortcutsChanged",
            [.objectPath(session), .array(of: "(sa{sv})", [value])])
    }

    package func end() { service.end() }

    // MARK: The portal's side

    private static func answer(_ call: ReceivedCall, _ contents: inout Contents) -> Reply {
        let manner = contents.manner
        switch (call.interface, call.member) {
        case ("org.freedesktop.host.portal.Registry", "Register"):
            return manner.hasRegistry ? .values([]) : .error(name: "org.freedesktop.DBus.Error.UnknownMethod")
        case ("org.freedesktop.DBus.Properties", "Get"):
            guard call.arguments == [.string(interface), .string("version")], manner.hasInterface else {
                return .error(name: "org.freedesktop.DBus.Error.InvalidArgs")
            }
            return .values([.variant(.uint32(manner.version))])
        case ("org.freedesktop.portal.Session", "Close"):
            if contents.session == call.path { contents.session = nil }
            return .values([])
        case (interface, "CreateSession"): return createSession(call, &contents)
        case (interface, "ListShortcuts"): return begun(call, bound(contents.bound), manner)
        case (interface, "BindShortcuts"): return bindShortcuts(call, &contents)
        case (interface, "ConfigureShortcuts") where manner.version > 1:
            contents.configurations += 1
            return .values([])
        default: return .error(name: "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }

    private static func createSession(_ call: ReceivedCall, _ contents: inout Contents) -> Reply {
        let options = call.arguments.last?.asProperties ?? [:]
        let token = options["session_handle_token"]?.asString ?? "none"
        let path = "\(StandInPortal.path)/session/\(element(call.sender))/\(token)"
        contents.session = path
        contents.bound = contents.manner.listsKnown ? contents.known.sorted() : []
        if contents.manner.bindsWithSession { contents.bound = ids(options["shortcuts"]) }
        return begun(call, [.uint32(0), .properties(["session_handle": .string(path)])], contents.manner)
    }

    private static func bindShortcuts(_ call: ReceivedCall, _ contents: inout Contents) -> Reply {
        let ids = call.arguments.count > 1 ? Self.ids(call.arguments[1]) : []
        guard call.arguments.first?.asString == contents.session else {
            return .error(name: "org.freedesktop.DBus.Error.AccessDenied")
        }
        if contents.known.isSuperset(of: ids) {
            return begun(call, decided(ids, agrees: true, &contents), contents.manner)
        }
        contents.questions += 1
        switch contents.manner.person {
        case .agrees: return begun(call, decided(ids, agrees: true, &contents), contents.manner)
        case .declines: return begun(call, decided(ids, agrees: false, &contents), contents.manner)
        case .hesitates:
            let request = requestPath(call)
            contents.dialog = (request, ids)
            return .values([.objectPath(request)])
        }
    }

    private static func decided(_ ids: [String], agrees: Bool, _ contents: inout Contents) -> [BusValue] {
        guard agrees else { return [.uint32(1), .properties([:])] }
        contents.known.formUnion(ids)
        contents.bound = ids
        return contents.manner.returnsNothing ? [.uint32(0), .properties([:])] : bound(ids)
    }

    private static func bound(_ ids: [String]) -> [BusValue] {
        let shortcuts = BusValue.array(of: "(sa{sv})", ids.map { shortcut($0, "the key of \($0)") })
        return [.uint32(0), .properties(["shortcuts": shortcuts])]
    }

    private static func shortcut(_ id: String, _ trigger: String) -> BusValue {
        .structure([.string(id), .properties(["trigger_description": .string(trigger)])])
    }

    private static func ids(_ shortcuts: BusValue?) -> [String] {
        (shortcuts?.elements ?? []).compactMap { $0.members?.first?.asString }
    }

    private static func begun(_ call: ReceivedCall, _ response: [BusValue], _ manner: Manner) -> Reply {
        let path = requestPath(call)
        let values = manner.nonsense[call.member] ?? response
        return .surrounded([], .values([.objectPath(path)]), [Self.response(path, values)])
    }

    private static func response(_ path: String, _ values: [BusValue]) -> EmittedSignal {
        EmittedSignal(path, "org.freedesktop.portal.Request", "Response", values)
    }

    private static func requestPath(_ call: ReceivedCall) -> String {
        let token = call.arguments.last?.asProperties?["handle_token"]?.asString ?? "none"
        return "\(StandInPortal.path)/request/\(element(call.sender))/\(token)"
    }

    /// A unique name as a part of a path.
    private static func element(_ name: String) -> String { String(name.dropFirst()).replacing(".", with: "_") }
}
