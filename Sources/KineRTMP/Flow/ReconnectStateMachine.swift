// Which connection a publisher has, and what follows when it is lost. Pure: it is told what happened and when, and returns
// what has to be done. Sockets, names, bytes and timers are its driver's. What a loss leads to is in a file of its own.

/// The connections of one stream, from the first attempt to the goodbye. Times are nanoseconds on any steady clock.
public struct ReconnectStateMachine: Hashable, Sendable {
    /// Counts connections, so that the last words of an old one are told from those of the present.
    public typealias ConnectionID = Int

    /// Where to connect to.
    public struct Destination: Hashable, Sendable {
        public var url: RTMPURL
        /// No address that reaches less far is connected to; nil: any is, since the user has given it.
        public var narrowest: AddressScope?

        public init(_ url: RTMPURL, narrowest: AddressScope? = nil) {
            self.url = url
            self.narrowest = narrowest
        }
    }

    /// A connection and all that follows, up to the permission to publish.
    public struct Attempt: Hashable, Sendable {
        public enum Purpose: Hashable, Sendable {
            case stream
            /// The stream goes on at another address, and samples wait for it.
            case move
            /// As `move`; when what waits is sent, the stream ends.
            case moveThenFinish
        }

        public var begun: Int64
        public var purpose: Purpose
        /// The server asked to go there before it took the stream.
        public var request: Destination?
    }

    /// A connection over which samples go.
    public struct Live: Hashable, Sendable {
        /// When it was attempted.
        public var begun: Int64
        /// It has lasted, and something arrived. A server may say yes and close a moment later.
        public var isProven = false
        /// The server asked to go there; done at the next keyframe.
        public var request: Destination?
    }

    public enum State: Hashable, Sendable {
        case idle
        /// `left`: a connection that the network has left. It is reset when the next is there: a farewell would not reach the
        /// server now, which would then take the stream for published and refuse the next publisher.
        case dialing(Attempt, left: ConnectionID?)
        /// A connection is there, and the server has not said yes.
        case negotiating(ConnectionID, Attempt)
        case live(ConnectionID, Live)
        /// The network is back: another connection is there, while nothing was acknowledged on the old one yet. That one gets a
        /// last chance, for with it nothing is lost.
        case racing(old: ConnectionID, Live, candidate: ConnectionID)
        /// Until the next attempt; a probe may bring a connection before.
        case waiting(left: ConnectionID?)
        /// What waits is sent, and then the goodbye.
        case finishing(ConnectionID)
        case ended
    }

    public enum Timer: Hashable, Sendable, CaseIterable {
        case retry
        case lastChance
        case finish
    }

    public enum Action: Hashable, Sendable {
        /// Connect. When that fails, probe on, until there is a connection or `stopDialing`.
        case dial(Destination)
        /// Look for the server beside a connection that may be dead.
        case probe(Destination)
        /// What is being looked for, if anything is, is this from now on.
        case retarget(Destination)
        case stopDialing
        /// The connection that was just reported is this one from now on.
        case hold(ConnectionID)
        /// Nobody wants the connection that was just reported.
        case turnAway
        /// Begin the session. Without authentication, as if the server had asked for none yet.
        case open(ConnectionID, RTMPURL, PublisherAuthentication?, wasLive: Bool)
        case becameLive(ConnectionID, isAgain: Bool)
        /// Send what waits, say goodbye, and close.
        case finish(ConnectionID)
        /// The same without waiting for room; the connection is nobody's from now on.
        case leave(ConnectionID)
        case close(ConnectionID)
        case reset(ConnectionID)
        case emptyQueue
        case askForKeyframe
        case startTimer(Timer, after: Int64)
        case cancelTimer(Timer)
        /// It is tried again after so many nanoseconds.
        case interrupted(PublishFailure, retryAfter: Int64)
        /// The last action. nil: as it should.
        case ended(PublishFailure?)
    }

    /// A second, and the way there and back.
    public static let lastChance: Int64 = 1_250_000_000
    /// What waits when the stream ends is sent for so long.
    public static let finishDeadline: Int64 = 5_000_000_000

    /// The address that the user gave.
    public let home: RTMPURL
    public internal(set) var state = State.idle
    public internal(set) var destination: Destination
    public internal(set) var wasLive = false
    var policy: ReconnectPolicy
    var authentication: PublisherAuthentication?
    var redirects = RedirectLimit()
    var lastFailure: PublishFailure?
    private var count = 0

    public init(_ url: RTMPURL, policy: ReconnectPolicy) {
        home = url
        destination = Destination(url)
        self.policy = policy
    }

    /// The connection over which samples go.
    public var sending: ConnectionID? {
        switch state {
        case .live(let id, _), .racing(let id, _, _), .finishing(let id): id
        default: nil
        }
    }

    /// The connection that is measured.
    public var measured: ConnectionID? { if case .negotiating(let id, _) = state { id } else { sending } }

    /// Samples are kept for the connection that is, or for the one that a move makes.
    public var takesSamples: Bool {
        switch state {
        case .live, .racing, .finishing: true
        case .dialing(let attempt, _), .negotiating(_, let attempt): attempt.purpose != .stream
        case .idle, .waiting, .ended: false
        }
    }

    public var isEnding: Bool {
        switch state {
        case .finishing, .ended: true
        case .dialing(let attempt, _), .negotiating(_, let attempt): attempt.purpose == .moveThenFinish
        default: false
        }
    }

    // MARK: What the user wants

    public mutating func start(now: Int64) -> [Action] {
        guard state == .idle else { return [] }
        return dial(.stream, left: nil, now: now)
    }

    public mutating func finish() -> [Action] {
        switch state {
        case .idle, .waiting: return end(neverLive)
        case .dialing(var attempt, let left):
            guard attempt.purpose == .move else { return attempt.purpose == .stream ? end(neverLive) : [] }
            attempt.purpose = .moveThenFinish
            state = .dialing(attempt, left: left)
            return [.startTimer(.finish, after: Self.finishDeadline)]
        case .negotiating(let id, var attempt):
            guard attempt.purpose == .move else { return attempt.purpose == .stream ? end(neverLive) : [] }
            attempt.purpose = .moveThenFinish
            state = .negotiating(id, attempt)
            return [.startTimer(.finish, after: Self.finishDeadline)]
        case .live(let id, _):
            state = .finishing(id)
            return [.stopDialing, .startTimer(.finish, after: Self.finishDeadline), .finish(id)]
        case .racing(let old, _, let candidate):
            state = .finishing(old)
            return [
                .cancelTimer(.lastChance), .close(candidate), .startTimer(.finish, after: Self.finishDeadline),
                .finish(old),
            ]
        case .finishing, .ended: return []
        }
    }

    // MARK: What the dialer says

    /// - Parameter oldRecovers: the present connection sends again soon after its network is back.
    public mutating func connected(now: Int64, oldRecovers: Bool = false) -> [Action] {
        switch state {
        case .dialing(let attempt, let left): return open(attempt, insteadOf: left)
        case .waiting(let left):
            return [.cancelTimer(.retry)] + open(Attempt(begun: now, purpose: .stream), insteadOf: left)
        case .negotiating(let old, var attempt):
            attempt.begun = now
            return open(attempt, insteadOf: old)
        case .live(let old, let live):
            count += 1
            let candidate = count
            guard oldRecovers else {
                return [.hold(candidate)] + replace(old, by: candidate, live, now: now)
            }
            state = .racing(old: old, live, candidate: candidate)
            return [.hold(candidate), .startTimer(.lastChance, after: Self.lastChance)]
        case .idle, .racing, .finishing, .ended: return [.turnAway]
        }
    }

    public mutating func networkReturned() { policy.networkReturned() }

    // MARK: What a connection says

    /// The server said yes.
    public mutating func accepted(_ id: ConnectionID) -> [Action] {
        guard case .negotiating(id, let attempt) = state else { return [] }
        policy.accepted()
        let isAgain = wasLive
        wasLive = true
        var actions: [Action] = attempt.purpose == .stream ? [.emptyQueue] : []
        actions += [.stopDialing, .becameLive(id, isAgain: isAgain)]
        if attempt.purpose == .moveThenFinish {
            state = .finishing(id)
            return actions + [.finish(id)]
        }
        state = .live(id, Live(begun: attempt.begun, request: attempt.request))
        return attempt.request == nil ? actions : actions + [.askForKeyframe]
    }

    /// The server wants to know who is there, and is told in a new connection.
    public mutating func authenticate(_ id: ConnectionID, _ next: PublisherAuthentication, now: Int64) -> [Action] {
        guard case .negotiating(id, let attempt) = state else { return [] }
        authentication = next
        return [.close(id)] + dial(attempt.purpose, left: nil, now: now)
    }

    /// The server asks to connect anew. Where it may not send a publisher, or where it names no address, the present one is
    /// meant; asked too often, it is not followed.
    /// - Parameter scope: of the address at which the server is.
    public mutating func asked(
        _ id: ConnectionID, toMoveTo url: RTMPURL, scope: AddressScope, now: Int64
    ) -> [Action] {
        var target = Destination(url, narrowest: scope)
        if url == destination.url || !home.mayBeSent(to: url) { target = destination }
        switch state {
        case .live(id, var live) where redirects.allows(at: now):
            live.request = target
            state = .live(id, live)
            return [.askForKeyframe]
        case .negotiating(id, var attempt) where redirects.allows(at: now):
            attempt.request = target
            state = .negotiating(id, attempt)
            return []
        default: return []
        }
    }

    /// The next sample is a keyframe: what waits goes to the old server, the keyframe and what follows to the new one.
    public mutating func keyframe(now: Int64) -> [Action] {
        guard case .live(let id, let live) = state, let target = live.request else { return [] }
        destination = target
        authentication = nil
        return [.leave(id), .emptyQueue] + dial(.move, left: nil, now: now)
    }

    /// The connection is live for long enough, and something arrived.
    public mutating func proved(_ id: ConnectionID) {
        switch state {
        case .live(id, var live):
            live.isProven = true
            state = .live(id, live)
        case .racing(old: id, var live, let candidate):
            live.isProven = true
            state = .racing(old: id, live, candidate: candidate)
        default: return
        }
        policy.connected()
    }

    /// The peer took something: looking for another connection was too early.
    public mutating func moved(_ id: ConnectionID) -> [Action] {
        switch state {
        case .racing(old: id, let live, let candidate):
            state = .live(id, live)
            return [.cancelTimer(.lastChance), .close(candidate)]
        case .live(id, _), .negotiating(id, _): return [.stopDialing]
        default: return []
        }
    }

    /// The network may be away.
    public mutating func absent(_ id: ConnectionID) -> [Action] {
        switch state {
        case .live(id, _), .negotiating(id, _): [.probe(destination)]
        default: []
        }
    }

    // MARK: Steps

    mutating func dial(_ purpose: Attempt.Purpose, left: ConnectionID?, now: Int64) -> [Action] {
        state = .dialing(Attempt(begun: now, purpose: purpose), left: left)
        return [.dial(destination)]
    }

    private mutating func open(_ attempt: Attempt, insteadOf left: ConnectionID?) -> [Action] {
        count += 1
        let id = count
        state = .negotiating(id, attempt)
        return [.hold(id)] + (left.map { [.reset($0)] } ?? [])
            + [.open(id, destination.url, authentication, wasLive: wasLive)]
    }
}
