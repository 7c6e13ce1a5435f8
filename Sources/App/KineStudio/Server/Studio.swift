// The state that all windows share. A request gets its answer here.
import FoundationEssentials
import KineLive
import KinePlatform
import Synchronization

/// Any thread may call.
final class Studio: Sendable {
    private static let mostOtherCookies = 16

    let hub: EventHub
    /// The loop reads these messages. It starts programs and counts pages.
    let inbox: Mailbox<StudioLoop.Message>
    let previews: Previews
    let library: Library
    let jobs: Jobs
    let sheets: Sheets
    let settings: ServiceSettings
    let choices: KeptChoice
    let takes = Mutex<[TakeModel]>([])
    let survey = Mutex(SurveyState())
    /// Whether a recording was asked for whose take is not there yet.
    let isStarting = Mutex(false)
    private let secrets = Mutex(StudioSecrets())
    private let gate = Mutex<StudioGate?>(nil)
    fileprivate let proof = StudioProof()

    /// - Parameter choices: the file of the last choice.
    init(
        _ inbox: Mailbox<StudioLoop.Message>, choices: KeptChoice, library: Library = Library(),
        settings: ServiceSettings = ServiceSettings()
    ) {
        (self.inbox, self.choices, self.library, self.settings) = (inbox, choices, library, settings)
        previews = Previews { inbox.post(.previewed) }
        let hub = EventHub { inbox.post(.pages($0)) }
        self.hub = hub
        let jobs = Jobs { progress in
            hub.send("job", progress)
            if progress.state != .running { inbox.post(.worked) }
        }
        self.jobs = jobs
        sheets = Sheets(
            give: { library.give($0) }, ended: { jobs.cancelAll(of: $0) }, changed: { inbox.post(.sheets) })
    }

    /// Answers requests from now on.
    func open(port: Int, publicURL: PublicURL?) {
        let gate = StudioGate(secrets: secrets.withLock { $0 }, port: port, publicURL: publicURL)
        hub.send("takes", [TakeModel](), isState: true)
        self.gate.withLock { $0 = gate }
    }

    /// The query of the address of a window; nil: it shows the studio.
    func query(of place: StudioDoor.Place) -> String? {
        switch place {
        case .studio: nil
        case .recording(let path): "recording=\(LibraryFile.id(of: library.give(path)))"
        case .sheet(let id): "sheet=\(id)"
        }
    }

    func makeLink() -> LiveToken { secrets.withLock { $0.makeLink(at: MonotonicClock.now()) } }

    func add(_ notice: TakeNotice) {
        var notice = notice
        notice.time = (Date().timeIntervalSince1970 * 1000).rounded()
        notice.recording = notice.file.map(library.add)
        hub.send("notice", notice)
    }

    func respond(to request: StudioRequest, body: [UInt8]) async -> StudioResponse {
        do {
            guard let gate = gate.withLock({ $0 }) else {
                throw StudioProblem(.serviceUnavailable, "The studio is starting; try again.")
            }
            let match = try gate.judge(request).get()
            if match.route.method == "POST", !StudioJSON.isObject(body) { throw StudioProblem.malformed }
            return try await match.route.respond(
                self, StudioCall(request: request, parameters: match.parameters, body: body))
        } catch let refusal as StudioGate.Refusal {
            return .answer(StudioAnswer(refusal))
        } catch {
            return .answer(StudioAnswer(StudioProblem(error)))
        }
    }
}

extension StudioRoute {
    static let all = page + recording + survey + takes + library + sheets + services

    static let page: [StudioRoute] = [
        .get("", .document) { _, _ in .answer(StudioPage.document) },
        .get("{file}", .page) { _, call in
            guard let file = StudioPage.file(call["file"]) else { throw StudioGate.Refusal.notFound }
            return .answer(file)
        },
        .post("api/session", .page) { studio, call in .answer(try studio.openSession(call)) },
        .get("api/proof/{id}/{challenge}", .page) { studio, call in
            guard let proof = studio.proof.answer(call["challenge"], of: call["id"]) else {
                throw StudioGate.Refusal.notFound
            }
            return .answer(StudioAnswer(type: "application/octet-stream", body: proof))
        },
        .get("api/openapi.json") { _, _ in .answer(StudioPage.description) },
        .get("api/events", .events) { studio, call in
            .events(studio.events(after: call.request.lastEvent ?? call.request.parameter("after")))
        },
    ]
}

extension Studio {
    /// A page's clock differs from this one, so the stream begins with the time here.
    fileprivate func events(after id: String?) -> EventHub.Connection {
        let now = Double(MonotonicClock.now()) / 1e9
        return hub.connect(
            after: id.flatMap { Int($0) }, greeting: EventLog.Event(id: nil, type: "clock", data: "\(now)"))
    }

    fileprivate func openSession(_ call: StudioCall) throws -> StudioAnswer {
        struct Link: Decodable { var token: String? }
        let link: Link = try call.value()
        guard let gate = gate.withLock({ $0 }) else { throw StudioGate.Refusal.noSession }
        guard let token = link.token else {
            // A page that is loaded again has its key. The secret was lost with the worker.
            guard gate.hasSession(call.request), let key = call.request.key else { throw StudioGate.Refusal.noSession }
            return opened(key)
        }
        guard let session = secrets.withLock({ $0.redeem(token, at: MonotonicClock.now()) }) else {
            throw StudioProblem(
                .forbidden, "This link was used already or is too old; open a new window with kinecast studio.")
        }
        inbox.post(.redeemed(token))
        var answer = opened(session.key.description)
        let protection = "Path=/; HttpOnly; SameSite=Strict" + (gate.isEncrypted(call.request) ? "; Secure" : "")
        let others = call.request.cookieNames.filter {
            $0.hasPrefix(StudioSecrets.cookiePrefix) && $0 != gate.cookieName
        }
        // Browsers keep the cookies of servers that have ended, and send them all. A few may be of servers that run, such
        // as one behind a tunnel.
        for name in others.count > Self.mostOtherCookies ? others : [] {
            answer.fields.append((.setCookie, "\(name)=; Max-Age=0; \(protection)"))
        }
        answer.fields.append((.setCookie, "\(gate.cookieName)=\(session.cookie); \(protection)"))
        return answer
    }
    private func opened(_ key: String) -> StudioAnswer {
        let challenger = proof.makeChallenger()
        return StudioAnswer(["key": key, "id": challenger.id.description, "secret": challenger.secret])
    }
}
