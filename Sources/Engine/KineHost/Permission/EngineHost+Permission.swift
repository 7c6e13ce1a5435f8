// Asks the person before an app captures. The worker reads and writes their decisions.
import KineMedia
import KinePlatform
import KineTakes
import KineText
import KineWire

/// The kinds that a program may capture, and the open question to the person.
struct TakePermission {
    /// The request that waits for the answer.
    enum Purpose {
        /// The start of the take.
        case beginning
        /// A client turns the microphone on.
        case microphone(Asker)
        /// A client shows a camera.
        case camera(TakeConfiguration.Camera?, Asker)
    }

    struct Inquiry {
        /// As in `PermissionInquiry`.
        let number: Int
        var machine: PermissionStateMachine
        let kinds: Set<PermissionKind>
        let purpose: Purpose
    }

    /// The program that started the take; nil: a person at the command line, who is not asked.
    let subject: PermissionSubject?
    private(set) var inquiry: Inquiry?
    private var allowed: Set<PermissionKind> = []
    /// The kinds that the take captures now or has captured.
    private(set) var captured = CapturedKinds()
    /// The question that the studio's windows show.
    private(set) var shownQuestion: PermissionInquiry?
    /// The number of the last question.
    private var lastQuestion = 0

    /// Throws if the system hides the program.
    init(_ program: AskingProgram, _ app: AppIdentity?) throws(EngineError) {
        switch (program, app) {
        case (.commandLine, nil): subject = nil
        case (.program(let executable), let app):
            let name = executable.split(separator: "/").last.map(String.init) ?? executable
            subject = PermissionSubject(identifier: app?.identifier ?? name, executable: executable)
        case (.commandLine, _?), (.unknown, _): throw .unknownProgram
        }
    }

    func allows(_ kind: PermissionKind) -> Bool { subject == nil || allowed.contains(kind) }

    mutating func begin(capturing kinds: Set<PermissionKind>) { captured = CapturedKinds(kinds) }

    mutating func setCaptured(_ kind: PermissionKind, isOn: Bool) { captured.set(kind, isOn: isOn) }

    mutating func allow(_ kinds: Set<PermissionKind>) { allowed.formUnion(kinds) }

    mutating func open(_ machine: PermissionStateMachine, _ kinds: Set<PermissionKind>, for purpose: Purpose) {
        lastQuestion += 1
        inquiry = Inquiry(number: lastQuestion, machine: machine, kinds: kinds, purpose: purpose)
    }

    /// Returns the open inquiry after the event, and its actions; nil: none is open.
    mutating func handle(
        _ event: PermissionStateMachine.Event, at now: Int64
    ) -> (inquiry: Inquiry, actions: [PermissionStateMachine.Action])? {
        guard var inquiry else { return nil }
        let actions = inquiry.machine.handle(event, at: now)
        self.inquiry = inquiry
        return (inquiry, actions)
    }

    /// The person has answered, or the take ends. Returns the inquiry that was open.
    @discardableResult
    mutating func close() -> Inquiry? { inquiry.take() }

    /// Whether the studio's windows show another question than this one, or none. They show this one from now on.
    mutating func show(_ question: PermissionInquiry?) -> Bool {
        defer { shownQuestion = question }
        return shownQuestion != question
    }
}

extension EngineHost {
    /// As below, for a client of a running take. One question is open at a time.
    func askPermission(_ kinds: Set<PermissionKind>, for purpose: TakePermission.Purpose, _ asker: Asker) {
        guard permission?.inquiry == nil else {
            return asker.refuse(.unavailable, "The person is being asked already; wait for their answer.")
        }
        askPermission(kinds, for: purpose)
    }

    /// Reads the person's earlier decisions, and asks them about the other kinds.
    func askPermission(_ kinds: Set<PermissionKind>, for purpose: TakePermission.Purpose) {
        guard !kinds.isEmpty, let request, let subject = permission?.subject else { return permitted(purpose, kinds) }
        permission?.open(
            PermissionStateMachine(
                hasDesktop: desktop?.isThere == true,
                hasTerminal: request.configuration.asksInTerminal && clients.ownerIsThere,
                hasWindows: clients.areQuestionsShown),
            kinds, for: purpose)
        let inbox = inbox
        worker.perform {
            // A file that cannot be read contains no permission; writing reports its error.
            let known = try? PermissionStore.standard().permissions(of: subject)
            let missing = kinds.filter { known?[$0] == nil }
            inbox.post(
                .permission(
                    .known(
                        declined: kinds.filter { known?[$0] == .declined }, missing: missing,
                        hasStudio: !missing.isEmpty && Self.hasStudio)))
        }
    }

    /// Whether a studio of this user runs. Its server takes a moment to connect with a new engine.
    private static var hasStudio: Bool {
        guard let socket = try? TakeRegistry.standard().studioSocket else { return false }
        return (try? ControlConnection<StudioReply, StudioMessage>(connectingTo: socket)) != nil
    }

    /// Shows the open question in the studio's windows, and notices whether there are any. Cheap: for each round of the
    /// loop.
    func showPermissionQuestion() {
        if let machine = permission?.inquiry?.machine, machine.hasWindows != clients.areQuestionsShown {
            permission(.windows(isOpen: clients.areQuestionsShown))
        }
        let question = openQuestion
        if permission?.show(question) == true { clients.tellQuestion(question) }
    }

    private var openQuestion: PermissionInquiry? {
        guard let inquiry = permission?.inquiry, let kinds = inquiry.machine.openKinds,
            let subject = permission?.subject
        else { return nil }
        return PermissionQuestion(app: request?.configuration.app, subject: subject, kinds: kinds)
            .inquiry(inquiry.number)
    }

    /// Refuses an app that would answer for the person.
    private func isPerson(_ asker: Asker) -> Bool {
        if clients.program(of: asker.client) == .commandLine { return true }
        asker.refuse(
            .notPermitted, "Only the person answers whether an app may record; open a window with kinecast studio.")
        return false
    }

    /// A client has windows in which the person can answer, or has none any more.
    func showPermissionQuestions(_ isOn: Bool, for asker: Asker) {
        guard isPerson(asker) else { return }
        clients.setShowsQuestions(isOn, asker.client, open: permission?.shownQuestion)
        asker.reply()
    }

    /// - Parameter isAllowed: the person's answer in a window; nil: they closed the question.
    func answerPermission(_ question: Int, isAllowed: Bool?, for asker: Asker) {
        guard isPerson(asker) else { return }
        guard let inquiry = permission?.inquiry, inquiry.number == question, inquiry.machine.hasWindows,
            inquiry.machine.openKinds != nil
        else {
            return asker.refuse(
                .unavailable, "This question has ended; to be asked again, start the app's recording again.")
        }
        permission(.answeredInWindow(isAllowed: isAllowed))
        asker.reply()
    }

    func permission(_ event: PermissionStateMachine.Event) {
        guard let (inquiry, actions) = permission?.handle(event, at: MonotonicClock.now()) else { return }
        for action in actions { carryOut(action, of: inquiry) }
    }

    private func carryOut(_ action: PermissionStateMachine.Action, of inquiry: TakePermission.Inquiry) {
        guard let subject = permission?.subject, let request else { return }
        let app = request.configuration.app
        switch action {
        case .askOnDesktop(let kinds):
            desktop?.ask(PermissionQuestion(app: app, subject: subject, kinds: kinds).notification)
        case .withdrawFromDesktop: desktop?.ask(nil)
        case .askInTerminal(let kinds):
            let question = PermissionQuestion(app: app, subject: subject, kinds: kinds)
            clients.tellOwner(.permissionQuestion(question.sentence))
        case .withdrawFromTerminal: clients.tellOwner(.permissionAsked(nil))
        case .keep(let decision, let kinds): keep(decision, kinds, subject, name: app?.name)
        case .allow:
            permission?.close()
            permitted(inquiry.purpose, inquiry.kinds)
        case .refuse(let refusal, let kinds):
            permission?.close()
            refused(inquiry.purpose, .refused(refusal, kinds, subject))
        }
    }

    private func keep(
        _ decision: AppPermissions.Decision, _ kinds: Set<PermissionKind>, _ subject: PermissionSubject, name: String?
    ) {
        let inbox = inbox
        worker.perform {
            do throws(PermissionStore.Error) {
                try PermissionStore.standard().decide(decision, kinds, for: subject, name: name)
            } catch {
                inbox.warn(("The answer could not be kept, so it will be asked for again: \(error)"))
            }
            inbox.post(.permission(.kept))
        }
    }

    private func permitted(_ purpose: TakePermission.Purpose, _ kinds: Set<PermissionKind>) {
        permission?.allow(kinds)
        switch purpose {
        case .beginning: openTake()
        case .microphone(let asker): setMicrophone(isOn: true, for: asker)
        case .camera(let camera, let asker): setAllowedCamera(camera, for: asker)
        }
    }

    private func refused(_ purpose: TakePermission.Purpose, _ error: EngineError) {
        switch purpose {
        case .beginning: openingEnded(error)
        case .microphone(let asker), .camera(_, let asker): asker.refuse(error)
        }
    }

    /// The take ends before the person has answered whether it may begin.
    func abandonPermission() {
        guard var inquiry = permission?.close() else { return }
        for action in inquiry.machine.abandon() { carryOut(action, of: inquiry) }
        if case .beginning = inquiry.purpose { openingEnded(.take(.over(reason: nil))) }
    }

    private func openingEnded(_ error: EngineError) {
        end.recordingEnded(.unrecorded(duration: .zero, frames: 0))
        handle(.openFailed(error.failure))
    }
}

// Limits what connecting programs may have of a take. `EngineHost.answer` checks each request; this file has the parts
// of the check, and ends existing access when the take captures more.
extension EngineHost {
    /// The reason to refuse a program these kinds of another program's take; nil: it may have them. The person is not
    /// asked, because the question would be about a take that already runs.
    ///
    /// - Parameter program: nil is the take's owner, which has what the person allowed it.
    func refusal(of needed: Set<PermissionKind>, for program: AskingProgram?) -> String? {
        guard !needed.isEmpty, let program else { return nil }
        switch program {
        case .commandLine: return nil
        case .unknown: return EngineError.unknownProgram.message
        case .program(let executable):
            if executable == permission?.subject?.executable { return nil }
            let known = ((try? PermissionStore.standard().list()) ?? []).filter { $0.subject.executable == executable }
            let missing = needed.filter { kind in !known.contains { $0[kind] == .granted } }
            return missing.isEmpty ? nil : sentence(missing, executable)
        }
    }

    private func sentence(_ missing: Set<PermissionKind>, _ executable: String) -> String {
        let program = executable.printable(limit: 400).shellWord
        if AskingProgram.isCommandLine(path: executable), let own = AskingProgram.ownCommand {
            return "\(program) belongs to another installation of Kinecast than this take; run "
                + "\(own.printable(limit: 400).shellWord) instead."
        }
        return "\(program) may use \(PermissionKind.words(missing)) of another program's take only where a person "
            + "allows it; run \(PermissionKind.grantCommand(missing, to: executable)) beforehand."
    }

    /// The take starts or stops to capture that kind. Call before the start: programs without permission lose their
    /// samples, frames and destinations.
    func setCaptured(_ kind: PermissionKind, isOn: Bool) {
        permission?.setCaptured(kind, isOn: isOn)
        guard isOn else { return }
        let refusal = { [self] (request: ClientRequest, program: AskingProgram?) in
            self.refusal(of: request.disclosed(of: captured), for: program)
        }
        clientFeeds.end { refusal(.receiveSamples($0), clients.program(of: $1)) }
        for (client, request) in frameReceivers.requests {
            guard let reason = refusal(.receiveFrames(request), clients.program(of: client)) else { continue }
            frameReceivers.remove(client)
            client.tell(.frames(.ended(reason)))
        }
        destinations?.end(at: MonotonicClock.now()) { self.refusal(of: captured.now, for: $0) }
    }
}
