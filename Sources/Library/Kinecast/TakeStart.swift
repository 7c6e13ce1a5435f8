// Common to recordings, captures and broadcasts: starts a take with the app's identity and settings, and ends a take
// that failed to begin.
import FoundationEssentials
import KineClient
import KineMedia
import KinePlatform
import KineText
import KineWire
import SystemPackage

struct TakeStart: Sendable {
    /// Nil: the identity of this process.
    var app: AppIdentity?
    var locator: EngineLocator
    var settings: ScreenRecorder.Settings

    /// Starts an engine and requests a take.
    ///
    /// - Parameter configure: completes the request; returns the output file.
    func session(
        _ configure: (AppIdentity, inout TakeConfiguration) throws(RecordingError) -> URL?
    ) async throws(RecordingError) -> (session: EngineSession, file: URL?) {
        let app = try AppIdentity.checked(app)
        var configuration = TakeConfiguration(source: try await settings.capture.scope.source(locator), output: nil)
        configuration.app = app
        configuration.isOutputPrivate = true
        settings.capture.apply(to: &configuration.video)
        configuration.video.camera = settings.camera
        configuration.whenLocked = settings.capture.keepsRunningWhenLocked ? .keepRunning : .pause
        configuration.audio.microphone = .defaultDevice
        configuration.audio.isMicrophoneOff = !settings.isMicrophoneEnabled
        configuration.audio.isMicrophoneOptional = true
        let file = try configure(app, &configuration)
        do throws(ClientError) {
            return (try await EngineSession.start(configuration, locator: locator), file)
        } catch {
            throw RecordingError(error)
        }
    }
}

extension EngineSession {
    /// Ends a take that failed to begin, even if the task is cancelled, and waits until its file is complete. Nil if
    /// the engine does not report the outcome.
    func giveUp() async -> TakeOutcome? {
        defer { close() }
        return await Task { try? await stop(immediately: true) }.value
    }
}

extension AppIdentity {
    /// The identity in `kinecast-app.json` beside this process's executable, or else the executable's name.
    static func ofThisProcess(executable: String? = ExecutableSearch.own) throws(RecordingError) -> AppIdentity {
        guard let executable else {
            throw RecordingError(.unavailable, "/proc is not there; give the recorder the app's identity.")
        }
        do throws(FileProblem) {
            return try of(executable: FilePath(escaped: executable))
        } catch {
            throw RecordingError(.unavailable, error.description)
        }
    }

    /// Checks an identity given in code, which becomes part of a path. Nil: the identity of this process.
    static func checked(_ given: AppIdentity?) throws(RecordingError) -> AppIdentity {
        guard let given else { return try ofThisProcess() }
        guard given.identifier.isServiceID else {
            throw RecordingError(
                .unavailable,
                "The app's identifier “\(given.identifier.printable(limit: 100))” \(String.serviceIDRule).")
        }
        return given
    }
}
