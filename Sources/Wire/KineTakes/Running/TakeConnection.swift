// The connection with the engine of one take: what the engine says of the take, and requests with their answers.
import Glibc
import KinePlatform
import KineWire

/// A reply, and the take as its engine has described it since.
package struct TakeReply: Sendable {
    package let reply: EngineReply
    package let take: TakeView
}

/// Used on one thread.
final class TakeConnection: PollSource {
    typealias Answer = (Result<TakeReply, RequestError>) -> Void

    /// Nanoseconds until the next attempt to connect.
    static let retryInterval: Int64 = 1_000_000_000

    private(set) var view: TakeView
    /// Nil: the engine has closed it, or was not reached.
    private(set) var connection: ClientConnection?
    /// The earliest time of the next attempt to connect.
    private(set) var nextAttempt = Int64.min
    /// Whether there has been a connection.
    private(set) var isShown = false
    /// Whether the engine has accepted a connection. It then sends the end of the take.
    private(set) var hasAnswered = false
    private var requests = EngineRequests<Answer>()
    /// Why the connection was closed, if that is known.
    private var reason: RequestError?

    init(_ record: TakeRecord) { view = TakeView(record) }

    /// The latest instant for `process` or `connect`; nil: only the descriptor is a reason for it.
    var nextDeadline: Int64? { connection == nil ? nextAttempt : requests.nextDeadline }

    var pollEntries: [pollfd] { connection?.pollEntries ?? [] }

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC; the same below.
    func connect(_ registry: TakeRegistry, at now: Int64) throws(TakeRegistry.Error) {
        nextAttempt = now + Self.retryInterval
        connection = try registry.connect(to: view.record)
        (isShown, reason) = (true, nil)
    }

    /// Asks the engine. `answer` is called once: at once if the engine cannot be asked, else by `process`. The answer to `stop` comes when the
    /// take has ended.
    ///
    /// - Parameter deadline: nanoseconds of CLOCK_MONOTONIC; nil: none. A request that a person or a disk can delay has
    ///   more time, while the engine sends messages.
    func send(_ request: ClientRequest, until deadline: Int64? = nil, _ answer: @escaping Answer = { _ in }) {
        if view.ending != nil { return answer(afterEnd(of: request)) }
        guard connection != nil else {
            return answer(
                .failure(hasAnswered ? .endedWithoutAnswer(view.currentRecord) : .noAnswer(view.currentRecord)))
        }
        requests.add(request, from: answer, until: deadline).forEach(write)
    }

    /// Reads what has arrived, without waiting, and calls the answers. Returns the events, in order.
    func process(at now: Int64) -> [EngineEvent] {
        // Called when this object is done: an answer may send the next request.
        var answers: [() -> Void] = []
        var events: [EngineEvent] = []
        for message in read() {
            view.received(message, at: now)
            if let (answer, result) = requests.received(message) {
                answers.append { [view] in
                    answer(result.map { TakeReply(reply: $0, take: view) }.mapError(RequestError.refused))
                }
            }
            guard case .event(let event) = message else { continue }
            if case .dismissed(let refusal) = event { reason = .refused(refusal) }
            // Before the start, a status does not say which audio the take has.
            if case .started = event, view.isSameProtocol { send(.status) }
            events.append(event)
        }
        let (late, messages) = requests.expire(at: now)
        messages.forEach(write)
        for answer in late { answers.append { [view] in answer(.failure(.noAnswer(view.currentRecord))) } }
        if view.ending != nil {
            for (answer, request) in requests.removeAll() { answers.append { [self] in answer(afterEnd(of: request)) } }
        } else if let connection, connection.isClosed {
            let error = reason ?? .endedWithoutAnswer(view.currentRecord)
            for (answer, _) in requests.removeAll() { answers.append { answer(.failure(error)) } }
        }
        if connection?.isClosed == true { (connection, nextAttempt) = (nil, now + Self.retryInterval) }
        for answer in answers { answer() }
        return events
    }

    private func read() -> [EngineMessage] {
        guard let connection else { return [] }
        let messages: [EngineMessage]
        do throws(ControlError) { messages = try connection.readAvailable() } catch {
            reason = .control(error)
            connection.close()
            return []
        }
        if let theirs = connection.peerHello {
            hasAnswered = true
            view.isSameProtocol = theirs.protocolNumber == ControlProtocol.number
        }
        return messages
    }

    /// A broken connection is noticed by `process`.
    private func write(_ message: ClientMessage) {
        guard let reason = connection?.deliver(message), let answer = requests.remove(message.id) else { return }
        answer(.failure(.refused(Refusal(.invalidRequest, reason))))
    }

    private func afterEnd(of request: ClientRequest) -> Result<TakeReply, RequestError> {
        if case .stop = request { .success(TakeReply(reply: .done, take: view)) } else { .failure(.takeIsOver) }
    }
}
