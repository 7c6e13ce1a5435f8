// How a connection is lost, and how a stream ends.

extension ReconnectStateMachine {
    /// No connection came of an attempt. The dialer goes on probing.
    public mutating func dialFailed(_ failure: PublishFailure, now: Int64, chance: Double) -> [Action] {
        guard case .dialing(let attempt, let left) = state else { return [] }
        return lost(failure, attempt, left: left, now: now, chance: chance)
    }

    /// A connection ended, or has to.
    /// - Parameters:
    ///   - atStreamName: when the server had been told the stream's name, and not answered.
    ///   - chance: from 0 to 1, for the wait.
    public mutating func failed(
        _ id: ConnectionID, _ failure: PublishFailure, atStreamName: Bool = false, now: Int64, chance: Double
    ) -> [Action] {
        switch state {
        case .negotiating(id, let attempt):
            return [.close(id)]
                + lost(failure, attempt, left: nil, atStreamName: atStreamName, now: now, chance: chance)
        case .live(id, let live):
            return [.close(id)] + lost(failure, live, left: nil, now: now, chance: chance)
        case .racing(old: id, let live, let candidate):
            return [.cancelTimer(.lastChance)] + replace(id, by: candidate, live, now: now)
        case .racing(let old, let live, candidate: id):
            state = .live(old, live)
            return [.cancelTimer(.lastChance), .close(id)]
        case .finishing(id): return end(nil)
        default: return []
        }
    }

    /// Nothing was acknowledged for too long. The connection is kept until the next one is there.
    public mutating func stalled(
        _ id: ConnectionID, _ failure: PublishFailure, now: Int64, chance: Double
    ) -> [Action] {
        switch state {
        case .negotiating(id, let attempt): lost(failure, attempt, left: id, now: now, chance: chance)
        case .live(id, let live): lost(failure, live, left: id, now: now, chance: chance)
        case .racing(old: id, let live, let candidate):
            [.cancelTimer(.lastChance)] + replace(id, by: candidate, live, now: now)
        case .finishing(id): end(nil)
        default: []
        }
    }

    public mutating func fired(_ timer: Timer, now: Int64) -> [Action] {
        switch (timer, state) {
        case (.retry, .waiting(let left)): return dial(.stream, left: left, now: now)
        case (.lastChance, .racing(let old, let live, let candidate)):
            return replace(old, by: candidate, live, now: now)
        case (.finish, .finishing): return end(nil)
        case (.finish, _) where isEnding: return end(nil)
        default: return []
        }
    }

    /// The candidate is the connection from now on, and begins from a keyframe.
    mutating func replace(_ old: ConnectionID, by candidate: ConnectionID, _ live: Live, now: Int64) -> [Action] {
        state = .negotiating(candidate, Attempt(begun: now, purpose: .stream))
        authentication = nil
        let failure = PublishFailure(
            .lost, "The network to \(destination.url) was away; the stream goes on in a new connection.")
        return [
            .reset(old), .emptyQueue, .interrupted(failure, retryAfter: 0),
            .open(candidate, destination.url, nil, wasLive: wasLive),
        ]
    }

    /// Of a connection that was live.
    private mutating func lost(
        _ failure: PublishFailure, _ live: Live, left: ConnectionID?, now: Int64, chance: Double
    ) -> [Action] {
        lost(failure, after: live.isProven ? now - live.begun : 0, left: left, now: now, chance: chance)
    }

    /// Of an attempt.
    private mutating func lost(
        _ failure: PublishFailure, _ attempt: Attempt, left: ConnectionID?, atStreamName: Bool = false, now: Int64,
        chance: Double
    ) -> [Action] {
        guard attempt.purpose != .moveThenFinish else {
            state = .waiting(left: left)
            return end(nil)
        }
        return lost(
            failure, after: now - attempt.begun, left: left, atStreamName: atStreamName, now: now, chance: chance)
    }

    private mutating func lost(
        _ failure: PublishFailure, after age: Int64, left: ConnectionID?, atStreamName: Bool = false, now: Int64,
        chance: Double
    ) -> [Action] {
        state = .waiting(left: left)
        var failure = failure
        var actions: [Action] = []
        if destination.url != home {
            // Where the server sent the publisher, nothing is final: the server itself is still there.
            if failure.isFinal { failure = PublishFailure(.lost, failure.description) }
            destination = Destination(home)
            actions.append(.retarget(destination))
        }
        lastFailure = failure
        // The server's demand held for that connection; the next one is asked anew.
        authentication = nil
        let isRefusal = failure.kind == .lost && atStreamName && !wasLive
        guard let wait = policy.failed(failure, atStreamName: atStreamName, after: age, chance: chance) else {
            return end(PublishFailure(isRefusal ? .refused : failure.kind, failure.onceOnly))
        }
        return actions + [
            .emptyQueue, .interrupted(failure, retryAfter: wait), .startTimer(.retry, after: wait),
        ]
    }

    /// Why a stream that ends has never been one; nil where it was.
    var neverLive: PublishFailure? {
        guard !wasLive, state != .idle else { return nil }
        let reason =
            lastFailure?.onceOnly
            ?? "The server \(home) had not taken the stream when the broadcast ended; try the address with --test."
        return PublishFailure(lastFailure?.kind ?? .unreachable, reason)
    }

    /// Leaves nothing open.
    mutating func end(_ failure: PublishFailure?) -> [Action] {
        var actions: [Action] = [.stopDialing]
        switch state {
        case .idle, .ended: break
        case .dialing(_, let left), .waiting(let left):
            if let left { actions.append(.reset(left)) }
        case .negotiating(let id, _), .live(let id, _), .finishing(let id): actions.append(.close(id))
        case .racing(let old, _, let candidate): actions += [.close(old), .close(candidate)]
        }
        state = .ended
        return actions + Timer.allCases.map { .cancelTimer($0) } + [.emptyQueue, .ended(failure)]
    }
}
