// One take that a command asks, with the errors of this target.
import KineTakes
import KineWire

extension AskedTake {
    /// Connects to the engine of a running take. `typed`: its id or a unique beginning of it; nil: the only running take.
    /// `hasClips`: of several takes, the only one that keeps its last moments.
    package static func connected(to typed: String?, hasClips: Bool = false) throws(ClientError) -> AskedTake {
        do throws(TakeRegistry.Error) {
            return try AskedTake(typed, in: .standard(), hasClips: hasClips)
        } catch {
            throw ClientError(error)
        }
    }

    /// Asks the engine and waits for its reply.
    @discardableResult
    package func ask(_ request: ClientRequest) throws(ClientError) -> EngineReply {
        do throws(RequestError) { return try reply(to: request).reply } catch { throw ClientError(error) }
    }

    /// Asks the engine and waits for its reply.
    ///
    /// - Parameter value: the expected value of the reply; nil for another reply.
    package func ask<Value>(
        _ request: ClientRequest, _ value: (EngineReply) -> Value?
    ) throws(ClientError) -> Value {
        guard let value = value(try ask(request)) else { throw .otherReply }
        return value
    }

    package func status(for request: ClientRequest = .status) throws(ClientError) -> TakeStatus {
        try ask(request) { if case .status(let status) = $0 { status } else { nil } }
    }

    /// The take's status with the links of its destinations. Throws `noLink` if no destination has one, and `refused`
    /// if this program may not have them.
    ///
    /// - Parameter isRenewed: whether to replace the links with new ones; the old ones stop working.
    package func links(isRenewed: Bool) throws(ClientError) -> TakeStatus {
        let status = try status()
        if let reason = status.withheld { throw .refused(Refusal(.notPermitted, reason)) }
        guard status.destinations.contains(where: { $0.link != nil && $0.phase != .ended }) else {
            throw .noLink(take: status.id)
        }
        return isRenewed ? try self.status(for: .renewLinks) : status
    }

    /// Ends the take and waits until the file and the broadcasts are finished.
    package func stop() throws(ClientError) -> TakeOutcome {
        let take: TakeView
        do throws(RequestError) {
            take = try reply(to: .stop(immediately: false)).take
        } catch {
            throw ClientError(error)
        }
        switch take.ending {
        case .finished(let summary): return .finished(summary)
        case .failed(let failure): return .failed(failure)
        case nil: throw .otherReply
        }
    }
}

extension ClientError {
    /// The same error of a request by `Takes`.
    package init(_ error: RequestError) {
        self =
            switch error {
            case .registry(let error): ClientError(error)
            case .control(let error): ClientError(error)
            case .refused(let refusal): .refused(refusal)
            case .noAnswer(let take): .noAnswer(.init(take))
            case .endedWithoutAnswer(let take): .endedWithoutAnswer(.init(take))
            case .takeIsOver: .takeIsOver
            }
    }
}
