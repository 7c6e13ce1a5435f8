// Has the person asked before an app captures anything. The decisions are read and written by the worker.
import KineMedia
import KinePlatform
import KineWire

/// Whether somebody may capture, and the question that is open.
struct TakePermission {
    /// What is waiting for the answer.
    enum Purpose {
        /// The take's beginning.
        case beginning
        /// A client that turns the microphone on.
        case microphone(Asker)
        /// A client that shows a camera.
        case camera(TakeConfiguration.Camera?, Asker)
    }

    struct Inquiry {
        var machine: PermissionStateMachine
        let kinds: Set<PermissionKind>
        let purpose: Purpose
    }

    /// The program that started the take; nil: a person at the command line, who is not asked.
    let subject: PermissionSubject?
    var inquiry: Inquiry?
    var allowed: Set<PermissionKind> = []

    /// Throws where the system hides the program.
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
}

extension EngineHost {
    /// Does the same for a client while the take runs; one question is open at a time.
    func askPermission(_ kinds: Set<PermissionKind>, for purpose: TakePermission.Purpose, _ asker: Asker) {
        guard permission?.inquiry == nil else {
            return asker.refuse(.unavailable, "The person is being asked already; wait for their answer.")
        }
        askPermission(kinds, for: purpose)
    }

    /// Looks up what was decided, and has the person asked for the rest.
    func askPermission(_ kinds: Set<PermissionKind>, for purpose: TakePermission.Purpose) {
        guard !kinds.isEmpty, let request, let subject = permission?.subject else { return permitted(purpose, kinds) }
        permission?.inquiry = TakePermission.Inquiry(
            machine: PermissionStateMachine(
                hasDesktop: desktop?.isThere == true,
                hasTerminal: request.configuration.asksInTerminal && clients.ownerIsThere),
            kinds: kinds, purpose: purpose)
        let inbox = inbox
        worker.perform {
            // A file that cannot be read holds no permission; writing tells its fault.
            let known = try? PermissionStore.standard().permissions(of: subject)
            inbox.post(
                .permission(
                    .known(
                        declined: kinds.filter { known?[$0] == .declined }, missing: kinds.filter { known?[$0] == nil })
                ))
        }
    }

    func permission(_ event: PermissionStateMachine.Event) {
        guard var inquiry = permission?.inquiry else { return }
        let actions = inquiry.machine.handle(event, at: MonotonicClock.now())
        permission?.inquiry = inquiry
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
            clients.owner.tell(.permissionQuestion(question.sentence))
        case .keep(let decision, let kinds): keep(decision, kinds, subject, name: app?.name)
        case .allow:
            permission?.inquiry = nil
            permitted(inquiry.purpose, inquiry.kinds)
        case .refuse(let refusal, let kinds):
            permission?.inquiry = nil
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
        permission?.allowed.formUnion(kinds)
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

    /// The take ends while the person is asked whether it may begin.
    func abandonPermission() {
        guard var inquiry = permission?.inquiry else { return }
        permission?.inquiry = nil
        for action in inquiry.machine.abandon() { carryOut(action, of: inquiry) }
        if case .beginning = inquiry.purpose { openingEnded(.take(.over(reason: nil))) }
    }

    private func openingEnded(_ error: EngineError) {
        ending = .unrecorded(duration: .zero, frames: 0)
        handle(.openFailed(error.failure))
    }
}
