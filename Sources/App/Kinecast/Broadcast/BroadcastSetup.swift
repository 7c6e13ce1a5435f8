// A service with the settings for its extension. A picker makes it, or an app with forms of its own.
import FoundationEssentials
import KineClient
import KineMedia
import KinePlatform
import KineServices

/// A service that is ready to be broadcast to.
public struct BroadcastSetup: Sendable, Equatable {
    public let service: BroadcastService
    /// The address at which the broadcast can be watched, from the service's setup. Nil where the extension tells it later, or where there
    /// is none.
    public let broadcastURL: URL?
    /// The settings for the extension. Secrets are among them.
    package let info: [String: String]

    /// - Parameters:
    ///   - service: of `BroadcastServices`.
    ///   - values: by the keys of the service's fields; a field that is absent or empty gets its default value.
    ///   - broadcastURL: where the broadcast can be watched, if that is known already.
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

// Has a person set a service up, once it is chosen.
extension BroadcastService {
    /// Asks a person for what the service needs: the service's setup program asks, or else its fields are shown. Throws `cancelled` where
    /// the person or the task has cancelled.
    ///
    /// - Parameters:
    ///   - presenter: shows fields and login addresses.
    ///   - app: who the app is; nil: as `kinecast-app.json` beside its executable says, or else the executable's name.
    public func setUp(
        with presenter: any BroadcastPresenter = TerminalPresenter(), app: AppIdentity? = nil
    ) async throws(BroadcastError) -> BroadcastSetup {
        let identity: AppIdentity
        do throws(RecordingError) {
            identity = try AppIdentity.checked(app)
        } catch {
            throw BroadcastError(error)
        }
        return try await setUp(
            with: presenter, for: identity, limits: SetupLimits(), environment: ProcessEnvironment.current)
    }

    /// - Parameter environment: this process's own, from which a setup program gets its part.
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
