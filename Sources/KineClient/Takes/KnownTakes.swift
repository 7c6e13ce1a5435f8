// The takes of this user, for a client: those that run, those whose engine died, and the recovery of their files.
import KineContainers
import KineControl
import KinePlatform
import SystemPackage

public enum KnownTakes {
    /// An engine that is busy answers later than this, and is shown without its status.
    public static let statusPatience = Duration.seconds(2)

    /// The takes that run, and those whose engine died. `typed`: only the one that runs and is meant by it.
    public static func list(_ typed: String? = nil) async throws(ClientError) -> TakeRegistry.Listing {
        try await inRegistry { (registry) throws(TakeRegistry.Error) in
            guard let typed else { return registry.list() }
            return TakeRegistry.Listing(running: [try registry.find(typed)], dead: [])
        }
    }

    /// Nil where the engine does not answer.
    public static func status(of take: TakeRecord) async -> TakeStatus? {
        try? await EngineSession.attach(to: take).status(within: statusPatience)
    }

    /// Takes a take whose engine died off the list; its file stays as it is. `typed`: as for `EngineSession.attach`, among
    /// those that died.
    public static func dismiss(_ typed: String?) async throws(ClientError) -> TakeRecord {
        try await inRegistry { (registry) throws(TakeRegistry.Error) in try registry.dismiss(typed) }
    }

    /// Makes an ordinary file of a recording whose engine died, in place, and takes its take off the list.
    public static func recover(_ file: String) async throws(ClientError) -> RecoveredFile {
        try await BlockingCall.run("kine-recover") { () throws(ClientError) in
            let saved: RecoveredFile
            do throws(MP4Recovery.Error) {
                saved = try MP4Recovery.recover(file)
            } catch {
                throw .recovery(error)
            }
            // The engine may have been given another path to the file.
            if let recovered = FilePath(file).resolved {
                try? TakeRegistry.standard().forget { $0.output.flatMap { FilePath($0).resolved } == recovered }
            }
            return saved
        }
    }

    private static func inRegistry<Value: Sendable>(
        _ body: @escaping @Sendable (TakeRegistry) throws(TakeRegistry.Error) -> Value
    ) async throws(ClientError) -> Value {
        try await BlockingCall.run("kine-registry") { () throws(ClientError) in
            do throws(TakeRegistry.Error) {
                return try body(TakeRegistry.standard())
            } catch {
                throw ClientError(error)
            }
        }
    }
}

extension ClientError {
    init(_ error: TakeRegistry.Error) {
        if case .control(let control) = error { self.init(control) } else { self = .registry(error) }
    }
}
