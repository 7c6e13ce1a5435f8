// The picker: the app's button presents it, and it returns a controller for the person's choice.
import KineClient
import KineMedia
import KinePlatform
import KineWire
import Synchronization

/// Lets the person choose a service and fill in its fields. A `BroadcastPresenter` shows it; by default a window of the
/// studio, or the terminal of an app that has one.
///
/// Concurrent calls of `present` share one presentation: all callers get the same controller, or the same error. The
/// picker closes when the broadcast has started, or when the person cancels. It can be presented again even if the app
/// drops the controller.
public final class BroadcastPicker: Sendable {
    private typealias Outcome = Result<BroadcastController, BroadcastError>

    private struct Presentation {
        let outcome: Promise<Outcome>
        let task: Task<Void, Never>
        /// Callers that wait for the outcome; with none left, the presentation is closing.
        var callers = 1
        /// Callers that wait for the closing, to begin the next presentation.
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
    /// The environment of this process; a setup program gets part of it.
    private let environment: [String]
    private let contents = Mutex(Contents())

    /// - Parameters:
    ///   - app: the app's identity; nil: `kinecast-app.json` beside its executable, or the executable's name.
    ///   - presenter: shows the picker to the person; nil: a `StudioPresenter` where there is a desktop and no terminal,
    ///     else a `TerminalPresenter`.
    public convenience init(app: AppIdentity? = nil, presenter: (any BroadcastPresenter)? = nil) {
        self.init(app: app, presenter: presenter ?? UsualPresenter(), locator: EngineLocator())
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

    /// The identifier of the only service to show; nil: all services.
    public var preferredService: String? {
        get { contents.withLock { $0.preferredService } }
        set { contents.withLock { $0.preferredService = newValue } }
    }

    /// Whether the person may turn the microphone on and off in the picker.
    public var showsMicrophoneButton: Bool {
        get { contents.withLock { $0.showsMicrophoneButton } }
        set { contents.withLock { $0.showsMicrophoneButton = newValue } }
    }

    /// Whether the microphone is on when the picker opens; afterwards, the person's choice.
    public var isMicrophoneEnabled: Bool {
        get { contents.withLock { $0.isMicrophoneEnabled } }
        set { contents.withLock { $0.isMicrophoneEnabled = newValue } }
    }

    /// The number of callers of the current presentation.
    var callers: Int { contents.withLock { $0.presentation?.callers ?? 0 } }

    /// The number of callers that wait for its end.
    var successors: Int { contents.withLock { $0.presentation?.successors ?? 0 } }

    /// Shows the picker and waits for the choice. Throws `cancelled` if the person or all callers' tasks cancel.
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

    /// Adds a caller; the first one begins the presentation. `isClosing`: wait for its end, then join again.
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

    /// Removes a caller; without callers the presentation is cancelled.
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
        let identity = try await BroadcastError.translating { () async throws(RecordingError) in
            try AppIdentity.checked(app)
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

    private func offer(_ preferred: String?) async throws(BroadcastError) -> [BroadcastService] {
        let services = BroadcastServices(locator: locator)
        if let preferred { return [try await services.service(preferred)] }
        return try await services.list()
    }
}
