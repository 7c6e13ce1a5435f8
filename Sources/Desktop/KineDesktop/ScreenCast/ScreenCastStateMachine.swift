// Asks the portal for a screen cast, step by step. No bus, no clock: `ScreenCastSession` carries out the actions.

/// The states of a screen cast: from the portal's properties to PipeWire's descriptor, until the session is closed.
///
/// No step has a time limit, since a person may need minutes for the portal's dialog. If the portal refuses a restore
/// token, the session begins again without it, and the person is asked.
struct ScreenCastStateMachine: Sendable {
    typealias Failure = ScreenCastSession.Error
    typealias Step = ScreenCastSession.Step

    typealias Event = ScreenCastSession.Event
    typealias Action = PortalAction<Event>
    typealias Input = PortalDialogInput

    /// A pending request, and its session.
    private enum Exchange {
        case createSession
        case selectSources(session: String)
        case start(session: String)

        var step: Step {
            switch self {
            case .createSession: .createSession
            case .selectSources: .selectSources
            case .start: .start
            }
        }

        var session: String? {
            switch self {
            case .createSession: nil
            case .selectSources(let session), .start(let session): session
            }
        }
    }

    private enum State {
        case connecting
        case readingProperties(ownName: String)
        case findingPortal(ownName: String, ScreenCastOffer)
        case requesting(Exchange, path: String, ScreenCastPortal)
        case openingRemote(ScreenCastStream, session: String, ScreenCastPortal)
        case open(session: String, ScreenCastPortal)
        case over
    }

    private let request: ScreenCastRequest
    private var calls: PortalCalls<Event>
    /// The token for the next session. Each is good for one session.
    private var restoreToken: String?
    private var state = State.connecting

    /// - Parameters:
    ///   - restoreToken: from an earlier session.
    ///   - tokenPrefix: as for `PortalCalls`.
    init(_ request: ScreenCastRequest, restoreToken: String?, tokenPrefix: String) {
        self.request = request
        self.restoreToken = restoreToken
        calls = PortalCalls(tokenPrefix: tokenPrefix)
    }

    var isOver: Bool { if case .over = state { true } else { false } }

    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .connected(let name):
            guard case .connecting = state else { return [] }
            state = .readingProperties(ownName: name)
            return [calls.call(ScreenCastPortal.readProperties)]
        case .answered(let number, let answer): return number == calls.last ? answered(answer) : []
        case .responded(let path, let values):
            guard case .requesting(let exchange, path: path, let portal) = state else { return [] }
            return responded(values, exchange, portal)
        case .sessionClosed(let path): return sessionClosed(path)
        case .portalLost: return end(.portalLost)
        case .busLost:
            if case .connecting = state { return end(.noBus) }
            return end(.busLost)
        case .cancel: return cancel()
        }
    }

    private mutating func answered(_ answer: BusConnection.Answer) -> [Action] {
        switch state {
        case .readingProperties(let ownName):
            do throws(PortalError) {
                return read(try ScreenCastAnswers.offer(answer.portalValues(isFirst: true)), ownName: ownName)
            } catch {
                return end(Failure(error, at: .readProperties))
            }
        case .findingPortal(let ownName, let offer):
            do throws(PortalError) {
                let owner = try PortalAnswers.owner(answer.portalValues())
                let portal = ScreenCastPortal(owner: owner, offer: offer, ownName: ownName)
                return [.subscribe(portal: owner)] + createSession(portal)
            } catch {
                return end(Failure(error, at: .findPortal))
            }
        case .requesting(let exchange, let path, let portal): return requestAnswered(answer, path, exchange, portal)
        case .openingRemote(let stream, let session, let portal):
            return remoteAnswered(answer, stream, session, portal)
        case .connecting, .open, .over: return []
        }
    }

    private mutating func read(_ offer: ScreenCastOffer, ownName: String) -> [Action] {
        // The portal has no backend that casts.
        guard offer.sourceTypes != 0 else { return end(.noPortal) }
        guard offer.sourceTypes & request.target.sourceType != 0 else { return end(.notOffered(request.target)) }
        if offer.version < ScreenCastOffer.firstVersionWithTokens { restoreToken = nil }
        state = .findingPortal(ownName: ownName, offer)
        return [calls.call(Portal.findOwner)]
    }

    private mutating func requestAnswered(
        _ answer: BusConnection.Answer, _ path: String, _ exchange: Exchange, _ portal: ScreenCastPortal
    ) -> [Action] {
        do throws(PortalError) {
            try PortalAnswers.checkRequest(answer.portalValues(), at: path)
            return []
        } catch {
            return failed(Failure(error, at: exchange.step), exchange, portal)
        }
    }

    private mutating func remoteAnswered(
        _ answer: BusConnection.Answer, _ stream: ScreenCastStream, _ session: String, _ portal: ScreenCastPortal
    ) -> [Action] {
        do throws(PortalError) {
            let remote = try ScreenCastAnswers.remote(answer.portalValues())
            state = .open(session: session, portal)
            return [.tell(.opened(stream, remote: remote))]
        } catch {
            return end(Failure(error, at: .openRemote), closing: session, portal)
        }
    }

    private mutating func responded(
        _ values: [BusValue], _ exchange: Exchange, _ portal: ScreenCastPortal
    ) -> [Action] {
        do throws(PortalError) {
            let (code, results) = try PortalAnswers.response(values)
            // org.freedesktop.portal.Request, "Response".
            switch (code, exchange) {
            case (0, .createSession): return selectSources(try PortalAnswers.session(results), portal)
            case (0, .selectSources(let session)): return start(session, portal)
            case (0, .start(let session)): return try started(results, session, portal)
            case (1, _): return failed(.declined, exchange, portal)
            default: return failed(.interrupted(exchange.step), exchange, portal)
            }
        } catch {
            return failed(Failure(error, at: exchange.step), exchange, portal)
        }
    }

    private mutating func started(
        _ results: [String: BusValue], _ session: String, _ portal: ScreenCastPortal
    ) throws(PortalError) -> [Action] {
        let cursorMode = portal.offer.cursorMode(showsCursor: request.showsCursor) ?? .hidden
        let (stream, newToken) = try ScreenCastAnswers.stream(results, of: request.target, cursorMode)
        // The old token is used up, even if no new one came.
        let hasNews = newToken != nil || restoreToken != nil
        restoreToken = nil
        state = .openingRemote(stream, session: session, portal)
        return (hasNews ? [.tell(.restoreToken(newToken))] : [])
            + [calls.call(portal.openRemote(session))]
    }

    private mutating func createSession(_ portal: ScreenCastPortal) -> [Action] {
        let sessionToken = calls.newToken()
        return begin(.createSession, portal) { portal.createSession(token: $0, sessionToken: sessionToken) }
    }

    private mutating func selectSources(_ session: String, _ portal: ScreenCastPortal) -> [Action] {
        begin(.selectSources(session: session), portal) { [request, restoreToken] in
            portal.selectSources(request, of: session, restoreToken: restoreToken, token: $0)
        }
    }

    private mutating func start(_ session: String, _ portal: ScreenCastPortal) -> [Action] {
        begin(.start(session: session), portal) { portal.start(session, token: $0) }
    }

    private mutating func begin(
        _ exchange: Exchange, _ portal: ScreenCastPortal, _ call: (_ token: String) -> BusCall
    ) -> [Action] {
        let token = calls.newToken()
        state = .requesting(exchange, path: Portal.requestPath(token, of: portal.ownName), portal)
        return [calls.call(call(token))]
    }

    /// A request has failed. If the restore token may be the reason, begins another session without it.
    private mutating func failed(
        _ failure: Failure, _ exchange: Exchange, _ portal: ScreenCastPortal
    ) -> [Action] {
        guard restoreToken != nil, let session = exchange.session else {
            return end(failure, closing: exchange.session, portal)
        }
        switch failure {
        case .refused, .interrupted:
            return [.send(portal.closeSession(session))] + dropToken(portal)
        default: return end(failure, closing: session, portal)
        }
    }

    private mutating func dropToken(_ portal: ScreenCastPortal) -> [Action] {
        restoreToken = nil
        return [.tell(.restoreToken(nil))] + createSession(portal)
    }

    private mutating func sessionClosed(_ path: String) -> [Action] {
        switch state {
        // A portal that refuses an option closes the session, and signals that before it answers.
        case .requesting(.selectSources(session: path), _, let portal) where restoreToken != nil:
            return dropToken(portal)
        case .requesting(let exchange, _, _) where exchange.session == path: return end(.closed)
        case .openingRemote(_, session: path, _), .open(session: path, _): return end(.closed)
        default: return []
        }
    }

    private mutating func cancel() -> [Action] {
        defer { state = .over }
        switch state {
        case .connecting, .readingProperties, .findingPortal, .over: return []
        case .requesting(let exchange, let path, let portal):
            return [.send(portal.closeRequest(path))]
                + (exchange.session.map { [.send(portal.closeSession($0))] } ?? [])
        case .openingRemote(_, let session, let portal), .open(let session, let portal):
            return [.send(portal.closeSession(session))]
        }
    }

    private mutating func end(_ failure: Failure, closing session: String?, _ portal: ScreenCastPortal) -> [Action] {
        var closing: [Action] = []
        if let session, failure != .portalLost, failure != .busLost {
            closing = [.send(portal.closeSession(session))]
        }
        return closing + end(failure)
    }

    private mutating func end(_ failure: Failure) -> [Action] {
        if isOver { return [] }
        state = .over
        return [.tell(.ended(failure))]
    }
}
