// The state of a controller's broadcast: which requests it allows, and what the take's events mean to the app. Pure.
import FoundationEssentials
import KineClient
import KinePlatform
import KineWire

struct BroadcastProgress: Sendable {
    enum Phase: Sendable, Equatable {
        /// No broadcast runs; one can be started.
        case ready
        case countingDown
        /// The take is starting, and no service has reported yet.
        case starting
        case broadcasting
        case finishing
    }

    enum Action: Sendable, Equatable {
        case tell(BroadcastController.Event)
        /// `startBroadcast` returns.
        case begun
        /// `startBroadcast` throws, and the take is stopped.
        case failedToBegin(BroadcastError)
        /// The take has ended by itself.
        case over(TakeOutcome)
    }

    private(set) var phase = Phase.ready
    private(set) var isPaused = false
    /// The number of pauses and resumptions so far. Shows a pause that another client ended at once.
    private(set) var pauseChanges = 0
    private(set) var take: TakeStarted?
    private(set) var takeID: String?
    /// Sorted by number, as the engine last reported them.
    private(set) var destinations: [DestinationStatus] = []
    private(set) var broadcastURL: URL?
    private(set) var serviceInfo: [String: String] = [:]
    private var hasRecording = false
    private var isLive = false
    /// The failure of the destination that ended last; it explains the take's end.
    private var lastFailure: BroadcastError?

    init(broadcastURL: URL? = nil) { self.broadcastURL = broadcastURL }

    /// The state of a broadcast found by `find`.
    init(_ status: TakeStatus) {
        phase = .broadcasting
        isPaused = status.phase == .paused
        hasRecording = status.output != nil
        takeID = status.id
        update(status.destinations)
        isLive = running.contains { $0.phase == .live || $0.phase == .paused }
        broadcastURL = running.lazy.compactMap { $0.link.flatMap(URL.init(string:)) }.first
        serviceInfo = running.lazy.compactMap(\.serviceInfo).first ?? [:]
    }

    private var running: [DestinationStatus] { destinations.filter { $0.phase != .ended } }

    /// Whether a broadcast runs, paused or not.
    var isBroadcasting: Bool {
        switch phase {
        case .broadcasting, .finishing: !running.isEmpty
        case .ready, .countingDown, .starting: false
        }
    }

    mutating func startRequested(hasRecording: Bool) throws(BroadcastError) {
        guard phase == .ready else { throw .alreadyBroadcasting }
        let url = take == nil ? broadcastURL : nil
        self = BroadcastProgress(broadcastURL: url)
        self.hasRecording = hasRecording
        phase = .countingDown
    }

    mutating func takeRequested() { phase = .starting }

    mutating func startFailed() { phase = .ready }

    mutating func finishRequested() throws(BroadcastError) {
        guard phase == .broadcasting else { throw .notBroadcasting }
        phase = .finishing
    }

    mutating func finished() {
        phase = .ready
        isPaused = false
    }

    /// The failure of a broadcast that ends now, if all its services failed.
    func failure(in summary: [DestinationStatus]) -> BroadcastError? {
        let kept = summary.filter { !$0.isRemoved }
        guard !kept.contains(where: { $0.ending == .finished }) else { return nil }
        return kept.compactMap { status in
            status.ending.flatMap {
                BroadcastError($0, of: status.label, advice: "see at the service whether all of it has arrived")
            }
        }.last
    }

    mutating func received(_ event: SessionEvent) -> [Action] {
        switch event {
        case .engine(.started(let take)):
            self.take = take
            takeID = take.id
            if phase == .starting, running.isEmpty, let lastFailure { return [.failedToBegin(lastFailure)] }
            return begunIfReady()
        case .engine(.progress(let progress)):
            update(progress.destinations)
            return begunIfReady() + noteServiceInfo(progress.destinations)
                + (phase == .broadcasting && !running.isEmpty ? [.tell(.statistics(destinations))] : [])
        case .engine(.paused):
            (isPaused, pauseChanges) = (true, pauseChanges + 1)
            return [.tell(.paused)]
        case .engine(.resumed):
            (isPaused, pauseChanges) = (false, pauseChanges + 1)
            return [.tell(.resumed)]
        case .engine(.screenLocked(let isLocked)): return [.tell(.screenLocked(isLocked))]
        case .engine(.sourceInterrupted(let interruption?)): return [.tell(.warning(interruption.sentence))]
        case .engine(.warning(let sentence, _)): return [.tell(.warning(sentence))]
        case .connectionFailed(let error): return [.tell(.warning(error.description))]
        case .engine(.destination(let event)): return received(event)
        case .ended(let outcome): return ended(outcome)
        default: return []
        }
    }

    private mutating func update(_ statuses: [DestinationStatus]) {
        for status in statuses {
            if let index = destinations.firstIndex(where: { $0.destination == status.destination }) {
                destinations[index] = status
            } else {
                destinations.append(status)
            }
        }
    }

    private mutating func received(_ event: DestinationEvent) -> [Action] {
        if let status = event.status { update([status]) }
        switch event.kind {
        case .phase: return begunIfReady() + noteLiveness()
        case .link(let link):
            guard let url = URL(string: link), url != broadcastURL else { return [] }
            broadcastURL = url
            return [.tell(.broadcastURLChanged(url))]
        case .serviceInfo: return noteServiceInfo(destinations.filter { $0.destination == event.destination })
        case .log(let line):
            let service = destinations.first { $0.destination == event.destination }?.service ?? ""
            return [.tell(.log(line, service: service))]
        case .warning, .memoryWarning, .restarting:
            guard let sentence = DestinationSentences.sentence(event, isKnownLive: true) else { return [] }
            return [.tell(.warning(sentence.text))]
        case .ended(let ending): return destinationEnded(event, ending)
        case .state, .playerLink: return []
        }
    }

    private mutating func noteServiceInfo(_ statuses: [DestinationStatus]) -> [Action] {
        guard let info = statuses.lazy.filter({ $0.phase != .ended }).compactMap(\.serviceInfo).first,
            info != serviceInfo
        else { return [] }
        serviceInfo = info
        return [.tell(.serviceInfoChanged(info))]
    }

    /// The start is complete when the take has a frame, and a service is live or reports why it is still trying.
    private mutating func begunIfReady() -> [Action] {
        let isHeard = running.contains { $0.phase == .live || $0.phase == .paused || $0.problem != nil }
        guard phase == .starting, take != nil, isHeard else { return [] }
        phase = .broadcasting
        return [.begun] + noteLiveness()
    }

    private mutating func noteLiveness() -> [Action] {
        // A destination that finishes was asked to finish, so it says nothing about the connection.
        let running = running.filter { $0.phase != .finishing }
        guard phase == .broadcasting, !running.isEmpty, !isPaused else { return [] }
        let isLive = running.contains { $0.phase == .live || $0.phase == .paused }
        guard isLive != self.isLive else { return [] }
        self.isLive = isLive
        return [.tell(isLive ? .live : .reconnecting(running.lazy.compactMap(\.problem).first))]
    }

    private mutating func destinationEnded(_ event: DestinationEvent, _ ending: DestinationEnding) -> [Action] {
        let goesOn = phase == .broadcasting && (hasRecording || !running.isEmpty)
        let advice = goesOn ? "add the service to the broadcast again" : "start the broadcast again"
        guard let failure = BroadcastError(ending, of: event.label, advice: advice), event.status?.isRemoved != true
        else { return noteLiveness() }
        lastFailure = failure
        guard running.isEmpty else {
            return [.tell(.warning(failure.message))] + noteLiveness()
        }
        switch phase {
        // Before the first frame the take may have failed to begin; its own reason follows.
        case .starting: return take == nil ? [] : [.failedToBegin(failure)]
        // Without a recording the take ends now, and its end is reported instead.
        case .broadcasting: return hasRecording ? [.tell(.serviceEnded(failure))] : []
        case .ready, .countingDown, .finishing: return []
        }
    }

    private mutating func ended(_ outcome: TakeOutcome) -> [Action] {
        switch phase {
        case .starting:
            let error = outcome.error(hasBegun: take != nil).map { BroadcastError($0) }
            let isOfService =
                if case .failed(let failure) = outcome { failure.exitStatus == ExitStatus.destinationFailed } else {
                    false
                }
            return [.failedToBegin((isOfService ? lastFailure ?? error : error ?? lastFailure) ?? .cancelled)]
        case .broadcasting:
            phase = .finishing
            return [.over(outcome)]
        case .ready, .countingDown, .finishing: return []
        }
    }

    /// The error of a take that ended by itself. The service's failure says more than "no destination is left".
    func error(of outcome: TakeOutcome) -> BroadcastError? {
        guard let error = outcome.error(hasBegun: true) else { return outcome.cause.map { BroadcastError($0) } }
        return !hasRecording && running.isEmpty ? lastFailure ?? BroadcastError(error) : BroadcastError(error)
    }
}
