// The picker: an object that the app's own button triggers, and that hands out a controller for what the person has chosen.
import KineClient
import KineMedia
import KinePlatform
import KineWire
import Synchronization

/// Has a person choose a service and fill in its fields. What shows it is a `BroadcastPresenter`; the terminal, if none is given.
///
/// It is presented once however often it is asked at the same time: all callers get the same controller, or the same error. It closes
/// itself when the broadcast has started, or when nothing comes of it; a controller that the app forgets does not keep it from being
/// presented again.
public final class BroadcastPicker: Sendable {
    private typealias Outcome = Result<BroadcastController, BroadcastError>

    private struct Presentation {
        let outcome: Promise<Outcome>
        let task: Task<Void, Never>
        /// Callers that wait for it. Without any it is being closed.
        var callers = 1
        /// Callers that wait until it is closed, to begin the next one.
        var successors = 0
    }

    private struct Contents {
        var preferredService: String?
        var showsMicrophoneButton = true
        var isMicrophoneEnabled = false
        var presentation: Presentation?
    }

    private let app: AppIdentity?
    private let presenter: any BroadcastPresenter
    private let locator: EngineLocator
    private let setupLimits: SetupLimits
    /// This process's own, from which a setup program gets its part.
    private let environment: [String]
    private let contents = Mutex(Contents())

    /// - Parameters:
    ///   - app: who the app is; nil: as `kinecast-app.json` beside its executable says, or else the executable's name.
    ///   - presenter: shows the picker to the person.
    public convenience init(app: AppIdentity? = nil, presenter: any BroadcastPresenter = TerminalPresenter()) {
        self.init(app: app, presenter: presenter, locator: EngineLocator())
    }

    init(
        app: AppIdentity?, presenter: any BroadcastPresenter, locator: EngineLocator,
        setupLimits: SetupLimits = SetupLimits(), environment: [String] = ProcessEnvironment.current
    ) {
        self.environment = environment
        self.setupLimits = setupLimits
        self.app = app
        self.presenter = presenter
        self.locator = locator
    }

    /// The identifier of the only service to show; nil: all of them.
    public var preferredService: String? {
        get { contents.withLock { $0.preferredService } }
        set { contents.withLock { $0.preferredService = newValue } }
    }

    /// Whether the person may turn the microphone on and off in the picker.
    public var showsMicrophoneButton: Bool {
        get { contents.withLock { $0.showsMicrophoneButton } }
        set { contents.withLock { $0.showsMicrophoneButton = newValue } }
    }

    /// Whether the microphone is on when the picker opens; afterwards, what the person has chosen.
    public var isMicrophoneEnabled: Bool {
        get { contents.withLock { $0.isMicrophoneEnabled } }
        set { contents.withLock { $0.isMicrophoneEnabled = newValue } }
    }

    /// Those that wait for the present presentation.
    var callers: Int { contents.withLock { $0.presentation?.callers ?? 0 } }

    /// Those that wait for its end.
    var successors: Int { contents.withLock { $0.presentation?.successors ?? 0 } }

    /// Shows the picker and waits for the person. Throws `cancelled` where they, or the tasks of all callers, have cancelled.
    public func present() async throws(BroadcastError) -> BroadcastController {
        while true {
            let (outcome, isClosing) = join()
            let result = await outcome.value()
            guard let result else {
                if !isClosing { leave(outcome) }
                throw .cancelled
            }
            if !isClosing { return try result.get() }
        }
    }

    /// One caller more for the presentation, which begins with the first one. `isClosing`: another is to be begun once this one has closed.
    private func join() -> (Promise<Outcome>, isClosing: Bool) {
        contents.withLock { contents in
            guard let presentation = contents.presentation else {
                let presentation = begin(contents)
                contents.presentation = presentation
                return (presentation.outcome, false)
            }
            guard presentation.callers > 0 else {
                contents.presentation?.successors += 1
                return (presentation.outcome, true)
            }
            contents.presentation?.callers += 1
            return (presentation.outcome, false)
        }
    }

    /// A caller waits no longer; the last one takes the presentation with it.
    private func leave(_ outcome: Promise<Outcome>) {
        contents.withLock { contents in
            guard let presentation = contents.presentation, presentation.outcome === outcome else { return }
            contents.presentation?.callers -= 1
            if presentation.callers == 1 { presentation.task.cancel() }
        }
    }

    private func begin(_ contents: Contents) -> Presentation {
        let outcome = Promise<Outcome>()
        let task = Task { [self] in
            let result: Outcome
            do throws(BroadcastError) {
                result = .success(try await choose(contents))
            } catch {
                await presenter.close()
                result = .failure(error)
            }
            self.contents.withLock { $0.presentation = nil }
            outcome.fulfil(result)
        }
        return Presentation(outcome: outcome, task: task)
    }

    private func choose(_ contents: Contents) async throws(BroadcastError) -> BroadcastController {
        let identity: AppIdentity
        do throws(RecordingError) {
            identity = try AppIdentity.checked(app)
        } catch {
            throw BroadcastError(error)
        }
        let services = try await offer(contents.preferredService)
        let choice = try await presenter.chooseService(
            BroadcastRequest(
                app: identity, services: services, showsMicrophoneButton: contents.showsMicrophoneButton,
                isMicrophoneEnabled: contents.isMicrophoneEnabled))
        guard let service = services.first(where: { $0.id == choice.service }) else {
            throw .unknownService(choice.service, installed: services)
        }
        if contents.showsMicrophoneButton { isMicrophoneEnabled = choice.isMicrophoneEnabled }
        let setup = try await service.setUp(
            with: presenter, for: identity, limits: setupLimits, environment: environment)
        if Task.isCancelled { throw .cancelled }
        let controller = BroadcastController(setup, app: identity, presenter: presenter, locator: locator)
        controller.isMicrophoneEnabled = isMicrophoneEnabled
        return controller
    }

    /// The services to show.
    private func offer(_ preferred: String?) async throws(BroadcastError) -> [BroadcastService] {
        let services = BroadcastServices(locator: locator)
        if let preferred { return [try await services.service(preferred)] }
        return try await services.list()
    }
}
