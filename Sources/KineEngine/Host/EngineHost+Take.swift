import KineControl
// The take as the host's loop sees it: opened and finished by the worker, steered by the state machine's actions.
import KineMedia
import KinePlatform
import KineRelay
import KineServices
import SystemPackage

extension EngineHost {
    /// Checks what is asked for and has the take opened.
    func start(_ configuration: TakeConfiguration) {
        guard self.configuration == nil else {
            return answer(.start(configuration), from: client)
        }
        self.configuration = configuration
        let registration: Registration
        do throws(TakeFailure) {
            try Self.validate(configuration)
            checked = try Destinations.check(
                configuration.destinations, confinement: configuration.confinement, in: Self.catalog)
            registration = try register(configuration)
        } catch {
            return leave(with: .failed(error), status: error.exitStatus)
        }
        self.registration = registration
        let (inbox, opened, cancellation) = (inbox, opened, cancellation)
        let services = checked.map(\.service.manifest)
        let directory = registration.directory.string
        worker.perform {
            let result = Result { () throws(TakeFailure) in
                try OpenedTake(
                    configuration, services: services, directory: directory, inbox: inbox, cancellation: cancellation)
            }
            opened.signal { $0 = result }
            inbox.post(.opened)
        }
    }

    private static func validate(_ configuration: TakeConfiguration) throws(TakeFailure) {
        do throws(TakeConfiguration.Problem) {
            try configuration.validate()
        } catch {
            throw TakeFailure(exitStatus: ExitStatus.usage, message: error.description)
        }
    }

    /// What is installed for this user, and beside this executable.
    private static var catalog: ServiceCatalog {
        .standard(executableDirectory: FilePath(ExecutableSearch.own ?? "/").removingLastComponent())
    }

    private func register(_ configuration: TakeConfiguration) throws(TakeFailure) -> Registration {
        do throws(TakeRegistry.Error) {
            return try TakeRegistry.standard().register(
                output: configuration.output, source: configuration.source.description)
        } catch {
            throw TakeFailure(exitStatus: ExitStatus.unavailable, message: error.description)
        }
    }

    /// The worker has opened the take, or could not.
    private func takeOpened() {
        guard let configuration, let result = opened.withLock({ $0.take() }) else { return }
        switch result {
        case .failure(let failure):
            guard endOfOpening != nil else { return leave(with: .failed(failure), status: failure.exitStatus) }
            // It was told to end before: that is why it could not be opened.
            finished.signal { $0 = .unrecorded(duration: .zero, pictures: 0) }
        case .success(let opened):
            take = opened.take
            screen = opened.screen
            if let end = endOfOpening {
                finish(opened.take, at: end)
            } else {
                let inbox = inbox
                destinations = Destinations(
                    checked, supervision: configuration.supervision, confinement: configuration.confinement,
                    feeder: opened.take,
                    deliver: { inbox.post(.feed($0)) }, announce: { [weak self] in self?.broadcast(.destination($0)) })
            }
            let early = early
            self.early = []
            for message in early { receive(message) }
        }
    }

    func receive(_ message: Inbox.Message) {
        // The take's threads run before it is here: what they say is about a take that nobody has yet.
        if take == nil, message.isAboutTake { return early.append(message) }
        switch message {
        case .event(let event): handle(event)
        case .warning(let text): broadcast(.warning(text))
        case .needsPicture(let instant): take?.repeatPicture(at: instant)
        case .opened: takeOpened()
        case .recordingEnded: break  // woken for it, the loop looks by itself
        case .feed(let delivery): destinations?.fed(delivery, at: MonotonicClock.now())
        case .samplesEnded: destinations?.finish(at: MonotonicClock.now())
        case .failure(let status, let text):
            handle(.stopRequested(.failed(exitStatus: status, message: text), at: MonotonicClock.now()))
        }
    }

    func handle(_ event: TakeStateMachine.Event, from connection: EngineConnection? = nil) {
        guard leaving == nil else { return }
        for action in machine.handle(event) {
            switch action {
            case .announceStarted: announceStarted()
            case .pause(let instant):
                take?.pause(at: instant)
                destinations?.pause(at: instant)
                broadcast(.paused)
            case .resume(let instant):
                destinations?.resume(at: instant)
                take?.resume(at: instant)
                broadcast(.resumed)
            case .refuse(let reason): try? connection?.send(.refused(reason))
            case .finish(_, let instant): finish(at: instant)
            case .end(let reason): end(reason)
            }
        }
    }

    private func announceStarted() {
        guard let take, let registration else { return }
        let started = TakeStarted(
            id: registration.record.id, output: take.configuration.output,
            size: take.size ?? PixelSize(width: 0, height: 0),
            environment: screen?.environment ?? [], maximumBitrate: take.maximumBitrate)
        send(.started(started))
        if take.configuration.wantsProgress { nextProgress = MonotonicClock.now() + 1_000_000_000 }
    }

    /// Answers a request of a later version, or a start that asks for something of one. Without a configuration there is no take,
    /// and its client would wait for ever: it is told, and the engine leaves.
    func refuse(unknown name: String, from connection: EngineConnection) {
        let message =
            "This kinecast-engine does not understand the request \(name.printable(limit: 40)); "
            + "use the kinecast and kinecast-engine of one installation."
        guard configuration == nil else {
            try? connection.send(.refused(message))
            return
        }
        leave(
            with: .failed(TakeFailure(exitStatus: ExitStatus.unavailable, message: message)),
            status: ExitStatus.unavailable)
    }

    private func finish(at instant: Int64) {
        nextProgress = .max
        if let take {
            finish(take, at: instant)
        } else if configuration != nil {
            endOfOpening = instant
            cancellation.cancel()
        } else {
            leaving = (0, 0)  // it was told to end before it was told what to record
        }
    }

    /// Finishing waits for threads and for the disk: the worker does it.
    private func finish(_ take: Take, at instant: Int64) {
        let (inbox, finished) = (inbox, finished)
        let leavesOutIndexMove = isFinishingAtOnce
        worker.perform {
            let ending = take.finish(at: instant, movesIndex: !leavesOutIndexMove) { inbox.post(.samplesEnded) }
            finished.signal { $0 = ending }
            inbox.post(.recordingEnded)
        }
    }

    /// The take is over when its file is finished and every extension has gone.
    func endWhenFinished() {
        guard machine.phase == .finishing, finished.withLock({ $0 != nil }), destinations?.areDone ?? true else {
            return
        }
        handle(.finished)
    }

    private func end(_ reason: TakeStateMachine.StopReason) {
        guard let configuration, let recording = finished.withLock({ $0 }) else { return }
        let outcome = TakeOutcome(
            reason: reason, ending: recording, progress: take?.progress(at: MonotonicClock.now()) ?? TakeProgress(),
            size: take?.size ?? PixelSize(width: 0, height: 0), output: configuration.output,
            destinations: destinations?.statuses ?? [])
        leave(with: outcome.message, status: outcome.exitStatus)
    }

    /// Nanoseconds that the client has to end what it shows on the private screen.
    private static let patience: Int64 = 5_000_000_000

    private func leave(with message: EngineMessage, status: Int32) {
        broadcast(message)
        leaving = (status, MonotonicClock.now() + Self.patience)
    }
}
