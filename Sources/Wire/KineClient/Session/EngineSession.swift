// A session with the engine of one take. An app, the command line or a studio page keeps one while it records.
import KineMedia
import KinePlatform
import KineTakes
import KineWire

/// A client's control of a running take.
/// The session that started the engine owns the take. When it is closed or released, the engine finishes the file and
/// the broadcasts, unless the take outlives its client; when the engine dies, the session recovers the file. An
/// attached session only sends requests; one that follows also gets the owner's events. All waiting is done on the
/// session's thread, so no call blocks. Cancelling a task ends its wait, not its request.
public final class EngineSession: Sendable {
    /// The time for an engine to answer a request.
    public static let timeout = Duration.seconds(10)

    private let stream: AsyncStream<SessionEvent>
    private let mailbox: SessionMailbox

    private init(_ stream: AsyncStream<SessionEvent>, _ mailbox: SessionMailbox) {
        self.stream = stream
        self.mailbox = mailbox
    }

    deinit { close() }

    /// Starts an engine and requests a take. Returns when the engine's process runs, even in a cancelled task; `events`
    /// has `started` when the take runs. A take to standard output writes to this process's.
    ///
    /// - Parameters:
    ///   - confinement: of the take's extensions.
    ///   - waiting: an engine that runs already.
    public static func start(
        _ configuration: TakeConfiguration, confinement: ConfinementRequest = ConfinementRequest(),
        locator: EngineLocator = EngineLocator(), in waiting: WaitingEngine? = nil
    ) async throws(ClientError) -> EngineSession {
        let (mailbox, events, continuation) = parts()
        var configuration = configuration
        configuration.asksInTerminal = TerminalQuestion.isPossible
        try await BlockingCall.start("kine-session") { [configuration] (reply: (Result<Void, ClientError>) -> Void) in
            let replaced = configuration.file(part: 1).flatMap(FileIdentity.init)
            let engine: EngineProcess
            do throws(ClientError) {
                if let ready = waiting?.take() {
                    engine = ready
                } else {
                    engine = try EngineProcess.start(
                        locator, writing: configuration.writesToStandardOutput ? .standardOutput : nil)
                }
            } catch {
                return reply(.failure(error))
            }
            do throws(ControlError) {
                try engine.connection.send(
                    .start(
                        configuration, required: configuration.required(confinement: confinement),
                        confinement: confinement))
            } catch {
                // The loop detects an engine that died at once: its channel is closed.
                guard error == .closed else {
                    reply(.failure(ClientError(error)))
                    return engine.giveUp()
                }
            }
            reply(.success(()))
            SessionLoop(
                .owner(pid: engine.process.pid, file: configuration.file(part: 1)), over: engine.connection,
                engine: engine, replacing: replaced, mailbox: mailbox, events: continuation
            ).run()
        }
        return EngineSession(events, mailbox)
    }

    /// Connects to the engine of a take that another client started. `typed`: the take's id or a unique beginning of
    /// it; nil: the only running take.
    public static func attach(to typed: String?) async throws(ClientError) -> EngineSession {
        try await attach { () throws(TakeRegistry.Error) in
            let registry = try TakeRegistry.standard()
            return (registry, try registry.find(typed))
        }
    }

    /// Reattaches to a running take of another client, or of this app before a restart: `events` has the same events as
    /// the owner's, and a file whose engine dies is recovered unless the owner does that.
    ///
    /// - Parameter progress: whether `EngineEvent.progress` comes once a second.
    public static func follow(_ take: TakeRecord, progress: Bool = true) async throws(ClientError) -> EngineSession {
        try await follow(progress: progress) { () throws(TakeRegistry.Error) in (try TakeRegistry.standard(), take) }
    }

    static func follow(
        progress: Bool, _ find: @escaping @Sendable () throws(TakeRegistry.Error) -> (TakeRegistry, TakeRecord)
    ) async throws(ClientError) -> EngineSession {
        let session = try await attach(follows: true, find)
        try await session.send(.follow(progress: progress))
        return session
    }

    static func attach(
        follows: Bool = false,
        _ find: @escaping @Sendable () throws(TakeRegistry.Error) -> (TakeRegistry, TakeRecord)
    ) async throws(ClientError) -> EngineSession {
        let (mailbox, events, continuation) = parts()
        try await BlockingCall.start("kine-session") { (reply: (Result<Void, ClientError>) -> Void) in
            let take: TakeRecord
            let connection: ClientConnection
            do throws(TakeRegistry.Error) {
                let registry: TakeRegistry
                (registry, take) = try find()
                connection = try registry.connect(to: take)
            } catch {
                return reply(.failure(ClientError(error)))
            }
            reply(.success(()))
            SessionLoop(.guest(take, follows: follows), over: connection, mailbox: mailbox, events: continuation).run()
        }
        return EngineSession(events, mailbox)
    }

    private static func parts() -> (SessionMailbox, AsyncStream<SessionEvent>, AsyncStream<SessionEvent>.Continuation) {
        let (events, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self, bufferingPolicy: .bufferingNewest(1024))
        return (SessionMailbox(), events, continuation)
    }

    /// The take's events in order, for one reader. The sequence ends when the session is closed. A reader that is 1024
    /// events behind loses the oldest.
    public var events: Events { Events(session: self) }

    /// The events of a session. Retaining them keeps the session open.
    public struct Events: AsyncSequence, Sendable {
        fileprivate let session: EngineSession

        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(session: session, stream: session.stream.makeAsyncIterator())
        }

        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let session: EngineSession
            fileprivate var stream: AsyncStream<SessionEvent>.AsyncIterator

            public mutating func next(isolation actor: isolated (any Actor)?) async -> SessionEvent? {
                await stream.next(isolation: actor)
            }
        }
    }

    /// Pauses the take: nothing is recorded or broadcast until `resume`.
    public func pause() async throws(ClientError) { try await send(.pause) }

    public func resume() async throws(ClientError) { try await send(.resume) }

    /// Turns recording of the microphone on or off. Refused if the take was begun without one, or if the person does
    /// not allow it; the engine may ask them first.
    public func setMicrophone(isOn: Bool) async throws(ClientError) {
        try await send(.setMicrophone(on: isOn))
    }

    /// Begins or ends `EngineEvent.audioLevels` among `events`. They lack the levels that this program may not have.
    public func showAudioLevels(_ isOn: Bool) async throws(ClientError) { try await send(.showAudioLevels(isOn)) }

    /// Switches the take to another source, fitted into its size; file and broadcasts go on. Returns when it is shown.
    /// On an error the take keeps the old source. There is no time limit while a person is asked or draws a region, but
    /// it throws `noAnswer` like `stop`.
    public func switchSource(to source: TakeConfiguration.Source) async throws(ClientError) {
        try await send(.switchSource(source))
    }

    /// Shows this camera over the picture; nil: none. Returns before its first frame: a camera takes a second to start.
    /// Refused if there is no such camera, or if the person does not allow it; the engine may ask them first.
    public func setCamera(_ camera: TakeConfiguration.Camera?) async throws(ClientError) {
        try await send(.setCamera(camera))
    }

    public func status(within timeout: Duration = timeout) async throws(ClientError) -> TakeStatus {
        try await send(.status, within: timeout, Self.takeStatus)
    }

    private static func takeStatus(_ reply: EngineReply) -> TakeStatus? {
        if case .status(let status) = reply { status } else { nil }
    }

    /// Adds a destination to a running take; `events` reports its progress. Returns the number that its events and its
    /// status have.
    public func addDestination(_ destination: TakeConfiguration.Destination) async throws(ClientError) -> Int {
        try await send(.addDestination(destination)) {
            if case .destinationAdded(let number) = $0 { number } else { nil }
        }
    }

    /// Ends the broadcast to one destination; the take and the others go on. Returns when it has ended, within the time
    /// its service may take to finish; throws `noAnswer` like `stop`. Refused for the last destination of a take that
    /// was begun for destinations only.
    public func removeDestination(_ number: Int) async throws(ClientError) -> DestinationEnding {
        try await send(.removeDestination(number)) {
            if case .destinationRemoved(let ending) = $0 { ending } else { nil }
        }
    }

    /// Requests samples of the take for this process. A session has one feed at a time; a process may have several
    /// sessions. Returns when the engine has accepted the request; samples begin with the feed's first event.
    public func receiveSamples(_ request: SampleRequest) async throws(ClientError) -> ClientFeed {
        let (feed, earlier) = (ClientFeed(), mailbox.feed)
        mailbox.feed = feed
        do throws(ClientError) {
            try await send(.receiveSamples(request))
        } catch {
            mailbox.feed = earlier
            throw error
        }
        return feed
    }

    /// Reports that the program for `EngineEvent.commandNeeded` runs as `process`.
    public func commandStarted(process: Int32) { mailbox.post(.request(.commandStarted(process: process), from: nil)) }

    /// Ends the take and waits until the file and the broadcasts are finished, without a limit while the engine sends
    /// messages; throws `noAnswer` after ten seconds without one. `immediately` skips moving the index.
    public func stop(immediately: Bool = false) async throws(ClientError) -> TakeOutcome {
        try await send(.stop(immediately: immediately))
        return try await outcome()
    }

    /// Waits until the take is over.
    public func outcome() async throws(ClientError) -> TakeOutcome {
        guard let result = await mailbox.outcome.value() else { throw .cancelled }
        return try result.get()
    }

    /// Kills the engine with its extensions and recovers the file, for a user who does not want to wait; `events` has
    /// the outcome. An attached session kills the process at the other end of its connection.
    public func abort() { mailbox.post(.abort) }

    /// Closes the connection. An engine whose take this session started then finishes it.
    public func close() { mailbox.post(.close) }

    /// Waits until the session is closed and the engine that it started, with all its helpers, has exited.
    public func closed() async { _ = await mailbox.finished.value() }

    /// Sends a request and waits for the answer; throws `refused` for a refusal.
    ///
    /// - Parameter timeout: after it, `noAnswer` is thrown, unless the engine may take long and sends messages.
    @discardableResult
    func send(
        _ request: ClientRequest, within timeout: Duration = timeout
    ) async throws(ClientError) -> EngineReply {
        let answer = SessionMailbox.Answer()
        let deadline = MonotonicClock.now() + Int64(timeout / .nanoseconds(1))
        mailbox.post(.request(request, from: answer, deadline: deadline))
        guard let result = await answer.value() else { throw .cancelled }
        return try result.get()
    }

    /// - Parameter value: the expected value of the reply; nil for another reply.
    package func send<Value>(
        _ request: ClientRequest, within timeout: Duration = timeout, _ value: (EngineReply) -> Value?
    ) async throws(ClientError) -> Value {
        guard let value = value(try await send(request, within: timeout)) else {
            throw .otherReply
        }
        return value
    }
}

// Clips of a running take.
extension EngineSession {
    /// Writes the last `duration` of the running take to a new file. Returns when the file is complete; throws
    /// `noAnswer` like `stop`, and `refused` if there will be no file.
    ///
    /// - Parameters:
    ///   - path: an absolute path.
    ///   - duration: nil, or longer than the buffer: everything in it.
    ///   - overwrite: whether to replace an existing file.
    ///   - isPrivate: whether only its owner may read the file, whatever the umask.
    ///   - isNumbered: whether to use the next free name if a file exists.
    public func exportClip(
        to path: String, duration: MediaTime?, overwrite: Bool = false, isPrivate: Bool = false,
        isNumbered: Bool = false
    ) async throws(ClientError) -> ExportedClip {
        let request = ClipRequest(
            output: path, duration: duration, overwrite: overwrite, isPrivate: isPrivate, isNumbered: isNumbered)
        return try await send(.exportClip(request)) { if case .clip(let clip) = $0 { clip } else { nil } }
    }
}
