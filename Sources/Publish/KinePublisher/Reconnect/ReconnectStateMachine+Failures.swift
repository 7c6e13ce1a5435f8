// The ways to lose a connection, and their consequences.

extension ReconnectStateMachine {
    /// Dialing failed. The dialer continues probing.
    /// - Parameter jitter: from 0 to 1, for the wait.
    public mutating func dialFailed(_ failure: Target.Failure, now: Int64, jitter: Double) -> [Action] {
        guard case .dialing(let attempt, let stale) = state else { return [] }
        return lost(failure, attempt, stale: stale, now: now, jitter: jitter)
    }

    /// A connection ended, or must be ended.
    /// - Parameters:
    ///   - isSilentRefusal: see `ReconnectPolicy.failed`.
    ///   - jitter: from 0 to 1, for the wait.
    public mutating func failed(
        _ id: ConnectionID, _ failure: Target.Failure, isSilentRefusal: Bool = false, now: Int64, jitter: Double
    ) -> [Action] {
        switch state {
        case .negotiating(id, let attempt):
            return [.close(id)]
                + lost(failure, attempt, stale: nil, isSilentRefusal: isSilentRefusal, now: now, jitter: jitter)
        case .accepted(id, let live), .live(id, let live):
            return [.close(id)]
                + lost(
                    failure, after: live.age(now: now), stale: nil, isSilentRefusal: isSilentRefusal, jitter: jitter)
        case .racing(let old, let live, candidate: id):
            state = .live(old, live)
            return [.cancelTimer(.race), .close(id)]
        default: return oldFailed(id, failure, now: now)
        }
    }

    /// Nothing was acknowledged for too long. The connection is kept until there is a new one.
    public mutating func stalled(
        _ id: ConnectionID, _ failure: Target.Failure, now: Int64, jitter: Double
    ) -> [Action] {
        switch state {
        case .negotiating(id, let attempt): lost(failure, attempt, stale: id, now: now, jitter: jitter)
        case .accepted(id, let live), .live(id, let live):
            lost(failure, after: live.age(now: now), stale: id, jitter: jitter)
        default: oldFailed(id, failure, now: now)
        }
    }

    /// The old connection of a race, or the last of the stream, ended or fell silent.
    private mutating func oldFailed(_ id: ConnectionID, _ failure: Target.Failure, now: Int64) -> [Action] {
        switch state {
        case .racing(old: id, _, let candidate):
            return [.cancelTimer(.race)] + replace(id, by: candidate, now: now)
        case .finishing(id):
            lastFailure = failure
            return end(neverLive)
        default: return []
        }
    }

    /// The candidate replaces the connection, and begins with a keyframe.
    mutating func replace(_ old: ConnectionID, by candidate: ConnectionID, now: Int64) -> [Action] {
        state = .negotiating(candidate, Attempt(begun: now, purpose: .stream))
        authentication = nil
        return [
            .reset(old), .emptyQueue, .interrupted(destination.url.failure(.networkAway), retryAfter: 0),
            .open(candidate, destination.url, nil, wasLive: wasLive),
        ]
    }

    /// The reason why the stream was never live; nil if it was.
    var neverLive: Target.Failure? {
        guard !wasLive, state != .idle else { return nil }
        return lastFailure?.withoutRetry() ?? originalURL.failure(.neverAccepted)
    }

    private mutating func lost(
        _ failure: Target.Failure, _ attempt: Attempt, stale: ConnectionID?, isSilentRefusal: Bool = false, now: Int64,
        jitter: Double
    ) -> [Action] {
        guard attempt.purpose != .redirectThenFinish else {
            state = .waiting(stale: stale)
            lastFailure = failure
            return end(neverLive)
        }
        return lost(failure, after: now - attempt.begun, stale: stale, isSilentRefusal: isSilentRefusal, jitter: jitter)
    }

    private mutating func lost(
        _ failure: Target.Failure, after age: Int64, stale: ConnectionID?, isSilentRefusal: Bool = false, jitter: Double
    ) -> [Action] {
        state = .waiting(stale: stale)
        var failure = failure
        var actions: [Action] = []
        if destination.url != originalURL {
            // After a redirection nothing is final: the original server is still there.
            if failure.isFinal { failure.kind = .lost }
            destination = Destination(originalURL)
            actions.append(.retarget(destination))
        }
        lastFailure = failure
        // The answer to a challenge is valid for one attempt; the server asks again in the next.
        authentication = nil
        guard let wait = policy.failed(failure, isSilentRefusal: isSilentRefusal, after: age, jitter: jitter) else {
            // A server that repeatedly closes where it decides on the stream does not know it.
            if failure.kind == .lost, isSilentRefusal, !wasLive { failure.kind = .refused }
            return end(failure.withoutRetry())
        }
        return actions + [
            .emptyQueue, .interrupted(failure, retryAfter: wait), .startTimer(.retry, after: wait),
        ]
    }
}
