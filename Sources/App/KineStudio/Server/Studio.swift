// Answers the requests of pages and programs.
import FoundationEssentials
import HTTPTypes
import KineClient
import KineConfiguration
import KineLive
import KineMedia
import KinePlatform
import KineWire
import Synchronization

/// Any thread may call.
final class Studio: Sendable {
    let hub: EventHub
    /// The content of the event `starting`.
    private struct Starting: Encodable {
        var isStarting: Bool
        /// Seconds before the take; absent: as configured.
        var countdown: Int?
    }

    private static let mostOtherCookies = 16

    private let inbox: Mailbox<StudioLoop.Message>
    private let secrets = Mutex(StudioSecrets())
    private let gate: Mutex<StudioGate?>
    private let takes = Mutex<[TakeModel]>([])
    /// Whether a recording was asked for whose take is not there yet.
    private let isStarting = Mutex(false)
    private let survey = Mutex(SurveyState())
    private let choices: KeptChoice
    let previews: Previews
    let library: Library
    let jobs: Jobs
    let sheets: Sheets
    let settings: ServiceSettings

    /// - Parameters:
    ///   - inbox: of the loop, which starts programs and counts pages.
    ///   - choices: the file of the last choice.
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
            give: { library.give($0) }, cancelJob: { _ = jobs.cancel($0) }, changed: { inbox.post(.sheets) })
        gate = Mutex(nil)
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

    /// Replaces the takes that pages show.
    func show(_ takes: [TakeModel]) {
        let isNew = self.takes.withLock { shown in
            defer { shown = takes }
            return shown != takes
        }
        guard isNew else { return }
        previews.show(takes)
        if library.setWritten(takes.compactMap(\.file)) { showRecordings() }
        hub.send("takes", takes, isState: true)
    }

    /// Shows the levels of the audio that a page has chosen.
    func show(_ levels: SurveyLevels) { hub.send("levels", levels, isState: true) }

    /// Shows the camera that a page has chosen.
    func show(_ camera: SurveyCamera) { hub.send("camera", survey.withLock { $0.update(camera) }, isState: true) }

    /// Shows the large picture of a monitor that a page has requested.
    func show(still picture: SurveyPicture) {
        if let still = survey.withLock({ $0.update(still: picture) }) { hub.send("still", still, isState: true) }
    }

    /// Shows the statistics of all takes that have some.
    func show(_ statistics: [TakeStatistics]) { hub.send("statistics", statistics, isState: true) }

    /// The recording that was asked for has begun, or has failed.
    func endStart() {
        isStarting.withLock { $0 = false }
        hub.send("starting", Starting(isStarting: false), isState: true)
    }

    func show(_ space: DiskSpace) { hub.send("disk", space, isState: true) }

    func add(_ notice: TakeNotice) {
        var notice = notice
        notice.time = (Date().timeIntervalSince1970 * 1000).rounded()
        notice.recording = notice.file.map(library.add)
        hub.send("notice", notice)
    }

    func respond(to request: StudioRequest, body: [UInt8]) async -> StudioResponse {
        guard let gate = gate.withLock({ $0 }) else {
            return .answer(StudioAnswer(.serviceUnavailable, message: "The studio is starting; try again."))
        }
        switch gate.judge(request) {
        case .failure(let refusal): return .answer(StudioAnswer(refusal))
        case .success(let match):
            if match.route.operation == .events { return .events(events(after: request.lastEvent)) }
            if match.route.operation == .openSession { return .answer(openSession(request, body, gate)) }
            if match.route.operation == .samples { return await samples(of: match.parameters["take"] ?? "") }
            if case .library(let operation) = match.route.operation {
                return await respond(operation, match.parameters, body, range: request.range)
            }
            if match.route.operation == .sheetEvents { return sheetEvents(match.parameters["sheet"] ?? "") }
            if case .sheetTask(let operation) = match.route.operation {
                return .answer(await begin(operation, of: match.parameters["sheet"] ?? "", body))
            }
            return .answer(await answer(match, body))
        }
    }

    /// A page's clock differs from this one, so the stream begins with the time here.
    private func events(after id: String?) -> EventHub.Connection {
        let now = Double(MonotonicClock.now()) / 1e9
        return hub.connect(
            after: id.flatMap { Int($0) }, greeting: EventLog.Event(id: nil, type: "clock", data: "\(now)"))
    }

    private func samples(of take: String) async -> StudioResponse {
        guard takes.withLock({ $0.contains { $0.id == take && $0.isOpen } }) else {
            return .answer(.takeIsOver)
        }
        do throws(ClientError) { return .samples(try await previews.stream(of: take)) } catch {
            return .answer(StudioAnswer(error))
        }
    }

    private func answer(_ match: StudioRoute.Match, _ body: [UInt8]) async -> StudioAnswer {
        switch match.route.operation {
        case .document: StudioPage.document
        case .file: match.parameters["file"].flatMap(StudioPage.file) ?? StudioAnswer(StudioGate.Refusal.notFound)
        case .description: StudioPage.description
        // `respond` answers these.
        case .openSession, .events, .samples, .library, .sheetEvents, .sheetTask: StudioAnswer.done
        case .takes: StudioAnswer(takes.withLock { $0 })
        case .sources: await sources()
        case .record: record(body)
        case .cancelStart: StudioJSON.isObject(body) ? cancelStart() : .malformed
        case .choice: StudioAnswer(body: choices.kept ?? Array("{}".utf8))
        case .survey: StudioJSON.decode(SurveyChoice.self, body).map { ask(.survey($0)) } ?? .malformed
        case .still: StudioJSON.decode(StillChoice.self, body).map { ask(.still(monitor: $0.monitor)) } ?? .malformed
        case .statistics: StudioJSON.isObject(body) ? ask(.measure) : .malformed
        case .removeDestination:
            StudioJSON.isObject(body) ? await removeDestination(match.parameters) : .malformed
        case .profiles: profiles(after: {})
        case .keepProfile: keepProfile(body)
        case .removeProfile:
            StudioJSON.isObject(body) ? removeProfile(match.parameters["profile"] ?? "") : .malformed
        case .picture: picture(match.parameters["picture"] ?? "")
        case .destinations: StudioAnswer(DestinationName.known)
        case .services: services()
        case .service(let operation): answer(operation, match.parameters["service"] ?? "", body)
        case .checkSheet: checkSheet(match.parameters["sheet"] ?? "", body)
        case .answerSheet: answerSheet(match.parameters["sheet"] ?? "", body)
        case .cancelSheet: StudioJSON.isObject(body) ? cancelSheet(match.parameters["sheet"] ?? "") : .malformed
        case .command(let command): run(command, match.parameters["take"] ?? "", body)
        case .control(let control): await control.answer(match.parameters["take"] ?? "", body) { add($0) }
        }
    }

    private func openSession(_ request: StudioRequest, _ body: [UInt8], _ gate: StudioGate) -> StudioAnswer {
        struct Link: Decodable { var token: String }
        guard let link = StudioJSON.decode(Link.self, body) else { return .malformed }
        guard let session = secrets.withLock({ $0.redeem(link.token, at: MonotonicClock.now()) }) else {
            return StudioAnswer(
                .forbidden, message: "This link was used already or is too old; open a new window with kinecast studio."
            )
        }
        inbox.post(.redeemed(link.token))
        var answer = StudioAnswer(["key": session.key.description])
        let protection = "Path=/; HttpOnly; SameSite=Strict" + (gate.isEncrypted(request) ? "; Secure" : "")
        let others = request.cookieNames.filter { $0.hasPrefix(StudioSecrets.cookiePrefix) && $0 != gate.cookieName }
        // Browsers keep the cookies of servers that have ended, and send them all. A few may be of servers that run, such
        // as one behind a tunnel.
        for name in others.count > Self.mostOtherCookies ? others : [] {
            answer.fields.append((.setCookie, "\(name)=; Max-Age=0; \(protection)"))
        }
        answer.fields.append((.setCookie, "\(gate.cookieName)=\(session.cookie); \(protection)"))
        return answer
    }

    private func sources() async -> StudioAnswer {
        do throws(ClientError) { return StudioAnswer(try await EngineReport.sources()) } catch {
            return StudioAnswer(error)
        }
    }

    /// The pictures, or the statistics, come as events, for as long as `StudioLoop.lookLifetime`.
    private func ask(_ message: StudioLoop.Message) -> StudioAnswer {
        inbox.post(message)
        return .done
    }

    private func removeDestination(_ parameters: [String: String]) async -> StudioAnswer {
        guard let number = parameters["number"].flatMap({ Int($0) }), number >= 0 else {
            return StudioAnswer(StudioGate.Refusal.notFound)
        }
        do throws(ClientError) {
            let session = try await EngineSession.attach(to: parameters["take"])
            _ = try await session.removeDestination(number)
            return .done
        } catch {
            return StudioAnswer(error)
        }
    }

    private func picture(_ number: String) -> StudioAnswer {
        let found = survey.withLock { survey -> (jpeg: [UInt8]?, isKnown: Bool) in
            guard let number = Int(number) else { return (nil, false) }
            return (survey.picture(number), number > 0 && number <= survey.lastPicture)
        }
        if let jpeg = found.jpeg { return StudioAnswer(type: "image/jpeg", body: jpeg) }
        // A newer one took its place while the page was asking. A browser would report an error for 404.
        return found.isKnown ? StudioAnswer(status: .noContent, body: []) : StudioAnswer(StudioGate.Refusal.notFound)
    }

    /// Shows whether the screen is locked, as the survey says.
    func show(isLocked: Bool) {
        guard survey.withLock({ $0.isLocked }) != isLocked else { return }
        update { $0.isLocked = isLocked }
        hub.send("locked", isLocked, isState: true)
    }

    /// Shows what can be chosen after a change.
    func update(_ change: (inout SurveyState) -> Void) {
        let choices = survey.withLock { survey in
            change(&survey)
            return survey.choices
        }
        hub.send("choices", choices, isState: true)
    }

    /// A command that fails says so by an event.
    private func run(_ command: TakeCommand, _ take: String, _ body: [UInt8]) -> StudioAnswer {
        guard takes.withLock({ $0.contains { $0.id == take && $0.isOpen } }) else { return .takeIsOver }
        guard let arguments = command.arguments(take, body) else { return .malformed }
        inbox.post(.run(arguments))
        return .accepted
    }

    /// The program that records says by an event whether it began.
    private func record(_ body: [UInt8]) -> StudioAnswer {
        guard let choice = StudioJSON.decode(RecordingChoice.self, body), choice.isValid else { return .malformed }
        // A key of the desktop ends the take that was begun here, and so would this request.
        if takes.withLock({ $0.contains(where: \.isOpen) }) {
            return StudioAnswer(.conflict, message: "A take runs already; end it first.")
        }
        let file = choice.isRecordedBeside ? UserDirectories.newRecording() : nil
        if choice.isRecordedBeside, file == nil { return .noVideos }
        guard let arguments = choice.arguments(recordingTo: file?.escaped) else { return .malformed }
        let files: TakeSettings
        do { files = try TakeSettings(of: choice.destinations ?? [], body, settings) } catch {
            return StudioAnswer(.badRequest, message: (error as? TakeSettings.Problem)?.sentence ?? "\(error)")
        }
        let isFirst = isStarting.withLock { isStarting in
            defer { isStarting = true }
            return !isStarting
        }
        guard isFirst else {
            files.remove()
            return StudioAnswer(.conflict, message: "A recording is being started; wait for it.")
        }
        hub.send("starting", Starting(isStarting: true, countdown: choice.countdown), isState: true)
        choices.keep(StudioJSON.encode(choice))
        inbox.post(.record(arguments + files.arguments, variables: choice.variables, settings: files))
        return .accepted
    }

    private func cancelStart() -> StudioAnswer {
        guard isStarting.withLock({ $0 }) else {
            return StudioAnswer(.conflict, message: "No recording is being started.")
        }
        inbox.post(.cancel)
        return .done
    }
}

// Choices with names.
extension Studio {
    /// The answer after a change of kinecast.conf.
    private func profiles(after change: () throws -> Void) -> StudioAnswer {
        do {
            try change()
            return StudioAnswer(try RecordingProfiles(ConfigurationLayers.current()))
        } catch let failure as CommandFailure {
            return StudioAnswer(.conflict, message: failure.message)
        } catch {
            // The errors of SettingsFile are sentences.
            return StudioAnswer(.conflict, message: "\(error)")
        }
    }

    private func keepProfile(_ body: [UInt8]) -> StudioAnswer {
        struct Named: Decodable {
            var name: String
            var choice: RecordingChoice
        }
        guard let named = StudioJSON.decode(Named.self, body), named.choice.isValid else { return .malformed }
        guard RecordingChoice.isProfile(named.name) else {
            return StudioAnswer(
                .badRequest,
                message:
                    "A name has at most \(RecordingChoice.longestProfile) letters from A to Z, digits, -, _ and ., "
                    + "without blanks; write another one.")
        }
        return profiles { try ConfigurationLayers.update { try $0.keeping(named.choice, as: named.name) } }
    }

    private func removeProfile(_ name: String) -> StudioAnswer {
        guard RecordingChoice.isProfile(name) else { return StudioAnswer(StudioGate.Refusal.notFound) }
        return profiles { try ConfigurationLayers.update { try $0.removing(name) } }
    }
}

extension StudioAnswer {
    static let accepted = StudioAnswer(status: .accepted, body: done.body)
    static let noVideos = StudioAnswer(
        .conflict, message: "There is no directory for videos that you can write to; make ~/Videos.")
    static let takeIsOver = StudioAnswer(.notFound, message: "This take does not run any more.")
    static let malformed = StudioAnswer(
        .badRequest, message: "The request lacks a value, or has one of another kind; see openapi.json.")
}

extension TakeModel {
    var isOpen: Bool { [TakePhase.starting, .recording, .paused].contains { $0.rawValue == phase } }
}
