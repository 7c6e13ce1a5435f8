// A service with everything that its extension is told: what a picker makes, or an app with forms of its own.
import FoundationEssentials
import KineMedia
import KineServices

/// A service that is ready to be broadcast to.
public struct BroadcastSetup: Sendable, Equatable {
    public let service: BroadcastService
    /// The address at which the broadcast can be watched, from the service's setup. Nil where the extension tells it later, or where there
    /// is none.
    public let broadcastURL: URL?
    /// What the extension is told. Secrets are among it.
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
