// The requests of a client that wait for an engine's answers. A session with one take and a watch of all takes share it.

extension ClientRequest {
    /// Whether the request has no time limit. Then only the engine's silence is limited: its status is requested as
    /// well, and again after each interval.
    fileprivate var mayTakeLong: Bool {
        switch self {
        // `switchSource` too: the desktop may ask the person for a window, or they may draw a region.
        case .setMicrophone, .setCamera, .switchSource, .removeDestination, .exportClip, .stop: true
        default: false
        }
    }
}

/// Numbered requests over one connection. `Caller` waits for an answer. No I/O.
package struct EngineRequests<Caller> {
    fileprivate struct Pending {
        var caller: Caller
        var request: ClientRequest
        /// Whether the engine has sent a message since its status was last requested.
        var isEngineAlive = false
    }

    /// Nanoseconds until the status is requested again during a long request.
    package static var checkInterval: Int64 { 10_000_000_000 }

    private var pending = PendingRequests<Pending>()

    package init() {}

    /// The time to call `expire` at the latest, nanoseconds of CLOCK_MONOTONIC; nil: no request has a deadline.
    package var nextDeadline: Int64? { pending.nextDeadline }

    /// Returns the messages to send for it.
    ///
    /// - Parameter deadline: nanoseconds of CLOCK_MONOTONIC; nil: none.
    package mutating func add(_ request: ClientRequest, from caller: Caller, until deadline: Int64?) -> [ClientMessage]
    {
        let id = pending.add(Pending(caller: caller, request: request), until: deadline)
        return [ClientMessage(id: id, request)] + (request.mayTakeLong ? [ClientMessage(id: 0, .status)] : [])
    }

    /// The caller whose request the message answers; nil for an event, and for the answer to a request that has timed out.
    package mutating func received(_ message: EngineMessage) -> (caller: Caller, result: Result<EngineReply, Refusal>)?
    {
        pending.changeEach { $0.isEngineAlive = true }
        guard case .answer(let id, let result) = message, let one = pending.remove(id) else { return nil }
        return (one.caller, result)
    }

    /// Returns the callers whose time is over, oldest first, and the messages to send.
    ///
    /// - Parameter isConnected: false while the engine's end is being dealt with: long requests wait then.
    package mutating func expire(at now: Int64, isConnected: Bool = true) -> (late: [Caller], messages: [ClientMessage])
    {
        var asksAgain = false
        let due = pending.removeDue(at: now) { one in
            guard one.request.mayTakeLong, one.isEngineAlive || !isConnected else { return nil }
            one.isEngineAlive = false
            asksAgain = isConnected
            return now + Self.checkInterval
        }
        return (due.map(\.caller), asksAgain ? [ClientMessage(id: 0, .status)] : [])
    }

    /// Removes a request that could not be sent; nil: there is none of this number.
    package mutating func remove(_ id: Int) -> Caller? { pending.remove(id)?.caller }

    /// Removes all, oldest first.
    package mutating func removeAll() -> [(caller: Caller, request: ClientRequest)] {
        pending.removeAll().map { ($0.caller, $0.request) }
    }
}

extension EngineRequests: Sendable where Caller: Sendable {}
extension EngineRequests.Pending: Sendable where Caller: Sendable {}
