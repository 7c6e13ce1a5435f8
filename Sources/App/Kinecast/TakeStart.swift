// What recordings, captures and broadcasts have in common: a take in the app's name, of what the app has chosen to show; and its end
// where it does not begin.
import FoundationEssentials
import KineClient
import KineMedia
import KinePlatform
import KineWire
import SystemPackage

struct TakeStart: Sendable {
    /// Nil: as `kinecast-app.json` says.
    var app: AppIdentity?
    var locator: EngineLocator
    var settings: ScreenRecorder.Settings

    /// Starts an engine and asks it for a take.
    ///
    /// - Parameter configure: completes what the engine is asked for; returns the file that it writes.
    func session(
        _ configure: (AppIdentity, inout TakeConfiguration) throws(RecordingError) -> URL?
    ) async throws(RecordingError) -> (session: EngineSession, file: URL?) {
        let app = try AppIdentity.checked(app)
        var configuration = TakeConfiguration(source: try await settings.capture.scope.source(locator), output: nil)
        configuration.app = app
        configuration.isOutputPrivate = true
        configuration.video.framesPerSecond = settings.capture.framesPerSecond
        configuration.video.showsCursor = settings.capture.showsCursor
        configuration.video.cursorScale = settings.capture.cursorScale
        configuration.video.showsClicks = settings.capture.showsClicks
        configuration.video.shownKeys = settings.capture.shownKeys
        configuration.video.excludedWindows = settings.capture.excludedWindows
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
    /// Ends a take that did not begin as it should, also where the task is cancelled, and waits until its file is finished. Nil where the
    /// engine does not tell.
    func giveUp() async -> TakeOutcome? {
        defer { close() }
        return await Task { try? await stop(immediately: true) }.value
    }
}

// The identity of the app that this library is linked into.
extension AppIdentity {
    /// The one in `kinecast-app.json` beside this process's executable; without such a file the executable's name.
    static func ofThisProcess(executable: String? = ExecutableSearch.own) throws(RecordingError) -> AppIdentity {
        guard let executable else {
            throw RecordingError(.unavailable, "/proc is not there; give the recorder the app's identity.")
        }
        do throws(FileProblem) {
            return try of(executable: FilePath(escaped: executable))
        } catch {
            switch error {
            case .unreadable(let file, let errno):
                throw RecordingError(.unavailable, "\(file) cannot be read (\(errno)); correct its permissions.")
            case .damaged(let file, let problem):
                throw RecordingError(.unavailable, "In \(file), \(problem); correct it.")
            }
        }
    }

    /// An identity given in code, which becomes part of a path; this process's where none is given.
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
