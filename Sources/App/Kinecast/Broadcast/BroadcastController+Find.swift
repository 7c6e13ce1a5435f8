// Finds the broadcasts of an app that was restarted.
import KineClient
import KineMedia
import KineWire

extension BroadcastController {
    /// The broadcasts that this app has begun and that still run, the oldest first: those of an earlier run that crashed or was killed, and
    /// those of other processes of the app. Each controller can do all that the first one could, except to start anew.
    ///
    /// - Parameter app: who the app is; nil: as `kinecast-app.json` beside its executable says, or else the executable's name.
    public static func find(app: AppIdentity? = nil) async throws(BroadcastError) -> [BroadcastController] {
        let identity: AppIdentity
        let takes: [TakeRecord]
        do {
            identity = try AppIdentity.checked(app)
            takes = try await KnownTakes.list().running
        } catch let error as RecordingError {
            throw BroadcastError(error)
        } catch let error as ClientError {
            throw BroadcastError(error)
        } catch {
            throw BroadcastError(.failed, "The takes that run cannot be listed (\(error)); try again.")
        }
        var controllers: [BroadcastController] = []
        for take in takes.sorted(by: { $0.started < $1.started })
        where take.app?.identifier == identity.identifier {
            if let controller = await takeUp(take, identity) { controllers.append(controller) }
        }
        return controllers
    }

    /// Nil for a take that ends meanwhile, or that is none of a broadcast.
    private static func takeUp(_ take: TakeRecord, _ app: AppIdentity) async -> BroadcastController? {
        guard let session = try? await EngineSession.follow(take), let status = try? await session.status(),
            status.phase == .recording || status.phase == .paused,
            let destination = status.destinations.first(where: { $0.phase != .ended }) ?? status.destinations.first
        else { return nil }
        return BroadcastController(
            status, session, service: destination.service, app: app, locator: EngineLocator())
    }
}
