// The state that all windows share. A request gets its answer here.
import FoundationEssentials
import KineClient
import KineMedia
import KinePlatform
import KineTakes
import KineText
import Synchronization

/// Any thread may call.
final class Studio: Sendable {
    let hub: EventHub
    /// The loop reads these messages. It starts programs and counts pages.
    let inbox: Mailbox<StudioLoop.Message>
    let previews: Previews
    let library: Library
    let jobs: Jobs
    let sheets: Sheets
    let settings: ServiceSettings
    let choices: KeptChoice
    let takes = Mutex(ShownTakes())
    /// Requests to the engines of running takes, which the loop passes on.
    let requests = TakeRequests()
    let survey = Mutex(SurveyState())
    let families: RecordingFamilies
    fileprivate let sessions: StudioSessions

    /// - Parameter choices: the file of the last choice.
    init(
        _ inbox: Mailbox<StudioLoop.Message>, choices: KeptChoice, library: Library = Library(),
        settings: ServiceSettings = ServiceSettings()
    ) {
        (self.inbox, self.choices, self.library, self.settings) = (inbox, choices, library, settings)
        sessions = StudioSessions { inbox.post(.redeemed($0)) }
        previews = Previews { inbox.post(.changed) }
        let hub = EventHub { inbox.post(.pages($0, asking: $1)) }
        let families = RecordingFamilies()
        (self.hub, self.families) = (hub, families)
        let jobs = Jobs { progress in
            if let made = progress.result { families.add(made, madeOf: progress.id) }
            hub.send("job", progress, of: progress.id)
            if progress.state != .running { inbox.post(.changed) }
        }
        self.jobs = jobs
        sheets = Sheets(
            give: { library.give($0) }, ended: { jobs.cancelAll(of: $0) }, changed: { inbox.post(.changed) })
    }

    /// Answers requests from now on.
    func open(port: Int, publicURL: PublicURL?) {
        hub.send("takes", [TakeSnapshot](), isState: true)
        sessions.open(port: port, publicURL: publicURL)
    }

    /// The rights of a new window: it may use only what it shows.
    ///
    /// - Parameter recording: the absolute path of its file; nil: the window shows the studio.
    func scope(showing recording: String?, forPerson isForPerson: Bool) -> StudioScope {
        if let recording { return .recording(LibraryFile.id(of: library.give(recording))) }
        return isForPerson ? .person : .studio
    }

    func makeLink(to scope: StudioScope) -> RandomToken { sessions.makeLink(to: scope) }

    /// Whether the windows of a scope have that recording.
    func shows(_ recording: String, in scope: StudioScope) -> Bool {
        switch scope {
        case .person, .studio: return true
        case .recording(let id): return families.has(recording, in: id)
        case .sheet(let id):
            guard case .recording(let shown) = sheets.prompt(of: id) else { return false }
            return LibraryFile.id(of: shown.path) == recording
        }
    }

    /// Returns the ID of its file in the library, if it has one.
    @discardableResult func add(_ notice: TakeNotice) -> String? {
        // A person who closes the desktop's dialog, or draws no region, has no problem.
        guard notice.code != ProblemCode.Name.cancelled.rawValue else { return nil }
        var notice = notice
        notice.time = (Date().timeIntervalSince1970 * 1000).rounded()
        notice.recording = notice.file.map(library.add)
        hub.send("notice", notice)
        return notice.recording
    }

    /// - Parameters:
    ///   - showedToken: called if the request has a session. False: too many connections have one.
    ///   - read: reads the body. Called if the head is let pass.
    func respond(
        to request: StudioRequest, showedToken: @Sendable () -> Bool = { true }, body read: () async throws -> [UInt8]
    ) async -> StudioResponse {
        do {
            let match = try sessions.judge(request)
            if let scope = match.scope, !scope.permits(match, shows: { shows($0, in: scope) }) {
                throw StudioGate.Refusal.outOfScope
            }
            if match.route.access.needsSession, !showedToken() {
                throw StudioProblem(.serviceUnavailable, "The studio has too many connections; close other windows.")
            }
            let body = match.route.method == "POST" ? try await read() : []
            if match.route.method == "POST", !StudioJSON.isObject(body) { throw StudioProblem.malformed }
            return try await match.route.respond(
                self, StudioCall(request: request, parameters: match.parameters, scope: match.scope, body: body))
        } catch let refusal as StudioGate.Refusal {
            return .answer(StudioAnswer(refusal))
        } catch {
            return .answer(StudioAnswer(StudioProblem(error)))
        }
    }
}

extension StudioRoute {
    static let all = page + files + recording + survey + takes + library + sheets + services

    static let page: [StudioRoute] = [
        .get("", .document) { _, _ in .answer(StudioPage.document) },
        .post("api/session", .page) { studio, call in .answer(try studio.sessions.openSession(call)) },
        .get("api/proof/{id}/{challenge}", .page) { studio, call in
            guard let proof = studio.sessions.proof.answer(call["challenge"], of: call["id"]) else {
                throw StudioGate.Refusal.notFound
            }
            return .answer(StudioAnswer(type: "application/octet-stream", body: proof))
        },
        .get("api/openapi.json") { _, _ in .answer(StudioPage.description) },
        .get("api/events", .events) { studio, call in
            .events(try studio.events(of: call.scope, after: call.request.lastEvent ?? call.request.parameter("after")))
        },
    ]

    /// The page's files, each at its own path: a proxy's path may be named like one of their folders.
    private static let files: [StudioRoute] = StudioPage.files.map { path, file in
        .get(path, .page) { _, _ in .answer(file) }
    }
}

extension Studio {
    /// A page's clock differs from this one, so the stream begins with the time here.
    fileprivate func events(of scope: StudioScope?, after id: String?) throws -> EventHub.Connection {
        let now = MonotonicClock.now()
        let clock = EventLog.Event(id: nil, type: "clock", data: "\(Double(now) / 1e9)")
        guard let scope else { throw StudioGate.Refusal.noSession }
        let connect = { [self] in
            hub.connect(after: id.flatMap { Int($0) }, greeting: clock) { [weak self] event in
                scope.receives(event.type, of: event.subject) { self?.shows($0, in: scope) == true }
            }
        }
        guard case .sheet(let sheet) = scope else { return connect() }
        guard let content = sheets.connect(sheet, at: now) else { throw StudioProblem.sheetIsOver }
        return content.merged(with: connect())
    }
}
