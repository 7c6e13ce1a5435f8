// An engine that shows monitors and windows, and measures audio.
import Glibc
import KineMedia
import KinePlatform
import KineText
import KineWire
import SystemPackage

/// Used on one thread. The engine ends with this object.
public final class SurveyProcess: PollSource {
    private typealias Connection = ControlConnection<SurveyEvent, SurveyRequest>

    private let connection: Connection
    private let process: ChildProcess

    /// Starts the engine. Nothing comes before `survey`.
    public init(_ locator: EngineLocator = EngineLocator()) throws(ClientError) {
        let executable = try locator.engine()
        do {
            let (connection, engineEnd) = try Connection.pair()
            defer { try? engineEnd.close() }
            var options = ChildProcess.Options()
            options.descriptors = [nil, nil, nil, engineEnd]
            options.newSession = true
            process = try ChildProcess(
                executable: executable.escaped, arguments: ["--survey"], environment: ProcessEnvironment.current,
                options: options)
            self.connection = connection
        } catch {
            throw .engineCannotStart(executable: executable, ClientError.StartFault(error))
        }
    }

    deinit {
        connection.close()
        // It has nothing to lose.
        _ = process.end(signal: SIGKILL, deadline: .max)
    }

    public var pollEntries: [pollfd] { connection.pollEntries }

    /// Requests pictures, large ones of `shown`, the levels of this audio, and this camera's picture.
    public func survey(
        audio: TakeConfiguration.AppAudio = .none, microphone: TakeConfiguration.Microphone = .none,
        camera: String? = nil, shown: SurveyPicture.Subject? = nil
    ) {
        try? connection.send(.survey(audio: audio, microphone: microphone, camera: camera, shown: shown))
    }

    /// Returns the received events without waiting; nil once the engine has ended.
    public func events() -> [SurveyEvent]? {
        guard let events = try? connection.readAvailable(), !(events.isEmpty && connection.isClosed) else { return nil }
        return events
    }
}
