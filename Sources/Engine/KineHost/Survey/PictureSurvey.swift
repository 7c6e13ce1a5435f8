// The process `kinecast-engine --survey`: pictures of monitors and windows, and levels of audio, for a person who chooses
// among them in the studio. It reads one source at a time, and only those that have changed.
import KineMedia
import KinePlatform
import KineWire
import SystemPackage

/// Serves the studio at the other end of a socket until that end closes. Used by the main thread.
public final class PictureSurvey {
    private typealias Connection = ControlConnection<SurveyRequest, SurveyEvent>

    /// Nanoseconds to send the last message.
    private static let flushTimeout: Int64 = 1_000_000_000

    /// From other threads.
    private enum Message: Sendable {
        case locked(Bool)
        case levels(SurveyLevels)
    }

    private let connection: Connection
    private let inbox = Mailbox<Message>()
    private var lockWatch: SurveyLockWatch
    private var access = SurveyAccess()
    private var devices: SurveyedDevices
    private var sources = SurveyedSources()

    public init(client: FileDescriptor) throws(ControlError) {
        connection = try Connection(adopting: client)
        let inbox = inbox
        lockWatch = SurveyLockWatch { inbox.post(.locked($0)) }
        devices = SurveyedDevices { inbox.post(.levels($0)) }
    }

    /// Returns the exit status of the process.
    public func run() -> Int32 {
        // Windows show what a person sees; other programs need their permission for a take.
        guard AskingProgram(at: connection.descriptor) == .commandLine else {
            send(.failed("Only the studio of this installation may ask for pictures; run kinecast studio."))
            _ = connection.drain(until: MonotonicClock.now() + Self.flushTimeout)
            return ExitStatus.noPermission
        }
        let start = MonotonicClock.now()
        access.watchBegan(isReported: lockWatch.start(), at: start)
        while !connection.isClosed {
            let now = MonotonicClock.now()
            for request in (try? connection.readAvailable()) ?? [] { handle(request) }
            for message in inbox.drain() { receive(message) }
            access.handleTimers(at: now)
            if access.isGranted { survey(at: now) }
            sleep()
        }
        return 0
    }

    private func survey(at now: Int64) {
        if let list = sources.search(at: now) { send(.sources(list)) }
        if let picture = sources.takePicture(at: now) { send(.picture(picture)) }
        if let picture = devices.process(at: now) { send(.camera(picture)) }
    }

    private func handle(_ request: SurveyRequest) {
        access.request()
        switch request {
        case .survey(let audio, let microphone, let camera, let shown):
            sources.shown = shown
            devices.choose(LevelMeter.Choice(audio: audio, microphone: microphone), camera: camera)
            if access.allowsDevices { devices.open() }
        }
    }

    private func receive(_ message: Message) {
        switch message {
        case .levels(let levels): if access.allowsDevices { send(.levels(levels)) }
        case .locked(let isLocked):
            for action in access.lockReported(isLocked) {
                switch action {
                case .announce(let isLocked): send(.locked(isLocked))
                case .openDevices: devices.open()
                case .closeAll:
                    sources.closeAll()
                    devices.close()
                }
            }
        }
    }

    private func sleep() {
        guard access.isGranted else { return PollLoop.wait(for: connection, inbox, until: access.nextDeadline) }
        let now = MonotonicClock.now()
        PollLoop.wait(
            for: connection, inbox, ReadableDescriptor(devices.descriptor(at: now)),
            until: sources.nextDeadline, devices.deadline(at: now))
    }

    private func send(_ event: SurveyEvent) { _ = connection.deliver(event) }
}
