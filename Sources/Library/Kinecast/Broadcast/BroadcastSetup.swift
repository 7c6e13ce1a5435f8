// A service with the settings for its extension, made by a picker or by an app with its own forms.
import FoundationEssentials
import KineMedia
import KinePlatform
import KineServices

/// A service with the settings that a broadcast to it needs.
public struct BroadcastSetup: Sendable, Equatable {
    public let service: BroadcastService
    /// The address at which the broadcast can be watched, from the service's setup; nil if unknown, or if the extension
    /// reports it later.
    public let broadcastURL: URL?
    /// The settings for the extension, including secrets.
    package let info: [String: String]

    /// - Parameters:
    ///   - service: one of `BroadcastServices`.
    ///   - values: by field key; an absent or empty field gets its default value.
    ///   - broadcastURL: the address at which the broadcast can be watched, if it is already known.
    public init(
        _ service: BroadcastService, values: [String: String] = [:], broadcastURL: URL? = nil
    ) throws(BroadcastError) {
        do throws(Service.SetupProblem) {
            info = try service.service.setupInfo(from: values.filter { !$0.value.isEmpty })
        } catch {
            throw BroadcastError(error)
        }
        self.service = service
        self.broadcastURL = broadcastURL
    }

    var destination: TakeConfiguration.Destination {
        .init(service: service.id, setupInfo: info, label: service.service.manifest.label(for: info))
    }
}

// Setting up a chosen service with the person.
extension BroadcastService {
    /// Asks the person for the service's settings: through its setup program, or else by showing its fields. Throws
    /// `cancelled` if the person or the task cancels.
    ///
    /// - Parameters:
    ///   - presenter: shows fields and login addresses; nil: as for `BroadcastPicker`.
    ///   - app: the app's identity; nil: `kinecast-app.json` beside its executable, or the executable's name.
    public func setUp(
        with presenter: (any BroadcastPresenter)? = nil, app: AppIdentity? = nil
    ) async throws(BroadcastError) -> BroadcastSetup {
        let identity = try await BroadcastError.translating { () async throws(RecordingError) in
            try AppIdentity.checked(app)
        }
        return try await setUp(
            with: presenter ?? UsualPresenter(), for: identity, limits: SetupLimits(),
            environment: ProcessEnvironment.current)
    }

    /// - Parameter environment: this process's environment; a setup program gets part of it.
    func setUp(
        with presenter: any BroadcastPresenter, for app: AppIdentity, limits: SetupLimits, environment: [String]
    ) async throws(BroadcastError) -> BroadcastSetup {
        if let program = service.setupProgram {
            let run = SetupRun(self, program: program, app: app, limits: limits, environment: environment)
            let outcome = try await run.run(presenter)
            return try BroadcastSetup(self, values: outcome.info, broadcastURL: outcome.broadcastURL)
        }
        guard !fields.isEmpty else { return try BroadcastSetup(self) }
        let form = BroadcastForm(service: self, message: nil, fields: fields)
        return try BroadcastSetup(self, values: try await presenter.fillIn(form))
    }
}
