// Finds running broadcasts after a restart of their app.
import KineClient
import KineMedia
import KineTakes
import KineWire

extension BroadcastController {
    /// The running broadcasts that this app has started, the oldest first: from an earlier run that crashed or was
    /// killed, and from other processes of the app. A controller found this way cannot start another broadcast.
    ///
    /// - Parameter app: the app's identity; nil: `kinecast-app.json` beside its executable, or the executable's name.
    public static func find(app: AppIdentity? = nil) async throws(BroadcastError) -> [BroadcastController] {
        let (identity, takes) = try await BroadcastError.translating { () async throws(RecordingError) in
            (try AppIdentity.checked(app), try await ScreenRecorder.takes().running)
        }
        var controllers: [BroadcastController] = []
        for take in takes.sorted(by: { $0.started < $1.started })
        where take.app?.identifier == identity.identifier {
            if let controller = await takeUp(take, identity) { controllers.append(controller) }
        }
        return controllers
    }

    /// Reattaches to a running take. Returns nil if the take has ended meanwhile, or is not a broadcast.
    private static func takeUp(_ take: TakeRecord, _ app: AppIdentity) async -> BroadcastController? {
        guard let session = try? await EngineSession.follow(take), let status = try? await session.status(),
            status.phase == .recording || status.phase == .paused,
            let destination = status.destinations.first(where: { $0.phase != .ended }) ?? status.destinations.first
        else { return nil }
        return BroadcastController(
            status, session, service: destination.service, app: app, locator: EngineLocator())
    }
}
