// Asks the portal for keys of the whole desktop, step by step. No bus, no clock: `GlobalShortcutsSession` carries out the
// actions.

/// The states of the keys: from the application's name to the bound session, and again whenever a portal appears.
///
/// No step has a time limit, since a person may need minutes for the portal's dialog.
struct GlobalShortcutsStateMachine: Sendable {
    typealias Event = GlobalShortcutsSession.Event
    typealias Action = PortalAction<Event>

    enum Input: PortalInput {
        case connected(as: String)
        case answered(number: Int, BusConnection.Answer)
        case responded(path: String, [BusValue])
        case sessionClosed(path: String)
        /// A signal of the portal's own interface.
        case signalled(member: String, [BusValue])
        /// systemd has moved this process into its scope, or failed.
        case scopeDone
        /// Another connection has the portal's name, or none.
        case portalChanged(owner: String?)
        case busLost
        /// Show the person the desktop's dialog.
        case configure
    }

    /// A pending request, and its session.
    private enum Exchange {
        case createSession
        /// `isBound`: after the shortcuts were bound.
        case list(session: String, isBound: Bool)
        case bind(session: String)

        var session: String? {
            switch self {
            case .createSession: nil
            case .list(let session, _), .bind(let session): session
            }
        }
    }

    private enum State {
        /// There is no bus, no portal, or none that binds keys.
        case absent
        case registering
        case scoping
        case readingVersion
        case findingPortal(version: UInt32)
        case requesting(Exchange, path: String, GlobalShortcutsPortal)
        case open(session: String, isBound: Bool, GlobalShortcutsPortal)
    }

    /// Offered to the next session.
    var shortcuts: [GlobalShortcut]
    private let application: String
    /// Bind shortcuts that the portal does not know, so that it shows its dialog.
    private let asks: Bool
    private let process: Int32
    private var calls: PortalCalls<Event>
    private var ownName: String?
    /// The next session binds the shortcuts even if the portal knows them, so that it shows its dialog.
    private var mustBind = false
    private var state = State.absent

    /// - Parameters:
    ///   - application: the name of its desktop file without `.desktop`.
    ///   - asks: see `GlobalShortcutsSession`.
    ///   - process: this process.
    ///   - tokenPrefix: as for `PortalCalls`.
    init(
        _ shortcuts: [GlobalShortcut], of application: String, asks: Bool = true, process: Int32, tokenPrefix: String
    ) {
        self.shortcuts = shortcuts
        self.application = application
        self.asks = asks
        self.process = process
        calls = PortalCalls(tokenPrefix: tokenPrefix)
    }

    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .connected(let name):
            ownName = name
            return register()
        case .answered(let number, let answer): return number == calls.last ? answered(answer) : []
        case .responded(let path, let values):
            guard case .requesting(let exchange, path: path, let portal) = state else { return [] }
            return responded(values, exchange, portal)
        case .sessionClosed(let path): return path == openSession ? fail(.closed) : []
        case .signalled(let member, let values): return signalled(member, values)
        case .scopeDone:
            guard case .scoping = state else { return [] }
            return readVersion()
        case .portalChanged(let owner): return portalChanged(owner)
        case .busLost:
            ownName = nil
            return fail(.busLost)
        case .configure: return configure()
        }
    }

    private var openSession: String? {
        switch state {
        case .requesting(let exchange, _, _): exchange.session
        case .open(let session, _, _): session
        default: nil
        }
    }

    private mutating func signalled(_ member: String, _ values: [BusValue]) -> [Action] {
        guard values.count > 1, let session = values[0].asString, session == openSession else { return [] }
        switch member {
        case "Activated", "Deactivated":
            guard let id = values[1].asString, shortcuts.contains(where: { $0.id == id }) else { return [] }
            guard member == "Activated" else { return [.tell(.released(id))] }
            let time: UInt64 = if values.count > 2, case .uint64(let time) = values[2] { time } else { 0 }
            return [.tell(.pressed(id, time: time))]
        case "ShortcutsChanged":
            guard case .open(_, _, let portal) = state, let triggers = try? GlobalShortcutsPortal.triggers(values[1])
            else { return [] }
            return bound(triggers, session, portal)
        default: return []
        }
    }

    private mutating func portalChanged(_ owner: String?) -> [Action] {
        switch state {
        case .absent: return owner == nil || ownName == nil ? [] : register()
        case .requesting(_, _, let portal), .open(_, _, let portal):
            guard owner != portal.owner else { return [] }
            let isBound = if case .open(_, true, _) = state { true } else { false }
            let end = fail(.portalLost)
            if owner != nil { return end + register() }
            // Otherwise the keys would be dead until another program needs the portal.
            return end + (isBound ? [.send(GlobalShortcutsPortal.startPortal)] : [])
        // The first call has started the portal, or the next one's answer will be that it has ended.
        case .registering, .scoping, .readingVersion, .findingPortal: return []
        }
    }

    private mutating func configure() -> [Action] {
        switch state {
        case .open(let session, true, let portal) where portal.showsDialog:
            return [.send(portal.configureShortcuts(of: session))]
        case .open(let session, _, let portal):
            // Shortcuts are bound once in a session.
            mustBind = true
            return [.send(portal.closeSession(session))] + createSession(portal)
        case .absent where ownName != nil:
            mustBind = true
            return register()
        case .absent, .registering, .scoping, .readingVersion, .findingPortal, .requesting:
            mustBind = true
            return []
        }
    }

    private mutating func answered(_ answer: BusConnection.Answer) -> [Action] {
        do throws(PortalError) {
            switch state {
            case .registering: return try registered(answer)
            // Without systemd, the portal may not know the application, and binds the keys all the same or refuses.
            case .scoping: if case .failure = answer { return readVersion() } else { return [] }
            case .readingVersion:
                let version = try GlobalShortcutsPortal.checkedVersion(answer.portalValues(isFirst: true))
                guard version > 0 else { throw .noPortal }
                state = .findingPortal(version: version)
                return [calls.call(Portal.findOwner)]
            case .findingPortal(let version):
                let owner = try PortalAnswers.owner(answer.portalValues())
                let portal = GlobalShortcutsPortal(owner: owner, version: version, ownName: ownName ?? "")
                return [.subscribe(portal: owner)] + createSession(portal)
            case .requesting(_, let path, _):
                try PortalAnswers.checkRequest(answer.portalValues(), at: path)
                return []
            case .absent, .open: return []
            }
        } catch {
            return fail(error)
        }
    }

    private mutating func registered(_ answer: BusConnection.Answer) throws(PortalError) -> [Action] {
        guard case .failure(let error) = answer else { return readVersion() }
        switch PortalError(error, isFirst: false) {
        case .refused:
            // The portal is older, or no desktop file has the application's name.
            state = .scoping
            return [calls.call(GlobalShortcutsPortal.startScope(of: application, process))]
        case let failure: throw failure
        }
    }

    private mutating func responded(
        _ values: [BusValue], _ exchange: Exchange, _ portal: GlobalShortcutsPortal
    ) -> [Action] {
        do throws(PortalError) {
            // org.freedesktop.portal.Request, "Response": 0 is success.
            let (code, results) = try PortalAnswers.response(values)
            var triggers: [String: String]?
            if let value = results["shortcuts"] { triggers = try GlobalShortcutsPortal.triggers(value) }
            switch (exchange, code) {
            case (.createSession, 0): return list(try PortalAnswers.session(results), isBound: false, portal)
            case (.createSession, _):
                return fail(.refused(name: "\(code)", message: "it has created no session"))
            case (.list(let session, true), _): return bound(triggers ?? [:], session, portal)
            case (.list(let session, false), _):
                // Plasma up to 6.4 binds the keys that it knows with the session, and at each request to bind it opens
                // its settings. Other portals bind them when asked, and show a dialog if some are new.
                let known = triggers ?? [:]
                let isComplete = shortcuts.allSatisfy { known[$0.id] != nil }
                if isComplete, !mustBind, !portal.showsDialog { return bound(known, session, portal) }
                return isComplete || mustBind || asks ? bind(session, portal) : unbound(session, portal)
            case (.bind(let session), 0):
                // Plasma 6.4 does not return them.
                guard let triggers else { return list(session, isBound: true, portal) }
                return bound(triggers, session, portal)
            // GNOME's portal 48 sends any code with the keys that it has bound.
            case (.bind(let session), _) where triggers?.isEmpty == false:
                return bound(triggers ?? [:], session, portal)
            case (.bind(let session), _): return unbound(session, portal)
            }
        } catch {
            return fail(error)
        }
    }

    private mutating func bound(
        _ triggers: [String: String], _ session: String, _ portal: GlobalShortcutsPortal
    ) -> [Action] {
        mustBind = false
        state = .open(session: session, isBound: true, portal)
        return [.tell(.bound(triggers))]
    }

    private mutating func unbound(_ session: String, _ portal: GlobalShortcutsPortal) -> [Action] {
        state = .open(session: session, isBound: false, portal)
        return [.tell(.failed(.declined))]
    }

    private mutating func register() -> [Action] {
        state = .registering
        return [calls.call(GlobalShortcutsPortal.register(application))]
    }

    private mutating func readVersion() -> [Action] {
        state = .readingVersion
        return [calls.call(GlobalShortcutsPortal.readVersion)]
    }

    private mutating func createSession(_ portal: GlobalShortcutsPortal) -> [Action] {
        begin(.createSession, portal) { [shortcuts] in portal.createSession(shortcuts, token: $0) }
    }

    private mutating func list(_ session: String, isBound: Bool, _ portal: GlobalShortcutsPortal) -> [Action] {
        begin(.list(session: session, isBound: isBound), portal) { portal.listShortcuts(of: session, token: $0) }
    }

    private mutating func bind(_ session: String, _ portal: GlobalShortcutsPortal) -> [Action] {
        mustBind = false
        return begin(.bind(session: session), portal) { [shortcuts] in
            portal.bindShortcuts(shortcuts, of: session, token: $0)
        }
    }

    private mutating func begin(
        _ exchange: Exchange, _ portal: GlobalShortcutsPortal, _ call: (_ token: String) -> BusCall
    ) -> [Action] {
        let token = calls.newToken()
        state = .requesting(exchange, path: Portal.requestPath(token, of: portal.ownName), portal)
        return [calls.call(call(token))]
    }

    /// Waits for another portal, or for `configure`.
    private mutating func fail(_ failure: PortalError) -> [Action] {
        state = .absent
        mustBind = false
        calls.drop()
        return [.tell(.failed(failure))]
    }
}
