// Asks the person in a window of the studio.
import FoundationEssentials
import KineMedia
import KineServices
import KineWire
import Synchronization

/// The picker of an app on a desktop, and the preview of its recordings: a window of the studio, in the person's browser.
/// The person's values are checked while they are typed, and secrets are masked. Where no studio runs, its server is
/// started; it ends by itself.
public final class StudioPresenter: BroadcastPresenter {
    private struct Contents {
        var conversation: StudioConversation?
        /// The app of the last `chooseService`.
        var app: AppIdentity?
    }

    let desktop: StudioDesktop
    private let contents = Mutex(Contents())

    public convenience init() { self.init(StudioDesktop()) }

    init(_ desktop: StudioDesktop) { self.desktop = desktop }

    deinit { close() }

    public func chooseService(_ request: BroadcastRequest) async throws(BroadcastError) -> BroadcastChoice {
        close()
        contents.withLock { $0.app = request.app }
        return try request.choice(in: try await ask(SheetPrompt(request)))
    }

    public func fillIn(_ form: BroadcastForm) async throws(BroadcastError) -> [String: String] {
        try form.values(in: try await ask(SheetPrompt(form)))
    }

    public func showLogin(
        _ address: URL, for service: BroadcastService, cancel: @escaping @Sendable () -> Void
    ) async {
        guard let conversation = try? await conversation() else { return cancel() }
        conversation.show(.login(service: service.name, address: address.absoluteString), cancel: cancel)
    }

    public func hideLogin() { contents.withLock { $0.conversation }?.show(.waiting) }

    public func showCountdown(_ secondsLeft: Int, cancel: @escaping @Sendable () -> Void) async {
        let conversation = contents.withLock { $0.conversation }
        switch conversation?.end {
        case nil: conversation?.show(.countdown(secondsLeft), cancel: cancel)
        // The person has closed the window since their last answer.
        case .answer: cancel()
        // Without a server nothing can be shown, and the person has not cancelled.
        case .failed: break
        }
    }

    public func close() {
        let conversation = contents.withLock { contents in
            defer { contents.conversation = nil }
            return contents.conversation
        }
        conversation?.close()
    }

    // MARK: The conversation

    /// Shows a question, and waits for its answer.
    private func ask(_ prompt: SheetPrompt) async throws(BroadcastError) -> SheetAnswer {
        let conversation = try await conversation()
        guard let reply = await conversation.ask(prompt) else {
            close()
            throw .cancelled
        }
        switch reply {
        case .answer(let answer): return try answer.checked()
        case .failed(let sentence): throw BroadcastError(.noPresenter, sentence)
        }
    }

    /// The running conversation, or a new one with its own window.
    private func conversation() async throws(BroadcastError) -> StudioConversation {
        let (present, app) = contents.withLock { ($0.conversation, $0.app) }
        if let present, present.end == nil { return present }
        let identity = try await BroadcastError.translating { () async throws(RecordingError) in
            try AppIdentity.checked(app)
        }
        let conversation = try await StudioConversation.begin(SheetApp(identity), on: desktop)
        if Task.isCancelled {
            conversation.close()
            throw .cancelled
        }
        contents.withLock { $0.conversation = conversation }
        return conversation
    }

    static let notShown = BroadcastError(
        .noPresenter,
        "No browser has opened the studio's window within a minute; check that one starts on this desktop.")
    static let misunderstood = BroadcastError(
        .noPresenter, "The studio sent an unexpected answer; install the same version of all of Kinecast.")
}

// The picker's questions as contents of a sheet, for apps and for the studio itself.
extension SheetPrompt {
    package init(_ request: BroadcastRequest) {
        let services = request.services.map { service in
            SheetService(
                id: service.id, name: service.name, rights: service.service.rights.map { SheetRight($0) },
                needsNothing: service.needsNothing ? true : nil)
        }
        let microphone = request.showsMicrophoneButton ? request.isMicrophoneEnabled : nil
        self = .choice(services, isMicrophoneEnabled: microphone)
    }

    package init(_ form: BroadcastForm) {
        let fields = form.fields.map { SetupQuestionField($0) }
        self = .form(SheetForm(service: form.service.name, message: form.message, fields: fields))
    }
}

extension SheetAnswer {
    /// Throws if the person does not answer.
    package func checked() throws(BroadcastError) -> SheetAnswer {
        switch self {
        case .cancelled: throw .cancelled(by: "the person")
        case .windowClosed: throw .cancelled(by: "the person, who closed its window")
        case .notShown: throw StudioPresenter.notShown
        case .service, .values, .finished: return self
        }
    }
}

extension BroadcastRequest {
    package func choice(in answer: SheetAnswer) throws(BroadcastError) -> BroadcastChoice {
        guard case .service(let id, let isEnabled) = answer else { throw StudioPresenter.misunderstood }
        return BroadcastChoice(
            service: id, isMicrophoneEnabled: showsMicrophoneButton ? isEnabled : isMicrophoneEnabled)
    }
}

extension BroadcastForm {
    package func values(in answer: SheetAnswer) throws(BroadcastError) -> [String: String] {
        guard case .values(let values) = answer else { throw StudioPresenter.misunderstood }
        return values
    }
}

extension SheetApp {
    init(_ app: AppIdentity) { self.init(identifier: app.identifier, name: app.name ?? app.identifier) }
}
