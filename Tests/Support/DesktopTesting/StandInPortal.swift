// A desktop's portal for screen casts, on a test's bus: real objects with the behaviour of xdg-desktop-portal, and its faults on demand.
import CoreTesting
import KineDesktop
import Synchronization
import SystemPackage

/// `org.freedesktop.portal.ScreenCast`. Its "PipeWire" is a pipe from which `greeting` can be read, unless a test gives it a real one.
package final class StandInPortal: Sendable {
    /// What the person does when the dialog is shown.
    package enum Person: Sendable {
        case agrees
        case declines
        /// Nothing, until the test lets them answer.
        case hesitates
    }

    /// What the portal does instead when a method is called.
    package enum Fault: Sendable {
        case dies
        case refuses(name: String)
        case isSilent
        /// Answers the call with these values.
        case answers([BusValue])
        /// Responds to the request with values that are none of a response.
        case respondsNonsense([BusValue])
        case responds(code: UInt32)
        case closesSession
    }

    package struct Manner: Sendable {
        package var version: UInt32 = 5
        /// Of monitors 1, of windows 2.
        package var sourceTypes: UInt32 = 3
        package var person = Person.agrees
        /// By the method's name.
        package var faults: [String: Fault] = [:]
        /// Responses are sent before the calls are answered.
        package var respondsFirst = false
        /// Sessions can be restored.
        package var givesTokens = true
        /// The number of the cast's node.
        package var node = StandInPortal.node
        /// Makes a connection with PipeWire; nil: the pipe stands in for it.
        package var connect: (@Sendable () throws -> FileDescriptor)?
        package var properties: [String: BusValue] = [
            "position": .structure([.int32(0), .int32(0)]), "size": .structure([.int32(1920), .int32(1080)]),
        ]
    }

    private struct Session {
        var options: [String: BusValue] = [:]
        var isRestored = false
    }

    private struct Contents {
        var manner: Manner
        var sessions: [String: Session] = [:]
        /// The session of each request that has no response yet.
        var dialogs: [String: String] = [:]
        var selections: [[String: BusValue]] = []
        var tokens: Set<String> = []
        var tokenCount = 0
        /// How often the person was asked.
        var questions = 0
        var closedRequests: [String] = []
        var closedSessions: [String] = []
    }

    private final class Box: Sendable {
        let contents: Mutex<Contents>
        init(_ contents: Contents) { self.contents = Mutex(contents) }
    }

    package static let name = "org.freedesktop.portal.Desktop"
    package static let path = "/org/freedesktop/portal/desktop"
    package static let node: UInt32 = 42
    private static let cursorModes: UInt32 = 7
    /// What is read from the descriptor.
    package static let greeting = "PipeWire"
    private static let screenCast = "org.freedesktop.portal.ScreenCast"
    private static let requestInterface = "org.freedesktop.portal.Request"
    private static let sessionInterface = "org.freedesktop.portal.Session"
    private let box: Box
    private let service: BusService

    package init(_ bus: TestBus, _ change: (inout Manner) -> Void = { _ in }) throws {
        var manner = Manner()
        change(&manner)
        let box = Box(Contents(manner: manner))
        self.box = box
        // Whoever leaves the bus has neither dialogs nor sessions any more.
        let callerLeft: @Sendable (String) -> Void = { name in
            let part = "/\(Self.element(name))/"
            box.contents.withLock { contents in
                contents.dialogs = contents.dialogs.filter { !$0.key.contains(part) }
                contents.sessions = contents.sessions.filter { !$0.key.contains(part) }
            }
        }
        service = try BusService(bus, name: Self.name, paths: [Self.path], callerLeft: callerLeft) { call in
            box.contents.withLock { Self.answer(call, &$0) }
        }
    }

    // MARK: The test's side

    package func change(_ body: (inout Manner) -> Void) { box.contents.withLock { body(&$0.manner) } }

    /// The options of all calls of `SelectSources`.
    package var selections: [[String: BusValue]] { box.contents.withLock { $0.selections } }
    package var questions: Int { box.contents.withLock { $0.questions } }
    package var isDialogShown: Bool { box.contents.withLock { !$0.dialogs.isEmpty } }
    package var openSessions: Int { box.contents.withLock { $0.sessions.count } }
    package var closedRequests: [String] { box.contents.withLock { $0.closedRequests } }
    package var closedSessions: [String] { box.contents.withLock { $0.closedSessions } }
    package var calls: [ReceivedCall] { service.calls }

    /// The person answers the dialog that is shown.
    package func answerDialog(agreeing: Bool) {
        let signals = box.contents.withLock { contents in
            let dialogs = contents.dialogs
            contents.dialogs = [:]
            return dialogs.map { path, session in
                Self.response(path, agreeing ? Self.started(session, &contents) : Self.declined)
            }
        }
        for signal in signals { service.emit(signal) }
    }

    /// The person ends the cast in the desktop.
    package func closeSessions() {
        let paths = box.contents.withLock { contents in
            defer { contents.sessions = [:] }
            return Array(contents.sessions.keys)
        }
        for path in paths { service.emit(path, Self.sessionInterface, "Closed", []) }
    }

    package func end() { service.end() }

    // MARK: The portal's side

    private static func answer(_ call: ReceivedCall, _ contents: inout Contents) -> Reply {
        switch (call.interface, call.member) {
        case ("org.freedesktop.DBus.Properties", "GetAll"):
            return fault(of: call, nil, &contents) ?? properties(call, contents.manner)
        case (screenCast, "CreateSession"):
            guard let options = options(call, "a{sv}") else { return invalid }
            let path =
                "\(path)/session/\(element(call.sender))/\(options["session_handle_token"]?.asString ?? "none")"
            if let fault = fault(of: call, nil, &contents) { return fault }
            contents.sessions[path] = Session()
            // A string, as xdg-desktop-portal has it, and not a path.
            let results: [BusValue] = [.uint32(0), .properties(["session_handle": .string(path)])]
            return begun(call, options, results, &contents)
        case (screenCast, "SelectSources"): return selectSources(call, &contents)
        case (screenCast, "Start"): return start(call, &contents)
        case (screenCast, "OpenPipeWireRemote"):
            guard options(call, "oa{sv}") != nil, contents.sessions[session(call)] != nil else { return invalid }
            return fault(of: call, session(call), &contents) ?? remote(contents.manner)
        case (requestInterface, "Close"):
            contents.closedRequests.append(call.path)
            contents.dialogs[call.path] = nil
            return .values([])
        case (sessionInterface, "Close"):
            contents.closedSessions.append(call.path)
            contents.sessions[call.path] = nil
            return .values([])
        default: return .error(name: "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }

    private static func properties(_ call: ReceivedCall, _ manner: Manner) -> Reply {
        guard call.arguments == [.string(screenCast)], call.path == path else { return invalid }
        var properties: [String: BusValue] = [
            "version": .uint32(manner.version), "AvailableSourceTypes": .uint32(manner.sourceTypes),
        ]
        if manner.version >= 2 { properties["AvailableCursorModes"] = .uint32(cursorModes) }
        return .values([.properties(properties)])
    }

    private static func selectSources(_ call: ReceivedCall, _ contents: inout Contents) -> Reply {
        let path = session(call)
        guard let options = options(call, "oa{sv}"), contents.sessions[path]?.options.isEmpty == true else {
            return invalid
        }
        contents.selections.append(options)
        contents.sessions[path]?.options = options
        if let fault = fault(of: call, path, &contents) { return fault }
        let manner = contents.manner
        let isAllowed =
            (options["types"]?.asUInt32 ?? 1) & ~manner.sourceTypes == 0
            && (options["cursor_mode"]?.asUInt32 ?? 0) & ~cursorModes == 0
            && (manner.version >= 4 || options["persist_mode"] == nil && options["restore_token"] == nil)
        guard isAllowed else { return invalid }
        if let token = options["restore_token"]?.asString {
            guard token.hasPrefix("token-") else {
                contents.sessions[path] = nil
                return invalid
            }
            // Of those that it does not know, the portal says nothing.
            contents.sessions[path]?.isRestored = contents.tokens.remove(token) != nil
        }
        return begun(call, options, [.uint32(0), .properties([:])], &contents)
    }

    private static func start(_ call: ReceivedCall, _ contents: inout Contents) -> Reply {
        let path = session(call)
        guard let options = options(call, "osa{sv}"), let session = contents.sessions[path], !session.options.isEmpty
        else { return invalid }
        if !session.isRestored { contents.questions += 1 }
        if let fault = fault(of: call, path, &contents) { return fault }
        if session.isRestored { return begun(call, options, started(path, &contents), &contents) }
        switch contents.manner.person {
        case .agrees: return begun(call, options, started(path, &contents), &contents)
        case .declines: return begun(call, options, declined, &contents)
        case .hesitates:
            let request = requestPath(call, options)
            contents.dialogs[request] = path
            return .values([.objectPath(request)])
        }
    }

    private static let declined: [BusValue] = [.uint32(1), .properties([:])]

    private static func started(_ session: String, _ contents: inout Contents) -> [BusValue] {
        let options = contents.sessions[session]?.options ?? [:]
        var properties = contents.manner.properties
        if contents.manner.version >= 3 { properties["source_type"] = options["types"] }
        var results: [String: BusValue] = [
            "streams": .array(of: "(ua{sv})", [.structure([.uint32(contents.manner.node), .properties(properties)])])
        ]
        if options["persist_mode"] == .uint32(2), contents.manner.givesTokens {
            results["restore_token"] = .string(makeToken(&contents))
        }
        return [.uint32(0), .properties(results)]
    }

    private static func makeToken(_ contents: inout Contents) -> String {
        contents.tokenCount += 1
        let token = "token-\(contents.tokenCount)"
        contents.tokens.insert(token)
        return token
    }

    private static func remote(_ manner: Manner) -> Reply {
        if let connect = manner.connect {
            guard let descriptor = try? connect() else { return .error(name: "org.freedesktop.DBus.Error.Failed") }
            return .values([.descriptor(BusDescriptor(adopting: descriptor.rawValue))])
        }
        guard let pipe = try? FileDescriptor.pipe() else { return .error(name: "org.freedesktop.DBus.Error.Failed") }
        _ = try? pipe.writeEnd.closeAfter { try pipe.writeEnd.writeAll(greeting.utf8) }
        return .values([.descriptor(BusDescriptor(adopting: pipe.readEnd.rawValue))])
    }

    // MARK: Requests

    private static func begun(
        _ call: ReceivedCall, _ options: [String: BusValue], _ response: [BusValue], _ contents: inout Contents
    ) -> Reply {
        let path = requestPath(call, options)
        let signal = self.response(path, response)
        let isFirst = contents.manner.respondsFirst
        return .surrounded(isFirst ? [signal] : [], .values([.objectPath(path)]), isFirst ? [] : [signal])
    }

    private static func response(_ path: String, _ values: [BusValue]) -> EmittedSignal {
        EmittedSignal(path, requestInterface, "Response", values)
    }

    private static func requestPath(_ call: ReceivedCall, _ options: [String: BusValue]) -> String {
        let token = options["handle_token"]?.asString ?? "none"
        return "\(path)/request/\(element(call.sender))/\(token)"
    }

    private static func fault(of call: ReceivedCall, _ session: String?, _ contents: inout Contents) -> Reply? {
        let options = call.arguments.last?.asProperties ?? [:]
        switch contents.manner.faults[call.member] {
        case nil: return nil
        case .dies: return .death
        case .isSilent: return .silence
        case .refuses(let name): return .error(name: name)
        case .answers(let values): return .values(values)
        case .respondsNonsense(let values): return begun(call, options, values, &contents)
        case .responds(code: let code): return begun(call, options, [.uint32(code), .properties([:])], &contents)
        case .closesSession:
            let path = requestPath(call, options)
            return .surrounded(
                [EmittedSignal(session ?? "/", sessionInterface, "Closed")], .values([.objectPath(path)]), [])
        }
    }

    private static func options(_ call: ReceivedCall, _ types: String) -> [String: BusValue]? {
        guard call.path == path, call.arguments.map(\.type).joined() == types else { return nil }
        return call.arguments.last?.asProperties
    }

    private static func session(_ call: ReceivedCall) -> String { call.arguments.first?.asString ?? "" }

    /// A unique name as a part of a path.
    private static func element(_ name: String) -> String { String(name.dropFirst()).replacing(".", with: "_") }

    private static let invalid = Reply.error(name: "org.freedesktop.portal.Error.InvalidArgument")
}
