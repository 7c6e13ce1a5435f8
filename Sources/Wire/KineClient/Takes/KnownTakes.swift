// This user's takes that run or whose engine died, and the recovery of their files.
import KineContainers
import KinePlatform
import KineTakes
import KineText
import KineWire
import SystemPackage

public enum KnownTakes {
    /// Nanoseconds for an engine to answer for a list; a slower one is listed without its status.
    private static let statusTimeout: Int64 = 2_000_000_000

    /// The running takes, and those whose engine died.
    public static func list() async throws(ClientError) -> TakeRegistry.Listing {
        try await inRegistry { (registry) throws(TakeRegistry.Error) in registry.list() }
    }

    /// The running takes. Blocks.
    package static func running() throws(ClientError) -> [TakeRecord] {
        do throws(TakeRegistry.Error) {
            return try TakeRegistry.standard().list().running
        } catch {
            throw ClientError(error)
        }
    }

    /// Like `list`, with the status of each running take, nil if its engine does not answer. `typed`: an id or its
    /// beginning, for that one running take. Blocks.
    package static func statuses(
        _ typed: String? = nil
    ) throws(ClientError) -> (running: [(TakeRecord, TakeStatus?)], dead: [TakeRecord]) {
        do throws(TakeRegistry.Error) {
            let registry = try TakeRegistry.standard()
            var listing = TakeRegistry.Listing()
            if let typed { listing.running = [try registry.find(typed)] } else { listing = registry.list() }
            let statuses = AskedTake.statuses(of: listing.running, in: registry, within: statusTimeout)
            return (Array(zip(listing.running, statuses)), listing.dead)
        } catch {
            throw ClientError(error)
        }
    }

    /// Removes a take whose engine died from the list; its file does not change. `typed`: as for
    /// `EngineSession.attach`, but for dead takes.
    public static func dismiss(_ typed: String?) async throws(ClientError) -> TakeRecord {
        try await inRegistry { (registry) throws(TakeRegistry.Error) in try registry.dismiss(typed) }
    }

    /// Recovers a recording whose engine died, in place, and removes its take from the list.
    public static func recover(_ file: String) async throws(ClientError) -> RecoveredFile {
        try await BlockingCall.run("kine-recover") { () throws(ClientError) in
            do throws(MP4Recovery.Error) {
                return try recoverBlocking(file)
            } catch {
                throw .recovery(error)
            }
        }
    }

    /// Like `recover`, but blocks.
    static func recoverBlocking(_ file: String) throws(MP4Recovery.Error) -> RecoveredFile {
        let saved = try MP4Recovery.recover(file)
        // The engine may know the file by another path.
        if let recovered = FilePath(escaped: file).resolved {
            try? TakeRegistry.standard().forget { $0.output.flatMap { FilePath(escaped: $0).resolved } == recovered }
        }
        return saved
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
