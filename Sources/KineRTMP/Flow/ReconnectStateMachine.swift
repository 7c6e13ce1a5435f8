// Which connection a publisher has, and what follows when it is lost. Pure: it is told what happened and when, and returns
// what has to be done. What happens is in +Events and +Failures; sockets, names and timers belong to its driver.

/// The connections of one stream, from the first attempt to the goodbye. Times are nanoseconds on any steady clock.
public struct ReconnectStateMachine: Hashable, Sendable {
    /// Counts connections, so that a late event of an old one is ignored.
    public typealias ConnectionID = Int

    /// Where to connect to.
    public struct Destination: Hashable, Sendable {
        public var url: RTMPURL
        /// Addresses that reach less far are left out; nil: none is, since the user has given the address.
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
            /// The stream goes on at another server, and samples wait for it.
            case redirect
            /// As `redirect`; the stream ends once the waiting samples are sent.
            case redirectThenFinish
        }

        public var begun: Int64
        public var purpose: Purpose
        /// The server redirected the publisher before it accepted the stream.
        public var redirect: Destination?
    }

    /// A connection that carries samples.
    public struct Live: Hashable, Sendable {
        /// When it was attempted.
        public var begun: Int64
        /// It has lasted, and something arrived. Some servers say yes and close a moment later.
        public var isProven = false
        /// The server redirected the publisher; followed at the next keyframe.
        public var redirect: Destination?

        /// Nanoseconds that shorten the wait for the next attempt.
        func age(now: Int64) -> Int64 { isProven ? now - begun : 0 }
    }

    public enum State: Hashable, Sendable {
        case idle
        /// `stale`: the last connection, which fell silent. It is reset when the next one is there; the server would take the
        /// stream for published otherwise, and refuse it.
        case dialing(Attempt, stale: ConnectionID?)
        /// Connected; the server has not accepted the stream yet.
        case negotiating(ConnectionID, Attempt)
        case live(ConnectionID, Live)
        /// The network is back: a second connection is there while the old one has acknowledged nothing yet. The old one is
        /// kept if it goes on in time, since nothing is lost with it.
        case racing(old: ConnectionID, Live, candidate: ConnectionID)
        /// Until the next attempt, unless a probe brings a connection before.
        case waiting(stale: ConnectionID?)
        /// What waits is sent, and then the goodbye.
        case finishing(ConnectionID)
        case ended
    }

    public enum Timer: Hashable, Sendable, CaseIterable {
        case retry
        case race
        case finish
    }

    public enum Action: Hashable, Sendable {
        /// Connect. When that fails, probe until there is a connection or `stopDialing`.
        case dial(Destination)
        /// Look for the server beside a connection that may be dead.
        case probe(Destination)
        /// If a server is being looked for, look for this one from now on.
        case retarget(Destination)
        case stopDialing
        /// The connection that was just reported has this number from now on.
        case hold(ConnectionID)
        /// Close the connection that was just reported.
        case discard
        /// Begin the session. No authentication: the server has not asked for any yet.
        case open(ConnectionID, RTMPURL, PublisherAuthentication?, wasLive: Bool)
        case becameLive(ConnectionID, isAgain: Bool)
        /// Send what waits, say goodbye, and close.
        case finish(ConnectionID)
        /// The same at once, whether there is room or not. Nothing more is heard of the connection.
        case leave(ConnectionID)
        case close(ConnectionID)
        case reset(ConnectionID)
        case emptyQueue
        case requestKeyframe
        case startTimer(Timer, after: Int64)
        case cancelTimer(Timer)
        /// The next attempt follows after so many nanoseconds.
        case interrupted(PublishFailure, retryAfter: Int64)
        /// The last action. nil: the stream ended as it should.
        case ended(PublishFailure?)
    }

    /// How long the old connection has to go on before the candidate takes over: a second, and a round trip.
    public static let raceDeadline: Int64 = 1_250_000_000
    /// How long what waits is sent when the stream ends.
    public static let finishDeadline: Int64 = 5_000_000_000

    /// The address that the user gave.
    public let originalURL: RTMPURL
    public internal(set) var state = State.idle
    public internal(set) var destination: Destination
    public internal(set) var wasLive = false
    var policy: ReconnectPolicy
    /// What the server has asked for; kept from one connection of an attempt to the next.
    var authentication: PublisherAuthentication?
    var redirects = RedirectLimit()
    var lastFailure: PublishFailure?
    private var connectionCount = 0

    public init(_ url: RTMPURL, policy: ReconnectPolicy) {
        originalURL = url
        destination = Destination(url)
        self.policy = policy
    }

    /// The connection that carries samples.
    public var sending: ConnectionID? {
        switch state {
        case .live(let id, _), .racing(let id, _, _), .finishing(let id): id
        case .idle, .dialing, .negotiating, .waiting, .ended: nil
        }
    }

    /// The connection that is measured.
    public var measured: ConnectionID? { if case .negotiating(let id, _) = state { id } else { sending } }

    /// Samples are queued: for the present connection, or for the server that the publisher is redirected to.
    public var acceptsSamples: Bool {
        switch state {
        case .live, .racing, .finishing: true
        case .dialing(let attempt, _), .negotiating(_, let attempt): attempt.purpose != .stream
        case .idle, .waiting, .ended: false
        }
    }

    public var isEnding: Bool {
        switch state {
        case .finishing, .ended: true
        case .dialing(let attempt, _), .negotiating(_, let attempt): attempt.purpose == .redirectThenFinish
        case .idle, .live, .racing, .waiting: false
        }
    }

    mutating func nextConnection() -> ConnectionID {
        connectionCount += 1
        return connectionCount
    }

    mutating func dial(_ purpose: Attempt.Purpose, stale: ConnectionID? = nil, now: Int64) -> [Action] {
        state = .dialing(Attempt(begun: now, purpose: purpose), stale: stale)
        return [.dial(destination)]
    }

    /// Leaves nothing open.
    mutating func end(_ failure: PublishFailure?) -> [Action] {
        var actions: [Action] = [.stopDialing]
        switch state {
        case .idle, .ended: break
        case .dialing(_, let stale), .waiting(let stale):
            if let stale { actions.append(.reset(stale)) }
        case .negotiating(let id, _), .live(let id, _), .finishing(let id): actions.append(.close(id))
        case .racing(let old, _, let candidate): actions += [.close(old), .close(candidate)]
        }
        state = .ended
        return actions + Timer.allCases.map { .cancelTimer($0) } + [.emptyQueue, .ended(failure)]
    }
}
