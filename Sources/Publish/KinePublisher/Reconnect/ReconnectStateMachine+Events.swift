// The events of the user, the dialer, the server and the clock.

extension ReconnectStateMachine {
    public mutating func start(now: Int64) -> [Action] { state == .idle ? dial(.stream, now: now) : [] }

    public mutating func finish() -> [Action] {
        switch state {
        case .idle, .waiting: return end(neverLive)
        case .dialing(let attempt, let stale): return finish(attempt) { .dialing($0, stale: stale) }
        case .negotiating(let id, let attempt): return finish(attempt) { .negotiating(id, $0) }
        case .accepted(let id, _), .live(let id, _):
            state = .finishing(id)
            return [.stopDialing, .startTimer(.finish, after: Self.finishDeadline), .finish(id)]
        case .racing(let old, _, let candidate):
            state = .finishing(old)
            return [
                .cancelTimer(.race), .close(candidate), .startTimer(.finish, after: Self.finishDeadline), .finish(old),
            ]
        case .finishing, .ended: return []
        }
    }

    /// Samples that wait for another server are sent first.
    private mutating func finish(_ attempt: Attempt, _ next: (Attempt) -> State) -> [Action] {
        switch attempt.purpose {
        case .stream: return end(neverLive)
        case .redirectThenFinish: return []
        case .redirect:
            var attempt = attempt
            attempt.purpose = .redirectThenFinish
            state = next(attempt)
            return [.startTimer(.finish, after: Self.finishDeadline)]
        }
    }

    /// The next sample is a keyframe. A redirection is followed here: the waiting samples go to the old server, the
    /// keyframe and all later ones to the new server.
    public mutating func keyframe(now: Int64) -> [Action] {
        let current: (id: ConnectionID, live: Live)? =
            switch state {
            case .accepted(let id, let live), .live(let id, let live): (id, live)
            default: nil
            }
        guard let (id, live) = current, let target = live.redirect else { return [] }
        destination = target
        authentication = nil
        return [.leave(id), .emptyQueue] + dial(.redirect, now: now)
    }

    /// The dialer has connected: in an attempt, or with a probe.
    /// - Parameter oldRecovers: whether the current connection retransmits soon after its network is back.
    public mutating func connected(now: Int64, oldRecovers: Bool = false) -> [Action] {
        switch state {
        case .dialing(let attempt, let stale): return open(attempt, insteadOf: stale)
        case .waiting(let stale):
            return [.cancelTimer(.retry)] + open(Attempt(begun: now, purpose: .stream), insteadOf: stale)
        case .negotiating(let old, var attempt):
            attempt.begun = now
            return open(attempt, insteadOf: old)
        case .accepted(let old, _):
            let candidate = nextConnection()
            return [.hold(candidate)] + replace(old, by: candidate, now: now)
        case .live(let old, let live):
            let candidate = nextConnection()
            guard oldRecovers else { return [.hold(candidate)] + replace(old, by: candidate, now: now) }
            state = .racing(old: old, live, candidate: candidate)
            return [.hold(candidate), .startTimer(.race, after: Self.raceDeadline)]
        case .idle, .racing, .finishing, .ended: return [.discard]
        }
    }

    private mutating func open(_ attempt: Attempt, insteadOf old: ConnectionID?) -> [Action] {
        let id = nextConnection()
        state = .negotiating(id, attempt)
        var actions: [Action] = [.hold(id)]
        if let old { actions.append(.reset(old)) }
        return actions + [.open(id, destination.url, authentication, wasLive: wasLive)]
    }

    public mutating func networkReturned() { policy.networkReturned() }

    /// The server accepted the stream.
    public mutating func accepted(_ id: ConnectionID) -> [Action] {
        guard case .negotiating(id, let attempt) = state else { return [] }
        var actions: [Action] = attempt.purpose == .stream ? [.emptyQueue] : []
        actions += [.stopDialing, .accepted(id)]
        if attempt.purpose == .redirectThenFinish {
            state = .finishing(id)
            return actions + [.finish(id)]
        }
        state = .accepted(id, Live(begun: attempt.begun, redirect: attempt.redirect))
        return attempt.redirect == nil ? actions : actions + [.requestKeyframe]
    }

    /// The server has shown, in the way of its protocol, that it keeps the stream.
    public mutating func kept(_ id: ConnectionID) -> [Action] {
        var actions: [Action] = [.becameLive(id, isAgain: wasLive)]
        switch state {
        case .accepted(id, let live): state = .live(id, live)
        case .finishing(id) where !wasLive: actions.append(.finish(id))
        default: return []
        }
        policy.becameLive()
        wasLive = true
        return actions
    }

    /// The server requests user and password, which are sent in a new connection.
    public mutating func authenticate(_ id: ConnectionID, _ next: Target.Authentication, now: Int64) -> [Action] {
        guard case .negotiating(id, let attempt) = state else { return [] }
        authentication = next
        return [.close(id)] + dial(attempt.purpose, now: now)
    }

    /// The server asks its publisher to reconnect. A forbidden address counts as the current one.
    /// - Parameter scope: the scope of the server's own address.
    public mutating func redirected(
        _ id: ConnectionID, to url: Target, scope: AddressScope, now: Int64
    ) -> [Action] {
        let isPresent = url == destination.url || !originalURL.allowsRedirect(to: url)
        let target = isPresent ? destination : Destination(url, narrowest: scope)
        switch state {
        case .accepted(id, var live) where redirects.allows(at: now):
            live.redirect = target
            state = .accepted(id, live)
            return [.requestKeyframe]
        case .live(id, var live) where redirects.allows(at: now):
            live.redirect = target
            state = .live(id, live)
            return [.requestKeyframe]
        case .negotiating(id, var attempt) where redirects.allows(at: now):
            attempt.redirect = target
            state = .negotiating(id, attempt)
            return []
        default: return []
        }
    }

    /// The server does not accept the stream, and names another address for it. Followed at once, within the limits of
    /// `redirected`; beyond them, the server has refused the stream.
    /// - Parameters:
    ///   - scope: the scope of the server's own address.
    ///   - jitter: from 0 to 1, for the wait if it is not followed.
    public mutating func moved(
        _ id: ConnectionID, to url: Target, scope: AddressScope, now: Int64, jitter: Double
    ) -> [Action] {
        guard case .negotiating(id, let attempt) = state else { return [] }
        let refusal: ReconnectFailureCause<Target>? =
            if !originalURL.allowsRedirect(to: url) {
                .redirectForbidden(to: url)
            } else {
                redirects.allows(at: now) ? nil : .redirectedTooOften
            }
        if let refusal {
            return failed(id, destination.url.failure(refusal), now: now, jitter: jitter)
        }
        destination = Destination(url, narrowest: scope)
        authentication = nil
        return [.close(id)] + dial(attempt.purpose, now: now)
    }

    /// The connection has been live for long enough, and bytes arrived.
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

    /// The server acknowledged data, or nothing waits. No other connection is needed.
    public mutating func progressed(_ id: ConnectionID) -> [Action] {
        switch state {
        case .racing(old: id, let live, let candidate):
            state = .live(id, live)
            return [.cancelTimer(.race), .close(candidate)]
        case .negotiating(id, _), .accepted(id, _), .live(id, _): return [.stopDialing]
        default: return []
        }
    }

    /// Nothing was acknowledged for a moment: the network may be unreachable.
    public mutating func suspected(_ id: ConnectionID) -> [Action] {
        switch state {
        case .negotiating(id, _), .accepted(id, _), .live(id, _): [.probe(destination)]
        default: []
        }
    }

    public mutating func fired(_ timer: Timer, now: Int64) -> [Action] {
        switch (timer, state) {
        case (.retry, .waiting(let stale)): dial(.stream, stale: stale, now: now)
        case (.race, .racing(let old, _, let candidate)): replace(old, by: candidate, now: now)
        case (.finish, _) where isEnding && state != .ended: end(neverLive)
        default: []
        }
    }
}
