// Finds this user's takes in the registry, follows them over connections to their engines, and asks these. Linux.
import Glibc
import KinePlatform
import KineWire
import SystemPackage

/// The running takes of this user. Used on one thread, without waiting: a loop polls `pollEntries` and calls `process`.
package final class Takes: PollSource {
    /// The changes since the last call of `process`.
    package struct Changes {
        /// The takes that have ended. If a take is not in the phase `ended`, its engine has died.
        package var ended: [TakeView] = []
        /// In the order of each take.
        package var events: [(take: TakeRecord, event: EngineEvent)] = []
    }

    /// More takes than a person has; each costs a connection.
    private static let mostTakes = 16
    /// Nanoseconds for an engine to answer a request.
    package static let timeout: Int64 = 10_000_000_000

    private let registry: TakeRegistry
    private let watch: Inotify
    private var connections: [TakeConnection] = []
    /// Whether `EngineEvent.progress` comes once a second of each take.
    package var wantsProgress = false {
        didSet { if wantsProgress != oldValue { askEach(.follow(progress: wantsProgress)) } }
    }
    /// Whether `EngineEvent.audioLevels` comes of each take.
    package var wantsLevels = false {
        didSet { if wantsLevels != oldValue { askEach(.showAudioLevels(wantsLevels)) } }
    }
    /// Whether this process has windows in which the person can answer apps' questions.
    package var showsQuestions = false {
        didSet { if showsQuestions != oldValue { askEach(.showPermissionQuestions(showsQuestions)) } }
    }
    /// The running takes, oldest first.
    package var takes: [TakeView] { connections.filter(\.isShown).map(\.view) }
    /// The ids of the running takes whose engine has answered, and so will send their end.
    package var answered: Set<String> { Set(connections.filter(\.hasAnswered).map(\.view.record.id)) }

    /// Throws if this user watches as many directories as the system allows.
    package init(_ registry: TakeRegistry) throws(Errno) {
        self.registry = registry
        watch = try Inotify()
        // A take's directory appears, and disappears, by a rename.
        try watch.watch(registry.directory, for: IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE)
        _ = update(at: MonotonicClock.now())
    }

    package var pollEntries: [pollfd] { watch.pollEntries + connections.flatMap(\.pollEntries) }

    /// The latest instant for the next `process`; nil: only the entries to poll are a reason for it.
    package var nextDeadline: Int64? { connections.compactMap(\.nextDeadline).min() }

    /// Asks the engine of a take. `answer` is called once: at once if the engine cannot be asked, else by `process`. The answer to `stop`
    /// comes when the take has ended. A request that a person or a disk can delay has more time than `timeout`, while the engine sends
    /// messages.
    ///
    /// - Parameters:
    ///   - typed: the take's id or a unique beginning of it.
    ///   - now: nanoseconds of CLOCK_MONOTONIC.
    package func send(
        _ request: ClientRequest, to typed: String, at now: Int64,
        _ answer: @escaping (Result<TakeReply, RequestError>) -> Void
    ) {
        let record: TakeRecord
        do throws(TakeRegistry.Error) {
            record = try TakeRegistry.choose(typed, among: connections.map(\.view.currentRecord))
        } catch {
            return answer(.failure(.registry(error)))
        }
        guard let take = connections.first(where: { $0.view.record.id == record.id }) else { return }
        // A person who clicks does not wait for the next attempt.
        if take.connection == nil { connect(take, at: now) }
        take.send(request, until: now + Self.timeout, answer)
    }

    /// Reads what has arrived, without waiting, and calls the answers.
    ///
    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    package func process(at now: Int64) -> Changes {
        var hasChanged = watch.read() || connections.contains { $0.connection == nil && now >= $0.nextAttempt }
        var changes = Changes()
        for take in connections where take.connection != nil {
            changes.events += take.process(at: now).map { (take.view.record, $0) }
            if take.connection == nil { hasChanged = true }
        }
        if hasChanged { changes.ended = update(at: now) }
        return changes
    }

    private func askEach(_ request: ClientRequest) {
        for take in connections where take.view.isSameProtocol { take.send(request) }
    }

    /// Follows new takes, and those whose engine has closed the connection but still runs. Returns the takes that are
    /// over: the connection may close a moment before the socket of an engine that dies, so the registry decides.
    private func update(at now: Int64) -> [TakeView] {
        let running = registry.list().running
        let ids = Set(running.map(\.id))
        let over = connections.filter { $0.connection == nil && !ids.contains($0.view.record.id) }
        connections.removeAll { take in over.contains { $0 === take } }
        let known = Set(connections.map(\.view.record.id))
        connections += running.suffix(Self.mostTakes).filter { !known.contains($0.id) }.map(TakeConnection.init)
        connections.sort { ($0.view.record.started, $0.view.record.id) < ($1.view.record.started, $1.view.record.id) }
        for take in connections where take.connection == nil && now >= take.nextAttempt { connect(take, at: now) }
        // An engine that has never answered was about to leave.
        return over.filter(\.hasAnswered).map(\.view)
    }

    private func connect(_ take: TakeConnection, at now: Int64) {
        guard (try? take.connect(registry, at: now)) != nil else { return }
        // Engines of all protocols answer this request.
        take.send(.status)
        take.send(.follow(progress: wantsProgress))
        if wantsLevels { take.send(.showAudioLevels(true)) }
        if showsQuestions { take.send(.showPermissionQuestions(true)) }
    }
}
