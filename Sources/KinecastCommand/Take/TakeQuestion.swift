import KineControl
// A question to the engine of a take that another terminal began, and the wait for its answer.
import KinePlatform
import KineRelay

struct TakeQuestion {
    /// The take's id, or enough of its beginning; nil: the only one that runs.
    var take: String?

    /// Sends messages and waits for the answer that `pick` recognises. An engine answers in their order.
    func ask<Answer>(
        _ messages: [ClientMessage], within seconds: Int64?, pick: (EngineMessage) throws -> Answer?
    ) throws -> Answer {
        let (record, connection) = try connect()
        let deadline = seconds.map { MonotonicClock.now() + $0 * 1_000_000_000 } ?? .max
        do {
            for message in messages { try connection.send(message) }
            while true {
                let messages = try connection.receive(until: deadline)
                guard !messages.isEmpty else {
                    throw CommandFailure(
                        status: ExitStatus.unavailable,
                        message:
                            "Take \(record.id) (process \(record.pid)) does not answer; try again, or end the process.")
                }
                for answer in messages {
                    if let picked = try pick(answer) { return picked }
                    if case .refused(let reason) = answer {
                        throw CommandFailure(status: ExitStatus.unavailable, message: reason)
                    }
                }
            }
        } catch ControlError.closed {
            throw CommandFailure(
                status: ExitStatus.engineDied,
                message: "Take \(record.id) ended without an answer"
                    + (record.output.map { "; if \($0) does not play, kinecast recover finishes it." }
                        ?? "; kinecast status shows what runs."))
        } catch let error as ControlError {
            throw CommandFailure(status: ExitStatus.unavailable, message: error.description)
        }
    }

    private func connect() throws -> (TakeRecord, ClientConnection) {
        do {
            let registry = try TakeRegistry.standard()
            let record = try registry.find(take)
            return (record, try registry.connect(to: record))
        } catch {
            throw CommandFailure(status: ExitStatus.unavailable, message: error.description)
        }
    }
}
