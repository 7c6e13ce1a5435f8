// Decides which connection a publisher has, and what follows when it is lost. Pure: its methods, in +Events and
// +Failures, get each event and its time, and return actions. Its driver has the sockets, names and timers.

/// The address at which a stream is published over one protocol.
public protocol PublishTarget: Hashable, Sendable {
    /// The answer to a server that asks who publishes, sent in a new connection. `Never` if no server asks.
    associatedtype Authentication: Hashable, Sendable
    associatedtype Failure: ConnectionFailure

    /// Whether the server at this address, which the user gave, may redirect its publisher to `target`.
    func allowsRedirect(to target: Self) -> Bool

    /// The protocol's failure of the stream at this address.
    func failure(_ cause: ReconnectFailureCause<Self>) -> Failure
}

/// The failures that the machine itself finds, without a connection that reports them.
public enum ReconnectFailureCause<Target> {
    /// The network was unreachable, and another connection takes over.
    case networkAway
    /// The stream ended before any server had accepted it.
    case neverAccepted
    /// The server redirects the stream to an address that is not allowed.
    case redirectForbidden(to: Target)
    case redirectedTooOften
}

/// The connections of one stream, from the first attempt to the goodbye. Times are nanoseconds on any steady clock.
public struct ReconnectStateMachine<Target: PublishTarget>: Hashable, Sendable {
    /// Numbers connections, so that a late event of an old one is ignored.
    public typealias ConnectionID = Int

    /// A server to connect to.
    public struct Destination: Hashable, Sendable {
        public var url: Target
        /// Addresses with a narrower scope are excluded; nil: none, as for the URL that the user gave.
        public var narrowest: AddressScope?

        public init(_ url: Target, narrowest: AddressScope? = nil) {
            self.url = url
            self.narrowest = narrowest
        }
    }

    /// An attempt to publish, from dialing to the server's permission.
    public struct Attempt: Hashable, Sendable {
        public enum Purpose: Hashable, Sendable {
            case stream
            /// The stream continues at another server, and samples wait for it.
            case redirect
            /// A redirection after which the stream ends once the waiting samples are sent.
            case redirectThenFinish
        }

        public var begun: Int64
        public var purpose: Purpose
        /// Set if the server redirected the publisher before it accepted the stream.
        public var redirect: Destination?
    }

    /// A connection that carries samples.
    public struct Live: Hashable, Sendable {
        /// The time at which the connection was attempted.
        public var begun: Int64
        /// Whether the connection has lasted and bytes arrived. Some servers accept and close a moment later.
        public var isProven = false
        /// A redirection by the server, followed at the next keyframe.
        public var redirect: Destination?

        /// Nanoseconds to subtract from the wait for the next attempt.
        func age(now: Int64) -> Int64 { isProven ? now - begun : 0 }
    }

    public enum State: Hashable, Sendable {
        case idle
        /// `stale`: the last connection, which fell silent. It is reset when there is a new one; otherwise the server
        /// would consider the stream already published, and refuse it.
        case dialing(Attempt, stale: ConnectionID?)
        /// Connected; the server has not accepted the stream yet.
        case negotiating(ConnectionID, Attempt)
        /// Samples are sent. The server has not shown yet that it keeps the stream.
        case accepted(ConnectionID, Live)
        case live(ConnectionID, Live)
        /// The network is back: there is a second connection, and the old one has acknowledged nothing yet. The old one
        /// is kept if it continues in time, since then nothing is lost.
        case racing(old: ConnectionID, Live, candidate: ConnectionID)
        /// Waiting for the next attempt, or for a connection from a probe.
        case waiting(stale: ConnectionID?)
        /// The waiting samples are sent, and then the goodbye. If the stream was never live, it may still become so.
        case finishing(ConnectionID)
        case ended
    }

    public enum Timer: Hashable, Sendable, CaseIterable {
        case retry
        case race
        case finish
    }

    public enum Action: Hashable, Sendable {
        /// Connect. If that fails, probe until there is a connection or `stopDialing`.
        case dial(Destination)
        /// Probe the server while the current connection may be dead.
        case probe(Destination)
        /// If there is a search for a server, search for this one instead.
        case retarget(Destination)
        case stopDialing
        /// The connection that was just reported gets this number.
        case hold(ConnectionID)
        /// Close the connection that was just reported.
        case discard
        /// Begin the session. No authentication: the server has not requested any yet.
        case open(ConnectionID, Target, Target.Authentication?, wasLive: Bool)
        /// Send samples.
        case accepted(ConnectionID)
        case becameLive(ConnectionID, isAgain: Bool)
        /// Send the waiting samples, say goodbye, and close. If the stream was never live, a goodbye after samples waits
        /// until it is.
        case finish(ConnectionID)
        /// Finish at once, even if the socket has no room. The connection reports no further events.
        case leave(ConnectionID)
        case close(ConnectionID)
        case reset(ConnectionID)
        case emptyQueue
        case requestKeyframe
        case startTimer(Timer, after: Int64)
        case cancelTimer(Timer)
        /// The next attempt follows after `retryAfter` nanoseconds.
        case interrupted(Target.Failure, retryAfter: Int64)
        /// The last action. Nil: the stream ended properly.
        case ended(Target.Failure?)
    }

    /// Nanoseconds for the old connection to continue before the candidate replaces it: a second, and a round trip.
    public static var raceDeadline: Int64 { 1_250_000_000 }
    /// Nanoseconds for sending the waiting samples when the stream ends.
    public static var finishDeadline: Int64 { 5_000_000_000 }

    /// The address that the user gave.
    public let originalURL: Target
    public internal(set) var state = State.idle
    public internal(set) var destination: Destination
    public internal(set) var wasLive = false
    var policy: ReconnectPolicy
    /// The authentication that the server requests; kept from one connection of an attempt to the next.
    var authentication: Target.Authentication?
    var redirects = RedirectLimit()
    var lastFailure: Target.Failure?
    private var connectionCount = 0

    public init(_ url: Target, policy: ReconnectPolicy) {
        originalURL = url
        destination = Destination(url)
        self.policy = policy
    }

    /// The connection that carries samples.
    public var sending: ConnectionID? {
        switch state {
        case .accepted(let id, _), .live(let id, _), .racing(let id, _, _), .finishing(let id): id
        case .idle, .dialing, .negotiating, .waiting, .ended: nil
        }
    }

    /// Whether the present connection is live.
    public var isLive: Bool {
        switch state {
        case .live, .racing: true
        case .finishing: wasLive
        case .idle, .dialing, .negotiating, .accepted, .waiting, .ended: false
        }
    }

    /// The connection to measure.
    public var measured: ConnectionID? { if case .negotiating(let id, _) = state { id } else { sending } }

    /// Whether samples are queued, for the current connection or for the server of a redirection.
    public var acceptsSamples: Bool {
        switch state {
        case .accepted, .live, .racing, .finishing: true
        case .dialing(let attempt, _), .negotiating(_, let attempt): attempt.purpose != .stream
        case .idle, .waiting, .ended: false
        }
    }

    public var isEnding: Bool {
        switch state {
        case .finishing, .ended: true
        case .dialing(let attempt, _), .negotiating(_, let attempt): attempt.purpose == .redirectThenFinish
        case .idle, .accepted, .live, .racing, .waiting: false
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

    /// Ends the stream and leaves no connection open.
    mutating func end(_ failure: Target.Failure?) -> [Action] {
        var actions: [Action] = [.stopDialing]
        switch state {
        case .idle, .ended: break
        case .dialing(_, let stale), .waiting(let stale):
            if let stale { actions.append(.reset(stale)) }
        case .negotiating(let id, _), .accepted(let id, _), .live(let id, _), .finishing(let id):
            actions.append(.close(id))
        case .racing(let old, _, let candidate): actions += [.close(old), .close(candidate)]
        }
        state = .ended
        actions += Timer.allCases.map { Action.cancelTimer($0) }
        return actions + [.emptyQueue, .ended(failure)]
    }
}
